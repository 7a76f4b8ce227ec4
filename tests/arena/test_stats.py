"""Scores, their errors and tests against golden numbers; intervals of shares."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binomtest

from foible.arena.stats import (
    DecisiveRatio,
    Share,
    Significance,
    Tally,
    clustered_mean,
    decisive_ratio,
    t_quantile,
    t_test,
    z_test,
)
from tests.shared_data import shared

games = st.tuples(*[st.integers(0, 2000)] * 3).map(Tally)
pairs = st.tuples(*[st.integers(0, 2000)] * 5).map(Tally)
tallies = st.one_of(games, pairs)


def golden(group: str) -> list[dict[str, Any]]:
    cases = json.loads(shared("golden/skill_stats.json").read_text())["groups"][group]["cases"]
    assert cases
    return list(cases)


def close(value: float | None, expected: float) -> bool:
    return value is not None and math.isclose(value, expected, rel_tol=0, abs_tol=1e-9)


def test_win_shares_and_errors_equal_the_golden_ones() -> None:
    for case in golden("win_share"):
        given_, expected = case["input"], case["expected"]
        tally = Tally.of_games(given_["W"], given_["D"], given_["L"])
        assert tally.share is not None
        assert tally.standard_error is not None
        assert close(tally.share, expected["share"]), case["id"]
        assert close(tally.standard_error, expected["se"]), case["id"]
        test = z_test(tally.share - 0.5, tally.standard_error)
        assert test is not None
        assert close(test.z, expected["z_vs_half"]), case["id"]
        assert close(test.p_greater, expected["p_one_sided_greater"]), case["id"]
        assert close(test.p_two_sided, expected["p_two_sided"]), case["id"]


def test_paired_errors_equal_the_golden_ones() -> None:
    for case in golden("paired_share"):
        results = [(b, w) for b, w in case["input"]["pairs_focal_black_then_white"]]
        scores = [((b + 1) / 2, (w + 1) / 2) for b, w in results]
        expected = case["expected"]
        by_pair = Tally.of_pairs(scores)
        flat = [score for pair in scores for score in pair]
        by_game = Tally.of_games(flat.count(1.0), flat.count(0.5), flat.count(0.0))
        assert by_game.counts == (expected["L"], expected["D"], expected["W"])
        assert close(by_pair.share, expected["share"]), case["id"]
        assert close(by_pair.sample_error, expected["se_paired"]), case["id"]
        assert close(by_game.standard_error, expected["se_trinomial"]), case["id"]


def test_two_sample_tests_equal_the_golden_ones() -> None:
    for case in golden("two_sample_z"):
        given_, expected = case["input"], case["expected"]
        test = z_test(given_["m1"] - given_["m2"], math.hypot(given_["se1"], given_["se2"]))
        assert test is not None
        assert close(test.z, expected["z"]), case["id"]
        assert close(test.p_greater, expected["p_one_sided_m1_greater"]), case["id"]
        assert close(test.p_two_sided, expected["p_two_sided"]), case["id"]


@settings(deadline=None)
@given(games)
def test_the_error_is_the_trinomial_formula(tally: Tally) -> None:
    losses, _, wins = tally.counts
    if tally.n:
        won, lost = wins / tally.n, losses / tally.n
        formula = 0.5 * math.sqrt((won + lost - (won - lost) ** 2) / tally.n)
        assert tally.standard_error == pytest.approx(formula, rel=1e-9, abs=1e-12)
        assert tally.standard_error is not None
        assert tally.standard_error <= 0.5 / math.sqrt(tally.n) + 1e-12


@settings(deadline=None)
@given(tallies)
def test_swapping_sides_flips_the_share_and_keeps_the_error(tally: Tally) -> None:
    assert tally.swapped.swapped == tally
    if tally.n:
        assert tally.share is not None
        assert tally.swapped.share == pytest.approx(1 - tally.share)
        assert tally.swapped.standard_error == pytest.approx(tally.standard_error)


@settings(deadline=None)
@given(st.one_of(st.tuples(games, games), st.tuples(pairs, pairs)))
def test_merging_matches_adds_games_and_averages_shares(both: tuple[Tally, Tally]) -> None:
    a, b = both
    merged = a + b
    assert merged == b + a
    assert merged.n == a.n + b.n
    if a.n and b.n:
        assert a.share is not None
        assert b.share is not None
        assert merged.share == pytest.approx((a.n * a.share + b.n * b.share) / merged.n)


@settings(deadline=None)
@given(tallies)
def test_turning_a_loss_into_something_better_raises_the_share(tally: Tally) -> None:
    if tally.counts[0]:
        better = Tally((tally.counts[0] - 1, tally.counts[1] + 1, *tally.counts[2:]))
        assert better.share is not None
        assert tally.share is not None
        assert better.share > tally.share


def test_games_and_pairs_do_not_merge() -> None:
    with pytest.raises(ValueError, match="zip"):
        Tally((1, 2, 3)) + Tally((1, 2, 3, 4, 5))


@pytest.mark.parametrize("counts", [(1, 2), (1, -2, 3), (1, 2, 3, 4)])
def test_a_tally_of_other_shape_is_refused(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="3 or 5 counts"):
        Tally(counts)


def test_without_games_nothing_is_claimed() -> None:
    empty = Tally((0, 0, 0))
    assert empty.share is None
    assert empty.standard_error is None
    assert empty.sample_error is None
    assert Tally((0, 0, 0, 0, 1)).sample_error is None


def test_results_that_are_all_alike_tell_no_error() -> None:
    assert Tally((0, 0, 2, 0, 0)).sample_error is None
    assert Tally((0, 0, 0, 0, 2)).sample_error is None


def test_a_difference_without_error_has_no_z() -> None:
    assert z_test(0.5, 0.0) is None
    assert z_test(0.0, 1.0) == Significance(0.0, 0.5, 1.0)


# Quantiles of Student's t, two-sided: Abramowitz and Stegun, table 26.10.
QUANTILES = [
    (1, 12.706, 0.05),
    (1, 63.657, 0.01),
    (2, 4.303, 0.05),
    (3, 3.182, 0.05),
    (5, 4.032, 0.01),
    (10, 2.228, 0.05),
    (19, 2.861, 0.01),
    (30, 2.042, 0.05),
    (120, 1.980, 0.05),
]


@pytest.mark.parametrize(("freedom", "t", "p"), QUANTILES)
def test_few_degrees_of_freedom_ask_for_more(freedom: int, t: float, p: float) -> None:
    found, mirrored = t_test(t, 1.0, freedom), t_test(-2 * t, 2.0, freedom)
    assert found is not None
    assert mirrored is not None
    assert found.p_two_sided == pytest.approx(p, rel=3e-3)
    assert found.p_greater == pytest.approx(p / 2, rel=3e-3)
    assert mirrored.z == -t
    assert mirrored.p_greater == pytest.approx(1 - p / 2, rel=3e-3)


@given(st.floats(0.001, 0.5), st.integers(1, 300))
def test_a_quantile_is_exceeded_with_its_probability(level: float, freedom: int) -> None:
    found = t_test(t_quantile(level, freedom), 1.0, freedom)
    assert found is not None
    assert found.p_two_sided == pytest.approx(level, rel=1e-6)


@given(st.floats(-6, 6), st.integers(1, 3000))
def test_student_nears_the_normal_distribution_from_above(t: float, freedom: int) -> None:
    normal, found, more = z_test(t, 1.0), t_test(t, 1.0, freedom), t_test(t, 1.0, freedom + 1)
    assert normal is not None
    assert found is not None
    assert more is not None
    assert 1 >= found.p_two_sided >= more.p_two_sided - 1e-12 >= normal.p_two_sided - 2e-12
    assert t_test(t, 0.0, freedom) is None
    if freedom > 500:
        assert found.p_two_sided == pytest.approx(normal.p_two_sided, abs=1e-3)


COUNTS = st.integers(0, 500)


@given(COUNTS, st.integers(1, 500))
def test_the_ratio_is_decided_games_over_draws_with_wilsons_interval(decisive: int, draws: int) -> None:
    found = decisive_ratio(decisive, draws)
    wilson = binomtest(decisive, decisive + draws).proportion_ci(method="wilson")
    assert found.value == decisive / draws
    assert found.low is not None
    assert found.high is not None
    assert found.low == pytest.approx(wilson.low / (1 - wilson.low), abs=1e-9)
    assert found.high == pytest.approx(wilson.high / (1 - wilson.high))
    assert found.low <= found.value <= found.high


@given(st.integers(1, 500))
def test_without_draws_the_ratio_has_only_a_lower_bound(decisive: int) -> None:
    found = decisive_ratio(decisive, 0)
    low = binomtest(decisive, decisive).proportion_ci(method="wilson").low
    assert (found.value, found.high) == (None, None)
    assert found.low == pytest.approx(low / (1 - low))
    assert str(found) == f"∞ [{found.low:.3f}, ∞]"


def test_without_games_there_is_no_ratio() -> None:
    assert decisive_ratio(0, 0) == DecisiveRatio(None, None, None)
    assert str(decisive_ratio(0, 0)) == "–"


def test_draws_alone_have_the_ratio_zero() -> None:
    found = decisive_ratio(0, 20)
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high is not None
    assert 0 < found.high < 0.3


def test_wilsons_interval_is_that_of_the_literature() -> None:
    """Newcombe, Statistics in Medicine 17, 1998, table I."""
    for count, n, expected in ((81, 263, (0.2553, 0.3662)), (15, 148, (0.0624, 0.1605)), (0, 20, (0.0, 0.1611))):
        assert Share(count, n).interval == pytest.approx(expected, abs=5e-5)
    assert Share(0, 0).interval == (0.0, 1.0)
    assert Share(0, 0).value is None


def test_values_that_are_the_same_throughout_a_cluster_count_once_in_the_error() -> None:
    means, names = np.array([0.0, 1.0, 2.0]), np.array([7, 2, 5])
    mean, error = clustered_mean(np.repeat(means, 4), np.repeat(names, 4))
    assert mean == 1
    assert error == pytest.approx(means.std(ddof=1) / math.sqrt(3))
    assert clustered_mean(means, np.zeros(3)) == (1.0, None)
