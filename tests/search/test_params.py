"""The constants of the search."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible.errors import ConfigError
from foible.search.params import PRESETS, MoveChoice, SearchParams, SearchSettings


def test_presets_have_the_published_constants() -> None:
    for params in PRESETS.values():
        assert (params.cpuct, params.cpuct_base, params.cpuct_factor) == (1.745, 38739, 3.894)
        assert (params.fpu, params.fpu_value, params.policy_temperature) == ("reduction", 0.33, 1.359)


def test_settings_are_read_from_text() -> None:
    settings = SearchSettings().with_settings(
        {"cpuct": "2.5", "two_fold_draws": "false", "root_fpu": "absolute", "root_cpuct": "same", "batch": "8"}
    )
    params = settings.params
    assert (params.cpuct, params.two_fold_draws, params.root_fpu, params.root_cpuct, params.batch) == (
        2.5,
        False,
        "absolute",
        None,
        8,
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cpukt": "1"}, "unknown search parameter 'cpukt'"),
        ({"cpuct": "x"}, "a number"),
        ({"cpuct": "nan"}, "cpuct"),
        ({"batch": "0"}, "batch = 0"),
        ({"sticky_endgames": "maybe"}, "true or false"),
        ({"fpu": "none"}, "reduction or net or absolute"),
        ({"draw_score": "1.1"}, "draw_score"),
        ({"contempt_visits": "0"}, "contempt_visits = 0: expected a whole number, 1 to 1000000000, or off$"),
        ({"ContemptVisits": "5"}, "unknown search parameter 'ContemptVisits': .*contempt_visits"),
    ],
)
def test_mistakes_are_named(settings: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SearchSettings().with_settings(settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"memory_mb": 49_001}, r"memory_mb = 49001: expected a whole number, 1 to 49000"),
        ({"batch": 1.5}, r"batch = 1\.5: expected a whole number, 1 to 4096"),
        ({"seed": 1.0}, r"seed = 1\.0: expected a whole number"),
        ({"cpuct": "a"}, "cpuct = 'a': expected 0 to 100"),
        ({"cpuct": float("nan")}, "cpuct = nan: expected 0 to 100"),
        ({"cpuct": None}, "cpuct = None: expected 0 to 100"),
        ({"batch": True}, "batch = True: expected a whole number, 1 to 4096"),
        ({"two_fold_draws": "no"}, "two_fold_draws = 'no': expected true or false"),
        ({"fpu": None}, "fpu = None: expected reduction or net or absolute"),
    ],
)
def test_other_values_than_numbers_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"search parameter {message}"):
        SearchParams(**settings)
    assert SearchParams(batch=np.int64(4), cpuct=np.float32(2)).batch == 4  # type: ignore[arg-type]


def test_temperature_decays_as_lc0_schedules_it() -> None:
    choice = MoveChoice(temperature=1.0, temperature_decay_delay=2, temperature_decay_moves=4)
    assert [choice.temperature_at(2 * move) for move in range(8)] == [1, 1, 1, 0.75, 0.5, 0.25, 0, 0]
    floor = MoveChoice(temperature=1.0, temperature_decay_moves=2, temperature_endgame=0.3)
    assert [floor.temperature_at(2 * move) for move in range(4)] == [1, 0.5, 0.3, 0.3]
    cut = MoveChoice(temperature=1.0, temperature_cutoff_move=3, temperature_endgame=0.1)
    assert [cut.temperature_at(2 * move) for move in range(4)] == [1, 1, 0.1, 0.1]


@given(st.integers(0, 400), st.integers(0, 60), st.integers(0, 60), st.floats(0, 5), st.floats(0, 1))
def test_temperature_never_rises_and_stays_above_its_floor(
    ply: int, delay: int, decay: int, start: float, floor: float
) -> None:
    choice = MoveChoice(
        temperature=start,
        temperature_decay_delay=delay,
        temperature_decay_moves=decay,
        temperature_endgame=min(floor, start),
    )
    now, later = choice.temperature_at(ply), choice.temperature_at(ply + 1)
    assert min(floor, start) <= later <= now <= start
