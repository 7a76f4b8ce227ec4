"""Means of numbers that hang together in families."""

import math

import numpy as np
import pytest

from foible.analysis.go.families import FamilyMean, mean_of, means_by

RNG = np.random.default_rng(1)
VALUES, FAMILIES, KEYS = RNG.random(60), RNG.integers(7, size=60), RNG.integers(3, size=60) / 2


def test_families_are_the_units_of_the_error() -> None:
    found = mean_of(VALUES, FAMILIES)
    sums = [sum(VALUES[one == FAMILIES] - VALUES.mean()) for one in range(7)]
    assert (found.n, found.families) == (60, 7)
    assert found.value == pytest.approx(VALUES.mean())
    assert found.error == pytest.approx(math.sqrt(7 / 6 * sum(one**2 for one in sums)) / 60)


def test_families_of_one_each_give_the_error_of_independent_values() -> None:
    assert mean_of(VALUES, np.arange(60)).error == pytest.approx(VALUES.std(ddof=1) / math.sqrt(60))


def test_values_that_repeat_within_families_do_not_make_the_error_smaller() -> None:
    once = mean_of(VALUES, np.arange(60))
    assert mean_of(np.repeat(VALUES, 10), np.repeat(np.arange(60), 10)).error == pytest.approx(once.error)


def test_each_key_has_its_own_mean() -> None:
    found = means_by(KEYS, VALUES, FAMILIES)
    assert list(found) == [0.0, 0.5, 1.0]
    for key, one in found.items():
        alone = mean_of(VALUES[key == KEYS], FAMILIES[key == KEYS])
        assert (one.n, one.families) == (alone.n, alone.families)
        assert (one.value, one.error) == pytest.approx((alone.value, alone.error))


def test_means_of_different_families_add_up() -> None:
    one, two = mean_of(VALUES[:20], FAMILIES[:20]), mean_of(VALUES[20:], FAMILIES[20:])
    together = mean_of(VALUES, np.append(FAMILIES[:20], 7 + FAMILIES[20:]))
    assert ((one + two).value, (one + two).error) == pytest.approx((together.value, together.error))


def test_nothing_has_no_mean_and_one_family_no_error() -> None:
    nothing = mean_of(np.zeros(0), np.zeros(0, np.int64))
    assert (nothing, nothing.value, nothing.error) == (FamilyMean(), None, None)
    assert mean_of(VALUES, np.zeros(60, np.int64)).error is None


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1])
def test_what_has_not_varied_yet_has_no_error(value: float) -> None:
    found = mean_of(np.full(60, value), FAMILIES)
    assert found.value == pytest.approx(value)
    assert found.error is None
    nearly = mean_of(np.append(np.full(59, value), value + 1e-3), np.arange(60))
    assert nearly.error == pytest.approx(1e-3 / 60)
