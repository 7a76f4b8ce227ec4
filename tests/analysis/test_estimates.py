"""Means of moves, of games and of numbers that hang together in clusters, and their errors."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings, strategies as st
from scipy.stats import t as student

from foible.analysis.estimates import (
    ClusterMeans,
    Estimate,
    FamilyMean,
    Sample,
    combination,
    compare,
    difference,
    family_mean,
    mean,
    mean_over_games,
    means_by,
    ratio,
    share_of_games,
)
from tests.analysis.quality.judged import few_examples

losses = st.lists(st.integers(0, 400).map(lambda value: value / 4), min_size=2, max_size=30)


def of(values: Sequence[float | None], clusters: Sequence[int] | None = None) -> Sample:
    return Sample.of(pl.Series(values, dtype=pl.Float64), pl.Series(clusters or range(len(values)), dtype=pl.UInt32))


def test_a_mean_by_hand() -> None:
    # Clusters 5 and 9: residuals −2 and 0 in the one, 2 in the other, so that each is off by ∓2 / 3.
    found = mean(of([1.0, 3.0, 5.0], [5, 5, 9]))
    assert (found.n, found.clusters, found.value) == (3, 2, 3.0)
    assert found.independent_error == pytest.approx(2 / math.sqrt(3))
    assert found.standard_error == pytest.approx(math.sqrt(2 * 2 * (2 / 3) ** 2))


def test_too_few_moves_leave_numbers_undefined() -> None:
    assert mean(of([])) == Estimate(0, 0, None, None, None)
    assert mean(of([None, 4.0])) == Estimate(1, 1, 4.0, None, None)
    assert mean(of([4.0, 6.0], [1, 1])) == Estimate(2, 1, 5.0, 1.0, None)
    assert difference(of([4.0, 6.0]), of([])) == Estimate(2, 2, None, None, None)


@few_examples
@given(losses)
def test_clusters_of_one_move_give_the_plain_error_of_a_mean(values: list[float]) -> None:
    found = mean(of(values))
    assert found.standard_error == pytest.approx(found.independent_error)


@few_examples
@given(losses, losses)
def test_clusters_of_one_move_give_the_plain_error_of_a_difference_up_to_small_samples(
    first: list[float], second: list[float]
) -> None:
    n, m = len(first), len(second)
    found = difference(of(first), of(second, range(n, n + m)))
    variances = np.var(first) / n + np.var(second) / m
    assert found.independent_error == pytest.approx(math.sqrt(np.var(first, ddof=1) / n + np.var(second, ddof=1) / m))
    assert found.standard_error == pytest.approx(math.sqrt((n + m) / (n + m - 1) * variances))


@few_examples
@given(losses, st.integers(1, 9))
def test_a_cluster_counted_again_adds_nothing_to_the_clustered_error(values: list[float], times: int) -> None:
    # Whole clusters of equal moves carry the information of one move each.
    clusters = list(range(len(values)))
    found = mean(of(values * times, clusters * times))
    assert found.value == pytest.approx(math.fsum(values) / len(values))
    assert found.standard_error == pytest.approx(mean(of(values)).independent_error)


@few_examples
@given(losses, st.integers(2, 9))
def test_more_data_of_the_same_kind_leave_the_mean_and_shrink_both_errors(values: list[float], times: int) -> None:
    n = len(values)
    once, more = mean(of(values)), mean(of(values * times))
    assert more.value == pytest.approx(once.value)
    shrink = math.sqrt((n - 1) / (times * n - 1))
    assert once.independent_error is not None
    assert more.independent_error == pytest.approx(once.independent_error * shrink)
    assert more.standard_error == pytest.approx(once.independent_error * shrink)


@few_examples
@given(losses)
def test_samples_that_move_together_cancel_in_the_clustered_error(values: list[float]) -> None:
    found = difference(of(values), of([value + 1 for value in values]))
    assert found.value == pytest.approx(-1)
    assert found.standard_error == pytest.approx(0, abs=1e-9)


def test_the_clustered_error_is_that_of_the_game_level_simulation() -> None:
    # Moves of a cluster share a shift: the independent error promises too much, the other what repetition shows.
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(200), 20)

    def drawn() -> Estimate:
        values = rng.normal(0, 1, 200)[clusters] + rng.normal(0, 1, clusters.size)
        return mean(Sample.of(pl.Series(values), pl.Series(clusters)))

    runs = [drawn() for _ in range(300)]
    spread = float(np.std([run.value or 0 for run in runs], ddof=1))
    assert np.mean([run.standard_error or 0 for run in runs]) == pytest.approx(spread, rel=0.1)
    assert np.mean([run.independent_error or 0 for run in runs]) < 0.4 * spread


def test_the_error_of_a_ratio_is_that_of_repetition() -> None:
    rng = np.random.default_rng(6)
    runs = [ratio(*(of((rng.random(400) < p).astype(float).tolist()) for p in (0.3, 0.2))) for _ in range(400)]
    spread = float(np.std([run.value or 0 for run in runs], ddof=1))
    assert np.mean([run.independent_error or 0 for run in runs]) == pytest.approx(spread, rel=0.1)


def test_a_ratio_to_zero_is_undefined() -> None:
    assert ratio(of([1.0, 2.0]), of([0.0, 0.0])) == Estimate(4, 2, None, None, None)
    assert ratio(of([1.0, 2.0]), of([])).value is None


@few_examples
@given(losses, losses)
def test_a_comparison_holds_both_means_and_their_difference(first: list[float], second: list[float]) -> None:
    found = compare(of(first), of(second))
    assert found.first == mean(of(first))
    assert found.second == mean(of(second))
    assert found.difference == combination([(1.0, of(first)), (-1.0, of(second))])
    assert found.first.value is not None
    assert found.second.value is not None
    assert found.difference.value == pytest.approx(found.first.value - found.second.value, abs=1e-9)


def test_tests_use_either_error() -> None:
    found = Estimate(10, 5, 2.0, 1.0, 0.5)
    assert found.independent_test is not None
    assert found.test is not None
    assert (found.independent_test.z, found.test.z) == (2.0, 4.0)
    assert (-found).value == -2.0
    assert replace(found, independent_error=None).independent_test is None


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=30))
def test_the_error_of_a_mean_is_its_deviation_over_root_n(values: list[int]) -> None:
    found = mean_over_games(values)
    assert found.value == pytest.approx(statistics.mean(values))
    alike = len(set(values)) == 1
    assert found.standard_error == (None if alike else pytest.approx(statistics.stdev(values) / math.sqrt(len(values))))


@given(st.integers(0, 300), st.integers(1, 300), st.integers(2, 30))
@example(total=1, count=49, games=2)
def test_games_that_are_all_alike_tell_no_error(total: int, count: int, games: int) -> None:
    assert mean_over_games([total] * games, [count] * games).standard_error is None


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 40)), min_size=2, max_size=30))
def test_the_error_of_a_share_of_plies_is_clustered_by_game(games: list[tuple[int, int]]) -> None:
    clusters = ClusterMeans()
    for total, count in games:
        clusters.add(np.array(float(total * (count > 0))), count)
    found = mean_over_games([total for total, _ in games], [count for _, count in games])
    expected = (float(clusters.mean), float(clusters.standard_error))
    value, error = (None if math.isnan(x) else x for x in expected)
    assert found.value == pytest.approx(value, abs=1e-6)
    assert (found.standard_error or 0.0) == pytest.approx(error or 0.0, abs=1e-6), "alike games tell no error"
    assert found.clusters == sum(count > 0 for _, count in games)


@given(st.lists(st.booleans(), max_size=40))
def test_a_share_is_the_mean_of_ones_and_zeros(flags: list[bool]) -> None:
    found, mean = share_of_games(sum(flags), len(flags)), mean_over_games([float(flag) for flag in flags])
    assert found.n == mean.n
    assert found.value == pytest.approx(mean.value)
    assert found.standard_error == pytest.approx(mean.standard_error)


@settings(max_examples=40)
@given(st.lists(st.lists(st.floats(-5, 5), min_size=1, max_size=6), min_size=2, max_size=8))
def test_errors_are_those_of_a_ratio_over_clusters(clusters: list[list[float]]) -> None:
    means = ClusterMeans(1)
    for cluster in clusters:
        means.add(np.array([sum(cluster)]), [len(cluster)])
    everything = [value for cluster in clusters for value in cluster]
    mean, n, g = sum(everything) / len(everything), len(everything), len(clusters)
    squares = sum((sum(cluster) - mean * len(cluster)) ** 2 for cluster in clusters)
    assert means.mean[0] == pytest.approx(mean)
    assert means.standard_error[0] == pytest.approx(math.sqrt(g / (g - 1) * squares) / n, abs=1e-6)


def test_clusters_of_one_have_the_ordinary_error_and_repeats_do_not_shrink_it() -> None:
    values = np.random.default_rng(1).normal(size=50)
    single, tenfold = ClusterMeans(1), ClusterMeans(1)
    for value in values:
        single.add(np.array([value]), 1)
        tenfold.add(np.array([10 * value]), 10)
    assert single.standard_error[0] == pytest.approx(values.std(ddof=1) / math.sqrt(50))
    assert tenfold.standard_error[0] == pytest.approx(single.standard_error[0])
    assert np.isnan(ClusterMeans(2).mean).all()
    assert np.isnan(ClusterMeans(2).standard_error).all()


RNG = np.random.default_rng(1)
VALUES, FAMILIES, KEYS = RNG.random(60), RNG.integers(7, size=60), RNG.integers(3, size=60) / 2


def test_families_are_the_units_of_the_error() -> None:
    found = family_mean(VALUES, FAMILIES)
    sums = [sum(VALUES[one == FAMILIES] - VALUES.mean()) for one in range(7)]
    assert (found.n, found.families) == (60, 7)
    assert found.value == pytest.approx(VALUES.mean())
    assert found.standard_error == pytest.approx(math.sqrt(7 / 6 * sum(one**2 for one in sums)) / 60)


def test_families_of_one_each_give_the_error_of_independent_values() -> None:
    assert family_mean(VALUES, np.arange(60)).standard_error == pytest.approx(VALUES.std(ddof=1) / math.sqrt(60))


def test_values_that_repeat_within_families_do_not_make_the_error_smaller() -> None:
    once = family_mean(VALUES, np.arange(60))
    assert family_mean(np.repeat(VALUES, 10), np.repeat(np.arange(60), 10)).standard_error == pytest.approx(
        once.standard_error
    )


def test_each_key_has_its_own_mean() -> None:
    found = means_by(KEYS, VALUES, FAMILIES)
    assert list(found) == [0.0, 0.5, 1.0]
    for key, one in found.items():
        alone = family_mean(VALUES[key == KEYS], FAMILIES[key == KEYS])
        assert (one.n, one.families) == (alone.n, alone.families)
        assert (one.value, one.standard_error) == pytest.approx((alone.value, alone.standard_error))


def test_means_of_different_families_add_up() -> None:
    one, two = family_mean(VALUES[:20], FAMILIES[:20]), family_mean(VALUES[20:], FAMILIES[20:])
    together = family_mean(VALUES, np.append(FAMILIES[:20], 7 + FAMILIES[20:]))
    assert ((one + two).value, (one + two).standard_error) == pytest.approx((together.value, together.standard_error))


def test_nothing_has_no_mean_and_one_family_no_error() -> None:
    nothing = family_mean(np.zeros(0), np.zeros(0, np.int64))
    assert (nothing, nothing.value, nothing.standard_error) == (FamilyMean(), None, None)
    assert family_mean(VALUES, np.zeros(60, np.int64)).standard_error is None


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1])
def test_what_has_not_varied_yet_has_no_error(value: float) -> None:
    found = family_mean(np.full(60, value), FAMILIES)
    assert found.value == pytest.approx(value)
    assert found.standard_error is None
    nearly = family_mean(np.append(np.full(59, value), value + 1e-3), np.arange(60))
    assert nearly.standard_error == pytest.approx(1e-3 / 60)


def test_few_moves_are_tested_by_students_t() -> None:
    first, second = [0.0, 1.0], [4.0, 5.0, 4.5]
    found = difference(of(first), of(second)).independent_test
    assert found is not None
    assert found.p_two_sided == pytest.approx(2 * student.sf(abs(found.z), len(first) + len(second) - 2))
