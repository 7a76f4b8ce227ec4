import pytest

from foible.arena.go.report import CELL_COLUMNS, SPARE, Cell, percent, standings
from tests.arena.go.records import cell, game


def shown(found: Cell) -> dict[str, object]:
    return dict(zip(CELL_COLUMNS, found.row(), strict=True))


def test_a_row_has_errors_where_pairs_tell_them() -> None:
    row = shown(cell("x", "p", [1, 3, 5, -2]))
    assert (row["player"], row["opponent"], row["games"], row["wins"]) == ("x", "p", 4, 3)
    assert (row["win share"], row["margin"], row["not counted"]) == ("75.0 ± 25.0 %", "1.75 ± 0.25", 0)
    assert set(SPARE) < set(CELL_COLUMNS)


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


CELLS = [cell("x", "p", [1, 1, 1, -1]), cell("p", "q", [1, 1, -1, -1, 1, -1]), cell("x", "q", [])]


def test_standings_need_three_players() -> None:
    assert standings(CELLS[:1]) is None
    found = standings(CELLS)
    assert found is not None
    assert found.ratings is not None
    assert [name for name, _ in found.rows()] == ["x", "p", "q"]
    assert found.to_json()["elo"]["x"]["value"] > 0


def test_standings_tell_of_cycles_and_of_players_who_never_met() -> None:
    won = [1.0] * 40
    circle = standings([cell("a", "b", won), cell("b", "c", won), cell("c", "a", won)])
    assert circle is not None
    assert list(circle.lines()) == [
        "cycles: 1 of 1 triples with clear results (z ≥ 1.96), 100.0 %",
        "a 100 % → b 100 % → c 100 % → a",
    ]
    assert list(circle.lines(most=0))[1:] == ["and 1 more"]
    apart = standings([cell("a", "b", won), cell("c", "d", won)])
    assert apart is not None
    assert apart.ratings is None
    assert not list(apart.rows())
    assert list(apart.lines()) == ["no three players all met each other"]
    assert apart.to_json()["elo"] is None
