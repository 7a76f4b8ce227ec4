"""Elo from all results, and cycles of players who beat each other."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from foible.arena.elo import elo_of_share
from foible.arena.pairwise import Pairwise, Transitivity, pairwise_of, ratings, transitivity, z_values
from foible.errors import ConfigError


def test_results_are_seen_from_both_sides() -> None:
    found = pairwise_of({("a", "b"): (3.5, 5), ("c", "a"): (0, 2)})
    assert found.names == ("a", "b", "c")
    assert found.points.tolist() == [[0, 3.5, 2], [1.5, 0, 0], [0, 0, 0]]
    assert found.games.tolist() == [[0, 5, 2], [5, 0, 0], [2, 0, 0]]
    assert found.shares[0, 1] == 0.7
    assert found.shares[1, 0] == pytest.approx(0.3)
    assert math.isnan(found.shares[1, 2])


@given(st.integers(1, 99))
def test_of_two_players_it_is_the_elo_of_the_share(won: int) -> None:
    found = ratings(pairwise_of({("a", "b"): (won, 100)}))
    assert found.elo[0] - found.elo[1] == pytest.approx(elo_of_share(won / 100))
    # Each error is that of half the difference: the mean of both is held.
    p = won / 100
    assert 2 * found.standard_errors[0] == pytest.approx(400 / math.log(10) / math.sqrt(100 * p * (1 - p)))


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 8), st.integers(0, 10_000))
def test_it_is_the_most_likely_one(players: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    games = np.triu(rng.integers(1, 40, (players, players)), 1)
    won = rng.binomial(games, rng.uniform(0.1, 0.9, games.shape))
    points = (won + (games - won).T).astype(float)
    results = Pairwise(tuple(map(str, range(players))), points)
    found = ratings(results, draws=1.0)

    def surprise(elo: np.ndarray) -> float:
        chances = 1 / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
        return -float(((points + (points + points.T > 0) / 2) * np.log(chances)).sum())

    best = minimize(surprise, np.zeros(players), method="BFGS").x
    assert found.elo == pytest.approx(best - best.mean(), abs=1.0)
    assert surprise(found.elo) <= surprise(best) + 1e-6
    assert found.elo.mean() == pytest.approx(0, abs=1e-6)


def test_errors_are_the_scatter_of_many_tournaments() -> None:
    rng, strength = np.random.default_rng(1), np.array([0.0, 60.0, -120.0, 200.0])
    chances = 1 / (1 + 10 ** ((strength[None, :] - strength[:, None]) / 400))
    found, said = [], []
    for _ in range(300):
        won = np.triu(rng.binomial(80, chances), 1)
        one = ratings(Pairwise(("a", "b", "c", "d"), (won + np.tril(80 - won.T, -1)).astype(float)))
        found.append(one.elo)
        said.append(one.standard_errors)
    assert np.mean(found, axis=0) == pytest.approx(strength - strength.mean(), abs=5)
    assert np.std(found, axis=0) == pytest.approx(np.mean(said, axis=0), rel=0.12)


def test_results_without_an_end_are_refused_or_tamed() -> None:
    unbeaten = pairwise_of({("a", "b"): (10, 10), ("b", "c"): (5, 10)})
    with pytest.raises(ConfigError, match="no chain of wins leads from b to a"):
        ratings(unbeaten)
    tamed = ratings(unbeaten, draws=1.0)
    assert tamed.elo[0] > tamed.elo[1] == pytest.approx(tamed.elo[2])
    strangers = pairwise_of({("a", "b"): (5, 10), ("c", "d"): (5, 10)})
    with pytest.raises(ConfigError, match="no chain of wins leads from a to c"):
        ratings(strangers, draws=1.0)


def test_the_zero_of_the_scale_is_one_of_the_players() -> None:
    with pytest.raises(ConfigError, match=r"^zero: there is no player 'gen-2'; near is gen-1"):
        ratings(pairwise_of({("gen-1", "other"): (5, 10)}), zero="gen-2")


def test_hundreds_of_one_sided_games_find_their_elo() -> None:
    names = [f"g{i}" for i in range(12)]
    results = {(names[j], names[i]): (100, 100) for i in range(12) for j in range(i + 1, 12)}
    found = ratings(pairwise_of(results), draws=1.0)
    by_name = dict(zip(found.names, found.elo, strict=True))
    assert sorted(by_name, key=by_name.__getitem__) == names
    assert np.isfinite(found.standard_errors).all()


def clear(*wins: str, games: int = 100) -> Pairwise:
    """`ab`: a beats b, clearly."""
    return pairwise_of({(two[0], two[1]): (0.8 * games, games) for two in wins})


def members(found: Transitivity) -> list[str]:
    return ["".join(cycle.players) for cycle in found.cycles]


def test_three_in_a_circle_are_a_cycle() -> None:
    found = transitivity(clear("ab", "bc", "ca"))
    assert members(found) == ["abc"]
    assert (found.triples, found.cyclic, found.share) == (1, 1, 1.0)
    (cycle,) = found.cycles
    assert cycle.shares == pytest.approx((0.8, 0.8, 0.8))
    assert cycle.z == pytest.approx(6.0)
    assert str(cycle) == "a 80 % → b 80 % → c 80 % → a"


def test_an_order_has_none() -> None:
    found = transitivity(clear("ab", "ac", "ad", "bc", "bd", "cd"))
    assert (members(found), found.triples, found.cyclic, found.share) == ([], 4, 0, 0.0)


def test_four_in_a_circle_who_did_not_all_meet_are_a_cycle_without_triples() -> None:
    found = transitivity(clear("ab", "bc", "cd", "da"))
    assert members(found) == ["abcd"]
    assert (found.triples, found.share) == (0, None)
    assert members(transitivity(clear("ab", "bc", "cd", "da"), longest=3)) == []
    # A shortcut makes it one of three.
    assert members(transitivity(clear("ab", "bc", "cd", "da", "ca"))) == ["abc"]
    assert members(transitivity(clear("ab", "bc", "cd", "da", "ac"))) == ["acd"]


def test_what_may_be_chance_does_not_count() -> None:
    narrow = pairwise_of({("a", "b"): (59, 100), ("b", "c"): (60, 100), ("c", "a"): (60, 100)})
    assert z_values(narrow)[0, 1] == pytest.approx((0.59 - 0.5) / (0.5 / 10))
    assert members(transitivity(narrow)) == []
    assert members(transitivity(narrow, threshold=1.5)) == ["abc"]


@pytest.mark.parametrize(
    ("wins", "line"),
    [
        ({"ab": 60, "bc": 80}, "no three players all met each other"),
        ({"ab": 59, "bc": 80, "ca": 80}, "no triple has clear results (z ≥ 1.96) yet"),
        ({"ab": 60, "bc": 80, "ac": 90}, "no cycles: 0 of 1 triples with clear results (z ≥ 1.96)"),
        (
            {"ab": 60, "bc": 80, "ca": 90, "ad": 90, "bd": 90, "cd": 50},
            "cycles: 1 of 2 triples with clear results (z ≥ 1.96), 50.0 %",
        ),
        (
            {"ab": 80, "bc": 80, "cd": 80, "da": 80, "ef": 80, "fg": 80, "eg": 80},
            "cycles: 0 of 1 triples with clear results (z ≥ 1.96)",
        ),
    ],
)
def test_one_line_says_how_many_triples_are_clear_and_how_many_of_them_cycles(wins: dict[str, int], line: str) -> None:
    results = pairwise_of({(two[0], two[1]): (won, 100) for two, won in wins.items()})
    assert transitivity(results).summary == line


def test_the_surest_and_shortest_come_first() -> None:
    results = pairwise_of(
        {
            **dict.fromkeys((("a", "b"), ("b", "c"), ("c", "a")), (70, 100)),
            **dict.fromkeys((("d", "e"), ("e", "f"), ("f", "d")), (90, 100)),
            **dict.fromkeys((("g", "h"), ("h", "i"), ("i", "j"), ("j", "g")), (95, 100)),
        }
    )
    assert members(transitivity(results)) == ["def", "abc", "ghij"]


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 7), st.integers(0, 10_000), st.sampled_from([0.5, 0.8, 1.0]))
def test_cycles_are_all_that_have_no_shortcut(players: int, seed: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    names = "abcdefg"[:players]
    wins = [(x + y) if rng.random() < 0.5 else (y + x) for x, y in combinations(names, 2) if rng.random() < density]
    found = transitivity(clear(*wins), longest=players) if wins else None
    linked, beats = {frozenset(two) for two in wins}, set(wins)
    expected = set()
    for length in range(3, players + 1):
        for line in permutations(names, length):
            around = [line[i] + line[(i + 1) % length] for i in range(length)]
            chords = {frozenset(two) for two in combinations(line, 2)} - {frozenset(step) for step in around}
            if line[0] == min(line) and set(around) <= beats and not chords & linked:
                expected.add("".join(line))
    rotated = {min(name[i:] + name[:i] for i in range(len(name))) for name in (members(found) if found else [])}
    assert rotated == expected
    assert found is None or len(found.cycles) == len(expected)
    if found:
        assert found.cyclic == sum(len(name) == 3 for name in expected)
        assert found.triples == sum(
            all(frozenset(two) in linked for two in combinations(three, 2)) for three in combinations(names, 3)
        )


def test_players_in_no_order_have_a_quarter_of_cyclic_triples() -> None:
    rng = np.random.default_rng(5)
    names = [chr(33 + i) for i in range(40)]
    wins = [x + y if rng.random() < 0.5 else y + x for x, y in combinations(names, 2)]
    found = transitivity(clear(*wins))
    assert found.triples == 40 * 39 * 38 / 6
    assert found.share == pytest.approx(0.25, abs=0.02)
    assert len(found.cycles) == found.cyclic
