import pytest

from foible.analysis.runs import Pace, Standing
from foible.analysis.runs.run_progress import WINDOW


def test_a_rate_is_known_once_the_count_has_grown() -> None:
    pace = Pace()
    for now in (100.0, 101.0):
        pace.look(now, 10)
        assert pace.rate is None
        assert pace.left(Standing(10, 30, "games")) is None
    pace.look(104.0, 14)
    assert pace.rate == pytest.approx(1.0)
    assert pace.left(Standing(14, 30, "games")) == pytest.approx(16.0)
    assert pace.left(Standing(14, None, "games")) is None
    assert pace.left(Standing(30, 30, "games")) == 0


def test_a_rate_forgets_what_is_long_ago_and_counts_that_fell() -> None:
    pace = Pace()
    for now, done in ((0.0, 0), (1.0, 1000), (WINDOW + 10, 1000), (WINDOW + 20, 1010)):
        pace.look(now, done)
    assert pace.rate == pytest.approx(10 / (WINDOW + 19))
    pace.look(WINDOW + 30, 3)
    assert pace.rate is None
