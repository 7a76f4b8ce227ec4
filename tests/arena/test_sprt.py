"""The sequential test against published ratios, an independent maximisation, and its own error rates."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from foible.arena.elo import NORMALISED_ELO_UNIT, share_of_elo
from foible.arena.sprt import Floats, Sprt, Verdict, fit_mean, fit_t_value
from foible.arena.stats import Tally
from foible.errors import ConfigError

tallies = st.one_of(st.tuples(*[st.integers(0, 300)] * 3), st.tuples(*[st.integers(0, 300)] * 5)).map(Tally)
tests = st.sampled_from([Sprt(), Sprt(0, 5, model="logistic"), Sprt(-3, 1), Sprt(-3, 1, model="logistic")])


@pytest.mark.parametrize(
    ("counts", "test", "ratio"),
    [
        ((36027, 68692, 36433), Sprt(0, 2), 0.92),
        ((10650, 20431, 10871), Sprt(-1.75, 0.25), 2.30),
        ((21184, 40708, 21404), Sprt(0.5, 2.5, model="logistic"), -1.57),
        ((57030, 106593, 57433), Sprt(0, 2, model="logistic"), -2.59),
        ((365, 16618, 36229, 16974, 390), Sprt(0, 2), 2.25),
        ((127, 4883, 10712, 5150, 104), Sprt(-1.75, 0.25), 3.01),
        ((223, 9863, 21279, 10037, 246), Sprt(0.5, 2.5, model="logistic"), -3.07),
        ((871, 26175, 55983, 26678, 821), Sprt(0, 2, model="logistic"), -4.98),
    ],
)
def test_the_ratio_equals_that_of_the_tools_in_use(counts: tuple[int, ...], test: Sprt, ratio: float) -> None:
    """Matches of Stockfish, with the ratios that fishtest and fastchess report."""
    assert test.llr(Tally(counts)) == pytest.approx(ratio, abs=0.0051)


@pytest.mark.parametrize("counts", [(20, 30, 50), (5, 80, 15), (4, 10, 20, 12, 7), (10, 40, 90, 60, 20)])
@pytest.mark.parametrize("test", [Sprt(0, 30), Sprt(-20, 10, model="logistic")])
def test_the_ratio_is_that_of_the_two_best_fits(counts: tuple[int, ...], test: Sprt) -> None:
    tally = Tally(counts)
    scores, observed = np.array(tally.scores), np.array(counts) / sum(counts)

    def mean_minus_target(p: Floats, elo: float) -> float:
        if test.model == "logistic":
            return float(p @ scores) - share_of_elo(elo)
        mean = p @ scores
        deviation = math.sqrt(tally.games_each * (p @ (scores - mean) ** 2))
        return float(mean - 0.5) - elo / NORMALISED_ELO_UNIT * deviation

    def best(elo: float) -> float:
        found = minimize(
            lambda p: -float(observed @ np.log(p)),
            observed,
            bounds=[(1e-9, 1)] * len(counts),
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": mean_minus_target, "args": (elo,)},
            ],
            options={"ftol": 1e-14, "maxiter": 500},
        )
        return -tally.n * float(found.fun)

    assert test.llr(tally) == pytest.approx(best(test.elo1) - best(test.elo0), abs=2e-4)


@settings(deadline=None)
@given(tallies, tests)
def test_swapping_sides_and_hypotheses_negates_the_ratio(tally: Tally, test: Sprt) -> None:
    mirrored = Sprt(-test.elo1, -test.elo0, model=test.model)
    assert mirrored.llr(tally.swapped) == pytest.approx(-test.llr(tally), abs=1e-5)


@settings(deadline=None)
@given(st.tuples(*[st.integers(5, 300)] * 3), tests)
def test_a_win_for_a_loss_raises_the_ratio(counts: tuple[int, int, int], test: Sprt) -> None:
    losses, draws, wins = counts
    assert test.llr(Tally((losses - 1, draws, wins + 1))) > test.llr(Tally(counts))


@settings(deadline=None)
@given(st.tuples(*[st.integers(1, 300)] * 5), tests)
def test_twice_the_results_give_twice_the_ratio(counts: tuple[int, ...], test: Sprt) -> None:
    once = test.llr(Tally(counts))
    assert test.llr(Tally(counts) + Tally(counts)) == pytest.approx(2 * once, rel=1e-6, abs=1e-6)


@settings(deadline=None)
@given(tallies, st.floats(-200, 200))
def test_fits_meet_their_hypothesis(tally: Tally, elo: float) -> None:
    counts = np.array([c or 1e-3 for c in tally.counts])
    observed, scores = counts / counts.sum(), np.array(tally.scores)
    by_mean = fit_mean(observed, scores - share_of_elo(elo))
    assert by_mean.sum() == pytest.approx(1, abs=1e-6)
    assert by_mean @ scores == pytest.approx(share_of_elo(elo), abs=1e-6)
    t = elo / NORMALISED_ELO_UNIT
    by_t = fit_t_value(observed, scores, t)
    mean = by_t @ scores
    assert (mean - 0.5) / math.sqrt(by_t @ (scores - mean) ** 2) == pytest.approx(t, abs=1e-4)


def test_bounds_are_those_of_wald() -> None:
    lower, upper = Sprt(alpha=0.05, beta=0.1).bounds
    assert lower == pytest.approx(math.log(0.1 / 0.95))
    assert upper == pytest.approx(math.log(0.9 / 0.05))


def test_the_test_errs_no_more_often_than_it_says() -> None:
    rng, test = np.random.default_rng(1), Sprt(0, 60, alpha=0.1, beta=0.1, model="logistic")

    def verdict(elo: float) -> Verdict:
        win = share_of_elo(elo) - 0.2
        tally = Tally((0, 0, 0))
        while True:
            tally += Tally(tuple(int(c) for c in rng.multinomial(10, [1 - 0.4 - win, 0.4, win])))
            said = test.verdict(tally)
            if said is not Verdict.CONTINUE:
                return said

    runs = 150
    assert sum(verdict(0) is Verdict.ACCEPT_H1 for _ in range(runs)) <= 0.1 * runs + 3 * math.sqrt(0.09 * runs)
    assert sum(verdict(60) is Verdict.ACCEPT_H0 for _ in range(runs)) <= 0.1 * runs + 3 * math.sqrt(0.09 * runs)


def test_without_games_the_test_continues() -> None:
    assert Sprt().llr(Tally((0, 0, 0))) == 0
    assert Sprt().verdict(Tally((0, 0, 0, 0, 0))) is Verdict.CONTINUE


@pytest.mark.parametrize(
    "bad",
    [{"elo0": 5, "elo1": 5}, {"alpha": 0}, {"alpha": math.nan}, {"beta": math.nan}, {"alpha": 0.6, "beta": 0.5}],
)
def test_an_impossible_test_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="sprt"):
        Sprt(**bad)
