import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from foible.arena.shares import DecisiveRatio, Share, decisive_ratio

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
