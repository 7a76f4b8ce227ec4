import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.analysis.calibration.means import ClusterMeans
from foible.analysis.games.measures import mean_of, share_of


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=30))
def test_the_error_of_a_mean_is_its_deviation_over_root_n(values: list[int]) -> None:
    found = mean_of(values)
    assert found.value == pytest.approx(statistics.mean(values))
    assert found.se == pytest.approx(statistics.stdev(values) / math.sqrt(len(values)))


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 40)), min_size=2, max_size=30))
def test_the_error_of_a_share_of_plies_is_clustered_by_game(games: list[tuple[int, int]]) -> None:
    clusters = ClusterMeans()
    for total, count in games:
        clusters.add(np.array(float(total * (count > 0))), count)
    found = mean_of([total for total, _ in games], [count for _, count in games])
    expected = (float(clusters.mean), float(clusters.standard_error))
    assert (found.value, found.se) == pytest.approx(tuple(None if math.isnan(x) else x for x in expected), abs=1e-6)
    assert found.clusters == sum(count > 0 for _, count in games)


@given(st.lists(st.booleans(), max_size=40))
def test_a_share_is_the_mean_of_ones_and_zeros(flags: list[bool]) -> None:
    found, mean = share_of(sum(flags), len(flags)), mean_of([float(flag) for flag in flags])
    assert found.n == mean.n
    assert found.value == pytest.approx(mean.value)
    assert found.se == pytest.approx(mean.se)
