import dataclasses
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from foible.analysis.games.game_facts import GameFacts
from foible.analysis.games.games_report import summary_json
from foible.analysis.games.games_summary import Summary, summarise
from tests.analysis.games.pgn_games import facts, game, pgn_of, random_board

GAMES = facts(
    pgn_of([random_board(seed) for seed in range(30)])
    + pgn_of([random_board(seed, 30) for seed in range(100, 110)], "1-0")
    + pgn_of([random_board(seed, 30) for seed in range(110, 120)], "1/2-1/2")
    + game("1. e4 {[%eval 0.2]} e5 {[%eval 0.1]}", "0-1")
    + game("1. e4 {[%eval 0.2]} e5 {[%eval 3.0]} 2. d4", "0-1")
    + game("", "1-0")
)
SUBSETS = st.lists(st.integers(0, len(GAMES) - 1), max_size=40).map(lambda numbers: [GAMES[i] for i in numbers])


def without_order(found: Summary) -> dict[str, Any]:
    """As it is published; sums of floats depend on their order in the last digits."""
    text = msgspec.json.encode(summary_json(found))
    plain = msgspec.json.decode(text)
    assert isinstance(plain, dict)
    return {key: rounded(value) for key, value in plain.items()}


def rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, 9)
        case dict():
            return {key: rounded(one) for key, one in value.items()}
        case list():
            return [rounded(one) for one in value]
        case _:
            return value


@settings(deadline=None)
@given(SUBSETS)
def test_totals_equal_sums(games: list[GameFacts]) -> None:
    found = summarise(games)
    assert found.white + found.draws + found.black + found.unfinished == found.games == len(games)
    assert sum(found.ends.values()) == len(games)
    for begins in (found.openings, found.first_moves):
        assert sum(one.games for one in begins) == len(games)
        assert sum(one.white for one in begins) == found.white
        assert sum(one.draws for one in begins) == found.draws
        assert sum(one.black for one in begins) == found.black
    shares = [one.value for one in (found.shares.white, found.shares.draws, found.shares.black)]
    known = [share for share in shares if share is not None]
    assert sum(known) == pytest.approx(1.0 if known else 0.0)


@settings(deadline=None)
@given(SUBSETS, st.randoms(use_true_random=False))
def test_the_order_of_games_changes_nothing(games: list[GameFacts], rng: random.Random) -> None:
    shuffled = games.copy()
    rng.shuffle(shuffled)
    assert without_order(summarise(shuffled)) == without_order(summarise(games))


@settings(deadline=None)
@given(SUBSETS.filter(bool))
def test_games_taken_twice_keep_every_mean_and_are_all_repeated(games: list[GameFacts]) -> None:
    once, twice = summarise(games), summarise(games * 2)
    assert twice.decisive_ratio.value == once.decisive_ratio.value
    assert twice.material.imbalance.value == pytest.approx(once.material.imbalance.value)
    assert twice.complications["captures"].value == pytest.approx(once.complications["captures"].value)
    assert twice.length.mean.value == pytest.approx(once.length.mean.value)
    assert set(twice.repeated) <= {1.0}


def test_measures_are_those_of_the_games() -> None:
    found = summarise(GAMES)
    assert found.complications["checks"].value == sum(one.complications.checks for one in GAMES) / len(GAMES)
    positions = [pawns for one in GAMES for pawns in one.imbalance]
    assert found.material.imbalance.value == pytest.approx(sum(positions) / len(positions))
    assert found.material.unequal.value == pytest.approx(sum(pawns > 0 for pawns in positions) / len(positions))
    assert found.material.piece.value == pytest.approx(sum(pawns >= 3 for pawns in positions) / len(positions))
    at_ten = [one.imbalance[9] for one in GAMES if one.plies >= 10]
    assert found.material.by_ply[9] == pytest.approx(sum(at_ten) / len(at_ten))
    assert found.material.lasting[9] == len(at_ten)


def test_swings_are_those_of_the_games_that_have_evaluations() -> None:
    found = summarise(GAMES).swings
    assert found is not None
    assert (found.games, found.large.value, found.swing.n) == (2, 0.5, 2)
    assert summarise([one for one in GAMES if not one.swings.plies]).swings is None


def test_the_name_of_an_opening_is_the_one_most_of_its_games_bear() -> None:
    tags = [{"ECO": "B20", "Opening": name} for name in ("Sicilian", "Sicilian", "Sicilienne")]
    games = facts("".join(game("1. e4 c5", **one) for one in tags) + game("1. e4 c5", ECO="A00"))
    first, second = summarise(games).openings
    assert (first.key, first.name, first.games) == ("B20", "Sicilian", 3)
    assert (second.key, second.name) == ("A00", "")


def test_games_whose_opening_has_no_code_are_counted_by_name() -> None:
    names = ("Gambit", "Gambit", "Attack", "?")
    found = summarise(facts("".join(game("1. e4", Opening=name) for name in names))).openings
    assert [(one.key, one.name, one.games) for one in found] == [("", "Gambit", 2), ("", "", 1), ("", "Attack", 1)]


def test_no_games_have_no_statistics_and_no_errors() -> None:
    found = summarise([])
    assert found.games == 0
    assert found.decisive_ratio.value is None
    assert found.repeated == []
    assert found.length.mean.value is None
    assert all(one is not None for one in dataclasses.astuple(found.shares))
