"""How long the rest of a sweep takes."""

import pytest
from hypothesis import given, strategies as st

from foible.arena.sweep.config import Cell, parse_sweep
from foible.arena.sweep.progress import TimeLeft

TEXT = """
[match]
framework = "standard"
games = 10
[grid]
nodes = [10, 40, 100]
players = [{ kind = "net_search", net = "material" }]
opponents = [{ kind = "random" }]
"""
CELLS: tuple[Cell, ...] = parse_sweep(TEXT, "s.toml")


@given(st.integers(0, 8), st.integers(0, 10), st.integers(1, 5))
def test_where_games_cost_by_their_visits_the_time_left_is_exact(first: int, second: int, workers: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        now = 100.0
        patch.setattr("foible.arena.sweep.progress.time.monotonic", lambda: now)
        time_left = TimeLeft(CELLS, [2, 0, 10])
        now += 5.0
        progress = time_left.progress([2 + first, second, 10], [False] * 3, workers)
    played, missing = first * 10 + second * 40, (8 - first) * 10 + (10 - second) * 40
    assert progress.left == (pytest.approx(5.0 * missing / played) if played else None)
    assert progress.rate == pytest.approx((first + second) / 5)
    assert (progress.finished, progress.total, progress.workers) == (12 + first + second, 30, workers)


def test_a_cell_that_a_test_has_ended_comes_to_no_more_games() -> None:
    with pytest.MonkeyPatch.context() as patch:
        now = 100.0
        patch.setattr("foible.arena.sweep.progress.time.monotonic", lambda: now)
        time_left = TimeLeft(CELLS, [0, 0, 0])
        now += 20.0
        progress = time_left.progress([4, 0, 0], [True, False, False])
    assert (progress.finished, progress.total) == (4, 24)
    assert progress.left == pytest.approx((10 * 40 + 10 * 100) * 0.5)
