import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from foible.analysis.calibration.means import ClusterMeans
from foible.analysis.games.measures import DecisiveRatio, decisive_ratio, mean_of, share_of

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
