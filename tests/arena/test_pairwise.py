"""Elo from all results."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from foible.arena.elo import elo_of_share
from foible.arena.pairwise import Pairwise, pairwise, ratings
from foible.errors import ConfigError


def test_results_are_seen_from_both_sides() -> None:
    found = pairwise({("a", "b"): (3.5, 5), ("c", "a"): (0, 2)})
    assert found.names == ("a", "b", "c")
    assert found.points.tolist() == [[0, 3.5, 2], [1.5, 0, 0], [0, 0, 0]]
    assert found.games.tolist() == [[0, 5, 2], [5, 0, 0], [2, 0, 0]]
    assert found.shares[0, 1] == 0.7
    assert found.shares[1, 0] == pytest.approx(0.3)
    assert math.isnan(found.shares[1, 2])


@given(st.integers(1, 99))
def test_of_two_players_it_is_the_elo_of_the_share(won: int) -> None:
    found = ratings(pairwise({("a", "b"): (won, 100)}))
    assert found.elo[0] - found.elo[1] == pytest.approx(elo_of_share(won / 100))
    # Each error is that of half the difference: the mean of both is held.
    p = won / 100
    assert 2 * found.errors[0] == pytest.approx(400 / math.log(10) / math.sqrt(100 * p * (1 - p)))


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
        said.append(one.errors)
    assert np.mean(found, axis=0) == pytest.approx(strength - strength.mean(), abs=5)
    assert np.std(found, axis=0) == pytest.approx(np.mean(said, axis=0), rel=0.12)


def test_results_without_an_end_are_refused_or_tamed() -> None:
    unbeaten = pairwise({("a", "b"): (10, 10), ("b", "c"): (5, 10)})
    with pytest.raises(ConfigError, match="no chain of wins leads from b to a"):
        ratings(unbeaten)
    tamed = ratings(unbeaten, draws=1.0)
    assert tamed.elo[0] > tamed.elo[1] == pytest.approx(tamed.elo[2])
    strangers = pairwise({("a", "b"): (5, 10), ("c", "d"): (5, 10)})
    with pytest.raises(ConfigError, match="no chain of wins leads from a to c"):
        ratings(strangers, draws=1.0)


def test_hundreds_of_one_sided_games_find_their_elo() -> None:
    names = [f"g{i}" for i in range(12)]
    results = {(names[j], names[i]): (100, 100) for i in range(12) for j in range(i + 1, 12)}
    found = ratings(pairwise(results), draws=1.0)
    by_name = dict(zip(found.names, found.elo, strict=True))
    assert sorted(by_name, key=by_name.__getitem__) == names
    assert np.isfinite(found.errors).all()
