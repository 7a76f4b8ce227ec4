"""What counts as a distribution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.errors import EvaluationError
from foible.opponents.distribution import normalised


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60).filter(lambda values: sum(values) > 1e-300))
def test_whatever_is_not_negative_sums_to_one_in_the_same_proportions(values: list[float]) -> None:
    found = normalised(np.array(values))
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found * sum(values) == pytest.approx(values, rel=1e-9, abs=1e-300)


def test_zeros_stay_zeros() -> None:
    assert normalised(np.array([0.0, 2.0, 0.0])).tolist() == [0, 1, 0]


def test_a_sum_that_is_off_is_refused_only_if_asked() -> None:
    published = np.array([0.6, 0.3, 0.1, 0.1])
    assert normalised(published).tolist() == pytest.approx([6 / 11, 3 / 11, 1 / 11, 1 / 11])
    with pytest.raises(EvaluationError, match=r"sum to 1\.1, expected 1 within 0\.001"):
        normalised(published, strict=True)
    assert normalised(published / 1.0995, strict=True).sum() == pytest.approx(1)


@pytest.mark.parametrize("values", [[-0.1, 1.1], [np.nan, 1.0], [np.inf, 0.0], [0.0, 0.0], []])
def test_what_is_no_distribution_is_an_error(values: list[float]) -> None:
    with pytest.raises(EvaluationError):
        normalised(np.array(values))
