"""The standings of all players of a tournament."""

import numpy as np
import pytest

from foible.arena.pairwise import SCALE
from foible.arena.standings import DRAWS, WIDEST, Standings, standings_of
from foible.arena.stats import Tally

GAMES = 20
NOTHING = Tally.of_games(0, 0, 0)


def played(*results: tuple[str, str, int]) -> Standings | None:
    """Two players and how many pairs of games of ten the first one won; the others are lost."""
    return standings_of(
        {
            (first, second): (
                Tally.of_games(2 * won, 0, GAMES - 2 * won),
                Tally.of_pairs([(1.0, 1.0)] * won + [(0.0, 0.0)] * (GAMES // 2 - won)),
            )
            for first, second, won in results
        }
    )


def test_standings_need_three_players() -> None:
    assert played(("a", "b", 7)) is None
    one = (Tally.of_games(1, 0, 2), Tally.of_pairs([]))
    assert standings_of({("a", "b"): one, ("a", "c"): (NOTHING, NOTHING)}) is None


def test_the_strongest_stands_first_and_elo_is_that_of_the_points() -> None:
    found = played(("b", "a", 7), ("c", "b", 9), ("c", "a", 10))
    assert found is not None
    assert found.ratings is not None
    assert found.names == ("c", "b", "a")
    assert found.columns == ("place", "player", "Elo", "points", "1", "2", "3")
    assert sum(found.ratings.elo) == pytest.approx(0)
    elo = dict(zip(found.ratings.names, found.ratings.elo, strict=True))
    expected = sum(1 / (1 + 10 ** ((elo[other] - elo["c"]) / 400)) for other in "ab")
    assert expected * (GAMES + DRAWS) == pytest.approx(38 + DRAWS)  # maximum likelihood: points as they were expected
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows()]
    assert [row["player"] for row in rows] == list(found.names)
    assert [row["points"] for row in rows] == ["38/40", "16/40", "6/40"]
    assert found.to_json()["scores"]["b"] == {"points": 16.0, "games": 40}
    assert [row[str(place)] for place, row in enumerate(rows, 1)] == [None] * 3
    assert found.to_json()["elo"]["c"]["value"] == elo["c"]


def test_the_chance_to_be_stronger_is_that_of_the_match_of_the_two() -> None:
    found = played(("b", "a", 5), ("c", "b", 9), ("c", "a", 10))
    assert found is not None
    assert found.superior["b", "a"] == found.superior["a", "b"] == 0.5
    assert found.superior["c", "b"] > 0.95
    for (first, second), chance in found.superior.items():
        assert chance + found.superior[second, first] == pytest.approx(1)
    assert found.to_json()["superiority"]["c"] == {"b": found.superior["c", "b"], "a": found.superior["c", "a"]}


@pytest.mark.parametrize(("wins", "draws", "losses"), [(30, 360, 10), (230, 0, 170), (100, 250, 50)])
def test_errors_and_cycles_are_by_how_much_results_vary(wins: int, draws: int, losses: int) -> None:
    """Of independent games, a third of a round each; the truth is the trinomial error."""
    games = Tally.of_games(wins, draws, losses)
    scores = np.random.default_rng(3).permutation([1.0] * wins + [0.5] * draws + [0.0] * losses).reshape(-1, 2)
    one = games, Tally.of_pairs((first, second) for first, second in scores)
    found = standings_of({("a", "b"): one, ("b", "c"): one, ("c", "a"): one})
    assert found is not None
    assert found.ratings is not None
    assert games.share is not None
    assert games.standard_error is not None
    (cycle,) = found.transitivity.cycles
    assert cycle.z == pytest.approx((games.share - 0.5) / games.standard_error, rel=0.15)
    slope = SCALE / (games.share * (1 - games.share))
    # Each of three players met both others, and their mean is the zero: a third of a match's variance, twice over.
    assert found.ratings.standard_errors == pytest.approx([slope * games.standard_error * np.sqrt(2) / 3] * 3, rel=0.15)


def test_they_tell_of_cycles() -> None:
    circle = played(("a", "b", 10), ("b", "c", 10), ("c", "a", 10))
    assert circle is not None
    assert list(circle.lines()) == [
        "cycles: 1 of 1 triples with clear results (z ≥ 1.96), 100.0 %",
        "a 100 % → b 100 % → c 100 % → a",
    ]
    assert list(circle.lines(most=0))[1:] == ["and 1 more"]


def test_players_whom_no_games_link_have_no_elo() -> None:
    apart = played(("a", "b", 10), ("c", "d", 10))
    assert apart is not None
    assert apart.ratings is None
    assert apart.names == ("a", "b", "c", "d")
    assert [row[2] for row in apart.rows()] == [None] * 4
    assert list(apart.lines()) == ["no three players all met each other"]
    assert apart.to_json()["elo"] is None


def test_many_players_have_no_column_each() -> None:
    found = played(*((str(number), str(number + 1), 6) for number in range(WIDEST)))
    assert found is not None
    assert found.columns == ("place", "player", "Elo", "points")
    assert "LOS" not in found.heading
    assert {len(row) for row in found.rows()} == {4}
