import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foible.analysis.calibration.means import ClusterMeans


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
