"""Means of numbers that hang together in clusters."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foible.analysis.clustered_means import ClusterMeans, FamilyMean, family_mean, means_by


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
    assert found.error == pytest.approx(math.sqrt(7 / 6 * sum(one**2 for one in sums)) / 60)


def test_families_of_one_each_give_the_error_of_independent_values() -> None:
    assert family_mean(VALUES, np.arange(60)).error == pytest.approx(VALUES.std(ddof=1) / math.sqrt(60))


def test_values_that_repeat_within_families_do_not_make_the_error_smaller() -> None:
    once = family_mean(VALUES, np.arange(60))
    assert family_mean(np.repeat(VALUES, 10), np.repeat(np.arange(60), 10)).error == pytest.approx(once.error)


def test_each_key_has_its_own_mean() -> None:
    found = means_by(KEYS, VALUES, FAMILIES)
    assert list(found) == [0.0, 0.5, 1.0]
    for key, one in found.items():
        alone = family_mean(VALUES[key == KEYS], FAMILIES[key == KEYS])
        assert (one.n, one.families) == (alone.n, alone.families)
        assert (one.value, one.error) == pytest.approx((alone.value, alone.error))


def test_means_of_different_families_add_up() -> None:
    one, two = family_mean(VALUES[:20], FAMILIES[:20]), family_mean(VALUES[20:], FAMILIES[20:])
    together = family_mean(VALUES, np.append(FAMILIES[:20], 7 + FAMILIES[20:]))
    assert ((one + two).value, (one + two).error) == pytest.approx((together.value, together.error))


def test_nothing_has_no_mean_and_one_family_no_error() -> None:
    nothing = family_mean(np.zeros(0), np.zeros(0, np.int64))
    assert (nothing, nothing.value, nothing.error) == (FamilyMean(), None, None)
    assert family_mean(VALUES, np.zeros(60, np.int64)).error is None


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1])
def test_what_has_not_varied_yet_has_no_error(value: float) -> None:
    found = family_mean(np.full(60, value), FAMILIES)
    assert found.value == pytest.approx(value)
    assert found.error is None
    nearly = family_mean(np.append(np.full(59, value), value + 1e-3), np.arange(60))
    assert nearly.error == pytest.approx(1e-3 / 60)
