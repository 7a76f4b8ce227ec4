"""How long the rest of a sweep takes."""

import pytest
from hypothesis import given, strategies as st

from foible.arena.sweep.config import Cell, parse_sweep
from foible.arena.sweep.time_left import SharedTimeLeft, TimeLeft

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


def test_nothing_is_promised_before_a_game_was_finished() -> None:
    time_left = TimeLeft(CELLS, [2, 0, 0])
    time_left.begin(0)
    time_left.tell(0, 2, 0, 5.0)
    progress = time_left.progress(0)
    assert progress.left is None
    assert (progress.finished, progress.all_finished, progress.total, progress.rate) == (2, 2, 30, 0.0)


@given(st.integers(1, 8), st.integers(1, 10), st.floats(0.01, 100))
def test_where_games_cost_by_their_visits_the_time_left_is_exact(first: int, second: int, per_visit: float) -> None:
    time_left = TimeLeft(CELLS, [2, 0, 0])
    time_left.begin(0)
    time_left.tell(0, 2 + first, first, first * 10 * per_visit)
    time_left.begin(1)
    time_left.tell(1, second, second, second * 40 * per_visit)
    progress = time_left.progress(1)
    left = (8 - first) * 10 + (10 - second) * 40 + 10 * 100
    assert progress.left == pytest.approx(left * per_visit)
    assert progress.rate == pytest.approx(1 / (40 * per_visit))
    assert progress.all_finished == 2 + first + second


def test_a_cell_costs_what_its_own_games_did_over_all_rounds() -> None:
    time_left = TimeLeft(CELLS, [0, 10, 10])
    time_left.begin(0)
    time_left.tell(0, 2, 2, 6.0)
    time_left.begin(0)
    time_left.tell(0, 4, 2, 2.0)
    assert time_left.progress(0).left == pytest.approx(6 * 8 / 4)


@given(st.integers(0, 8), st.integers(0, 10), st.integers(1, 5))
def test_cells_that_are_played_at_the_same_time_share_the_time_left(first: int, second: int, workers: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        now = 100.0
        patch.setattr("foible.arena.sweep.time_left.time.monotonic", lambda: now)
        time_left = SharedTimeLeft(CELLS, [2, 0, 10])
        now += 5.0
        progress = time_left.progress([2 + first, second, 10], [False] * 3, workers)
    played, missing = first * 10 + second * 40, (8 - first) * 10 + (10 - second) * 40
    assert progress.left == (pytest.approx(5.0 * missing / played) if played else None)
    assert progress.rate == pytest.approx((first + second) / 5)
    assert (progress.all_finished, progress.total, progress.workers) == (12 + first + second, 30, workers)
    assert progress.cell == CELLS[0 if first < 8 else 1 if second < 10 else 2]


def test_a_cell_that_a_test_has_ended_comes_to_no_more_games() -> None:
    time_left = TimeLeft(CELLS, [0, 0, 0])
    time_left.begin(0)
    time_left.tell(0, 4, 4, 4 * 10 * 0.5)
    time_left.end(0)
    progress = time_left.progress(0)
    assert (progress.all_finished, progress.total) == (4, 4 + 10 + 10)
    assert progress.left == pytest.approx((10 * 40 + 10 * 100) * 0.5)
    with pytest.MonkeyPatch.context() as patch:
        now = 100.0
        patch.setattr("foible.arena.sweep.time_left.time.monotonic", lambda: now)
        shared = SharedTimeLeft(CELLS, [0, 0, 0])
        now += 20.0
        progress = shared.progress([4, 0, 0], [True, False, False], 2)
    assert (progress.all_finished, progress.total, progress.cell) == (4, 24, CELLS[1])
    assert progress.left == pytest.approx((10 * 40 + 10 * 100) * 0.5)
