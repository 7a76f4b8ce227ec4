"""Win shares and margins with their errors, and the document that has them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible.arena.elo import estimate_elo
from foible.arena.go.report import CELL_COLUMNS, SPARE, Cell, Mean, standings, statistics
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
    assert (row["win share"], row["Elo [95 %]"], row["margin"]) == ("–", None, "–")


def test_games_that_were_given_up_are_in_the_document_but_have_no_margin() -> None:
    found = Cell("a", "b", (game(0, 2), game(1, None), game(2, None))).to_json()
    assert (found["wins"], found["not_counted"], found["margin"]["games"]) == (3, 2, 1)
    assert (found["resignations"], found["forfeits"]) == ({"b": 2}, {})


CELLS = [cell("x", "p", [1, 1, 1, -1]), cell("p", "q", [1, 1, -1, -1, 1, -1]), cell("x", "q", [])]


def test_all_players_stand_by_points_and_by_pairs() -> None:
    assert standings(CELLS[:1]) is None
    found = standings(CELLS)
    assert found is not None
    assert found.names == ("x", "p", "q")
    assert found.superior["x", "p"] > 0.5
    assert found.superior["p", "q"] == 0.5


def told(error: float | None) -> object:
    """What is said of an error: nothing where nothing varied."""
    return pytest.approx(error) if error else None


margins = st.integers(-9, 9).map(float)


@given(st.lists(st.tuples(margins, margins), min_size=2, max_size=20))
def test_errors_of_whole_pairs_are_those_of_the_means_of_pairs(pairs: list[tuple[float, float]]) -> None:
    found = statistics([game(2 * i + j, margin) for i, two in enumerate(pairs) for j, margin in enumerate(two)])
    means = np.array(pairs).mean(axis=1)
    assert found.margin.value == pytest.approx(means.mean())
    assert found.margin.standard_error == told(means.std(ddof=1) / len(pairs) ** 0.5)
    assert found.share.value == pytest.approx(found.games.share)
    assert found.share.standard_error == told(found.pairs.sample_error)


@given(st.lists(margins, min_size=2, max_size=20))
def test_errors_of_lone_games_are_those_of_games(values: list[float]) -> None:
    found = statistics([game(2 * i, margin) for i, margin in enumerate(values)])
    assert found.margin.standard_error == told(np.std(values, ddof=1) / len(values) ** 0.5)
    assert found.share.standard_error == told(found.games.sample_error)
    assert found.pairs.n == 0


@given(st.lists(margins, min_size=1, max_size=20))
def test_from_the_other_side_all_is_turned_round(values: list[float]) -> None:
    games = [game(i, margin) for i, margin in enumerate(values)]
    ours, theirs = statistics(games), statistics([one.swapped() for one in games])
    assert theirs.games == ours.games.swapped
    assert theirs.pairs == ours.pairs.swapped
    assert (theirs.share.standard_error is None) is (ours.share.standard_error is None)
    assert theirs.share.value == pytest.approx(1 - (ours.share.value or 0))
    assert theirs.margin.value == pytest.approx(-(ours.margin.value or 0))
    assert theirs.margin.standard_error == (
        None if ours.margin.standard_error is None else pytest.approx(ours.margin.standard_error)
    )


def test_elo_is_by_pairs() -> None:
    games = [game(number, margin) for number, margin in enumerate((1.0, -1.0, 2.0, 3.0, 1.0))]
    whole, torn = statistics(games[:4]), statistics(games)
    assert whole.elo == estimate_elo(whole.pairs) != estimate_elo(whole.games)
    assert torn.elo == whole.elo
    assert statistics(games[1:4]).elo is None


def test_the_margin_of_victory_is_of_games_won_and_counted() -> None:
    games = [game(0, 5), game(1, -3), game(2, 1), game(3, None), game(4, 0)]
    found = statistics(games)
    assert found.games.counts == (1, 1, 3)
    assert found.margin.games == 4
    assert found.margin.value == pytest.approx(0.75)
    assert (found.margin_won.games, found.margin_won.value) == (2, 3.0)
    assert found.margin_won.standard_error == pytest.approx(2.0)
    assert found.different == 5


@pytest.mark.parametrize("margins", [(2, 4, 4, 2, 3, 3), (5, -5), (-1, -2, -2, -1)])
def test_pairs_that_are_all_alike_do_not_tell_an_error(margins: tuple[float, ...]) -> None:
    found = statistics([game(number, margin) for number, margin in enumerate(margins)])
    assert found.share.value is not None
    assert (found.share.standard_error, found.margin.standard_error) == (None, None)
    assert found.elo == (estimate_elo(found.pairs) if len(margins) > 2 else None)
    assert "±" not in f"{found.share} {found.margin} {found.margin_won}"


def test_repetitions_are_counted_once() -> None:
    assert statistics([game(number, 1, ("A1", "pass")) for number in range(6)]).different == 1


def test_without_games_there_is_nothing_to_say() -> None:
    found = statistics([])
    assert found.share == found.margin == found.margin_won == Mean(0, None, None)
    assert str(found.margin) == "–"
    assert str(Mean(2, 1.0, None)) == "1.00"
    assert str(Mean(4, 1.0, 0.25)) == "1.00 ± 0.25"


def test_the_error_holds_its_promise() -> None:
    """The estimates of many matches scatter as much as each says of itself: games of a pair that hang together."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(400):
        common = rng.normal(2, 3, 30)
        two = np.rint(common[:, None] + rng.normal(0, 2, (30, 2)))
        mean = statistics([game(i, float(margin)) for i, margin in enumerate(two.ravel())]).margin_won
        found.append((mean.value, mean.standard_error))
    values, errors = np.array(found, np.float64).T
    assert np.std(values) == pytest.approx(np.mean(errors), rel=0.1)
