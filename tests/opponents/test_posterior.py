"""Bayes over levels."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.opponents.posterior import Posterior, evidence, log_prior, posterior, predictive
from tests.shared_data import shared

LEVELS = tuple(range(1100, 2000, 100))
shares = st.lists(st.floats(0, 1), min_size=9, max_size=9).filter(lambda p: sum(p) > 1e-6)
observations = st.lists(st.tuples(shares, st.integers(2, 60)), max_size=12)


def seen(moves: list[tuple[list[float], int]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return sum((evidence(np.array(p), n) for p, n in moves), np.zeros(9))


def test_posteriors_agree_with_the_reference_to_nine_digits() -> None:
    cases = json.loads(shared("golden/skill_stats.json").read_text())["groups"]["level_posterior"]["cases"]
    assert len(cases) > 5
    for case in cases:
        given_, expected = case["input"], case["expected"]
        assert given_["prior"] == "uniform"
        told = [
            evidence(np.array(move["p_by_level"]), move["n_legal"], given_["floor_eps"])
            for move in given_["observations"]
        ]
        levels = given_["levels"]
        found = posterior(levels, log_prior(levels), np.sum(told, axis=0), given_["tau"])
        replies = predictive(found.probabilities, np.array(given_["next_reply_probs_by_level"]))
        assert found.probabilities == pytest.approx(expected["posterior"], abs=1e-9)
        assert found.map == expected["map_level"]
        assert found.mean == pytest.approx(expected["mean_level"], abs=1e-9 * 1900)
        assert replies == pytest.approx(expected["predictive"], abs=1e-9)


@given(observations, st.permutations(range(9)))
def test_renaming_the_levels_renames_the_posterior(moves: list[tuple[list[float], int]], order: list[int]) -> None:
    straight = posterior(LEVELS, log_prior(LEVELS), seen(moves)).probabilities
    shuffled = [([p[i] for i in order], n) for p, n in moves]
    assert posterior(LEVELS, log_prior(LEVELS), seen(shuffled)).probabilities == pytest.approx(straight[order])


@given(observations, st.integers(2, 60), st.floats(0, 1))
def test_a_move_that_all_levels_play_alike_says_nothing(
    moves: list[tuple[list[float], int]], legal: int, p: float
) -> None:
    before = posterior(LEVELS, log_prior(LEVELS), seen(moves))
    after = posterior(LEVELS, log_prior(LEVELS), seen([*moves, ([p] * 9, legal)]))
    assert after.probabilities == pytest.approx(before.probabilities)


@given(observations)
def test_the_order_of_the_moves_does_not_matter(moves: list[tuple[list[float], int]]) -> None:
    there, back = seen(moves), seen(moves[::-1])
    prior = log_prior(LEVELS, 1540)
    assert posterior(LEVELS, prior, there).probabilities == pytest.approx(posterior(LEVELS, prior, back).probabilities)


@given(shares, st.floats(0.05, 0.95))
def test_the_interval_holds_its_mass_and_no_level_too_many(values: list[float], mass: float) -> None:
    p = np.array(values) / sum(values)
    low, high = Posterior(LEVELS, p).interval(mass)
    assert low <= high
    inside = [x for x, level in zip(p, LEVELS, strict=True) if low <= level <= high]
    below = sum(x for x, level in zip(p, LEVELS, strict=True) if level < low)
    above = sum(x for x, level in zip(p, LEVELS, strict=True) if level > high)
    assert sum(inside) >= mass - 1e-9
    assert max(below, above) <= (1 - mass) / 2 + 1e-9
    assert below + inside[0] >= (1 - mass) / 2 - 1e-9


def test_an_impossible_move_does_not_rule_a_level_out() -> None:
    p = [0.0, *([0.5] * 8)]
    found = posterior(LEVELS, log_prior(LEVELS), seen([(p, 30)] * 3))
    assert 0 < found.probabilities[0] < 1e-3
    assert np.isfinite(found.probabilities).all()


def test_evidence_is_tempered_by_tau() -> None:
    told = seen([([0.1] * 4 + [0.3] * 5, 25)])
    half, exact = posterior(LEVELS, log_prior(LEVELS), told, 0.5), posterior(LEVELS, log_prior(LEVELS), told, 1)
    ratio = exact.probabilities[8] / exact.probabilities[0]
    assert half.probabilities[8] / half.probabilities[0] == pytest.approx(ratio**0.5)


def test_a_stated_rating_makes_a_normal_prior() -> None:
    found = posterior(LEVELS, log_prior(LEVELS, 1500, 150), np.zeros(9))
    assert found.map == 1500
    assert found.mean == pytest.approx(1500)
    ratios = [b / a for a, b in pairwise(found.probabilities)]
    assert ratios[0] == pytest.approx(np.exp((400**2 - 300**2) / (2 * 150**2)))
    assert found.interval() == (1300, 1700)
