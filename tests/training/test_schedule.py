import json
import math
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from foible.training.schedule import ConstantSchedule, CosineSchedule, Schedule, TriangleSchedule
from tests.shared_data import shared


def test_the_triangle_is_the_papers() -> None:
    golden = json.loads(shared("golden/lr_schedule.json").read_text())
    schedule = TriangleSchedule(max_lr=golden["max_lr"], min_lr=golden["min_lr"])
    for steps, points in golden["schedules"].items():
        for point in points:
            found = schedule.at(point["it"], int(steps))
            assert found.lr == pytest.approx(point["lr"], abs=1e-9)
            assert found.momentum == pytest.approx(point["momentum"], abs=1e-9)


def test_the_triangle_peaks_at_11_60ths_where_momentum_is_least() -> None:
    rates = [TriangleSchedule().at(step, 600) for step in range(600)]
    peak = max(range(600), key=lambda step: rates[step].lr)
    assert peak == 110
    assert rates[peak].lr == 0.14
    assert rates[peak].momentum == pytest.approx(0.8)
    assert rates[0] == (1e-5, 0.95)


def test_the_cosine_rises_in_a_line_then_falls_all_the_way() -> None:
    schedule = CosineSchedule(max_lr=1.0, min_lr=0.25, warmup=0.1)
    rates = [schedule.at(step, 100).lr for step in range(101)]
    assert rates[:10] == pytest.approx([(step + 1) / 11 for step in range(10)])
    assert rates[10] == 1
    assert all(a > b for a, b in pairwise(rates[10:]))
    assert rates[55] == pytest.approx((1 + 0.25) / 2)
    assert rates[100] == pytest.approx(0.25)


def test_a_constant_rate_has_the_optimisers_own_momentum() -> None:
    assert {ConstantSchedule(lr=1e-5).at(step, 50) for step in range(50)} == {(1e-5, None)}


def test_the_foot_of_a_flat_triangle_is_not_below_its_lowest_rate() -> None:
    schedule = TriangleSchedule(max_lr=2e-5, min_lr=1e-5)
    rates = [schedule.at(step, 3000) for step in range(3000)]
    assert all(1e-5 <= rate.lr <= 2e-5 for rate in rates)
    assert all(0.8 <= (rate.momentum or 0) <= 0.95 for rate in rates)


@given(
    st.sampled_from([TriangleSchedule(), CosineSchedule(warmup=0.5), ConstantSchedule(lr=0.1, warmup=0.9)]),
    st.integers(1, 500),
    st.data(),
)
def test_every_step_of_every_length_has_a_rate_within_bounds(
    schedule: Schedule, steps: int, data: st.DataObject
) -> None:
    rates = schedule.at(data.draw(st.integers(0, steps - 1)), steps)
    assert 0 < rates.lr <= 0.14
    assert math.isfinite(rates.lr)
