"""A row of the report, and a cell as one document."""

import pytest

from foible.arena.go.cells import COLUMNS, SPARE, Cell, percent
from tests.arena.go.records import cell, game


def shown(found: Cell) -> dict[str, object]:
    return dict(zip(COLUMNS, found.row(), strict=True))


def test_a_row_has_errors_where_pairs_tell_them() -> None:
    row = shown(cell("x", "p", [1, 3, 5, -2]))
    assert (row["player"], row["opponent"], row["games"], row["wins"]) == ("x", "p", 4, 3)
    assert (row["win share"], row["margin"], row["not counted"]) == ("75.0 ± 25.0 %", "1.75 ± 0.25", 0)
    assert set(SPARE) < set(COLUMNS)


def test_a_row_has_no_errors_where_pairs_are_alike_or_there_are_none() -> None:
    row = shown(cell("x", "p", [1, 3, 3, 1]))
    assert (row["win share"], row["margin"], row["margin of victory"]) == ("100.0 %", "2.00", "2.00")
    assert str(row["Elo [95 %]"]).startswith("above ")
    row = shown(cell("x", "p", []))
    assert (row["win share"], row["Elo [95 %]"], row["margin"]) == (None, None, "–")


def test_games_that_were_given_up_are_in_the_document_but_have_no_margin() -> None:
    found = Cell("a", "b", (game(0, 2), game(1, None), game(2, None))).to_json()
    assert (found["wins"], found["not_counted"], found["margin"]["games"]) == (3, 2, 1)
    assert (found["resignations"], found["forfeits"]) == ({"b": 2}, {})


@pytest.mark.parametrize(
    ("value", "error", "text"), [(0.615, 0.049, "61.5 ± 4.9 %"), (0.5, None, "50.0 %"), (None, None, None)]
)
def test_shares_are_shown_in_percent(value: float | None, error: float | None, text: str | None) -> None:
    assert percent(value, error) == text
