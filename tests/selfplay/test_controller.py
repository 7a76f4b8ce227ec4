"""The controller finds the N_scl that gives the ratio asked for, by a path that depends on results alone."""

import math
import random
from statistics import fmean

import pytest
from hypothesis import given, settings, strategies as st

from foible.selfplay.config import ControllerConfig, SelfplayConfig
from foible.selfplay.controller import Controller, Point, controller_svg, corrected
from foible.selfplay.record import GameSummary
from tests.selfplay.made_up import summary

NODES = 1000


def run_config(target: float = 1.0, batch: int = 32, start: int = 5, **more: float) -> SelfplayConfig:
    controller = ControllerConfig(target=target, batch=batch, **more)
    return SelfplayConfig(nodes=NODES, seed=3, search={"contempt_visits": start}, controller=controller)


def controller(config: SelfplayConfig, finished: dict[int, GameSummary]) -> Controller:
    return Controller(config, config.settings.params, finished)


def simulate(config: SelfplayConfig, at_one: float, slope: float, games: int, seed: int) -> Controller:
    """Games whose (w + l) / d is `at_one` · N_scl^−slope, finished in order."""
    finished: dict[int, GameSummary] = {}
    found, chance = controller(config, finished), random.Random(seed)
    for game in range(games):
        assert found.knows(game)
        n_scl = found.contempt_visits(game)
        assert n_scl is not None
        ratio = at_one * n_scl**-slope
        finished[game] = summary(game, "1-0" if chance.random() < ratio / (1 + ratio) else "1/2-1/2")
    return found


@settings(max_examples=20, deadline=None)
@given(
    slope=st.floats(0.3, 1.0),
    target=st.floats(0.4, 2.5),
    wanted=st.floats(2.0, 300.0),
    start=st.sampled_from([1, 5, 1000]),
    seed=st.integers(0, 999),
)
def test_it_finds_the_n_scl_that_gives_the_target(
    slope: float, target: float, wanted: float, start: int, seed: int
) -> None:
    found = simulate(run_config(target, start=start), target * wanted**slope, slope, 32 * 100, seed)
    late = fmean(math.log(point.contempt_visits) for point in found.points()[-30:])
    assert abs(late - math.log(wanted)) * slope < 0.25, "the ratio is within a quarter of its logarithm"


@given(st.floats(1.0, NODES), st.floats(0.0, 1.0), st.integers(1, 100), st.floats(0.1, 10.0))
def test_more_decisive_games_than_wanted_raise_it_within_its_bounds(
    n_scl: float, share: float, batch: int, target: float
) -> None:
    config = ControllerConfig(target=target)
    after, wanted = corrected(n_scl, share, batch, config, NODES), target / (1 + target)
    assert 1 <= after <= NODES * (1 + 1e-9)
    assert (after - n_scl) * (share - wanted) >= -1e-9 * n_scl


def test_a_step_is_the_gain_times_the_error_in_the_logarithm_of_the_ratio() -> None:
    config = ControllerConfig(target=1.0, gain=2.0, decay=0.5)
    after = corrected(10.0, 0.51, 4, config, NODES)
    error = math.log(0.51 / 0.49)
    assert math.log(after / 10) == pytest.approx(2.0 / 2 * error, rel=1e-3)


def test_a_batch_waits_for_the_one_before_the_last_alone() -> None:
    finished: dict[int, GameSummary] = {}
    found = controller(run_config(batch=4), finished)
    assert [game for game in range(16) if found.knows(game)] == list(range(8))
    finished.update((game, summary(game)) for game in (0, 1, 3, 4, 5, 6, 7))
    assert not found.knows(8)
    finished[2] = summary(2)
    assert found.knows(11)
    assert found.knows(12)
    assert not found.knows(16)


@given(st.randoms(use_true_random=False), st.lists(st.booleans(), min_size=24, max_size=24))
def test_the_path_does_not_depend_on_the_order_of_finishing(chance: random.Random, decisive: list[bool]) -> None:
    results = {game: summary(game, "0-1" if won else "1/2-1/2") for game, won in enumerate(decisive)}
    config = run_config(batch=4)
    finished: dict[int, GameSummary] = {}
    found = controller(config, finished)
    seen: dict[int, int | None] = {}
    waiting = list(range(24))
    while waiting:
        open_games = [game for game in waiting if found.knows(game)]
        game = chance.choice(open_games)
        seen[game] = found.contempt_visits(game)
        finished[game] = results[game]
        waiting.remove(game)
    whole = controller(config, results)
    assert found.points() == whole.points()
    assert seen == {game: whole.contempt_visits(game) for game in range(24) if whole.knows(game)}


def test_between_whole_numbers_games_draw_their_neighbours() -> None:
    config = run_config(batch=2000, start=3, decay=0.0, gain=0.2)
    finished = {game: summary(game, "1-0") for game in range(2000)}
    found = controller(config, finished)
    exact = found.latest
    assert exact is not None
    assert 0.1 < exact % 1 < 0.9
    assert found.knows(4001)
    drawn = [found.contempt_visits(game) for game in range(4000, 6000)]
    assert set(drawn) == {math.floor(exact), math.ceil(exact)}
    assert fmean(n for n in drawn if n) == pytest.approx(exact, abs=0.05)


def test_without_a_controller_all_games_play_alike() -> None:
    config = SelfplayConfig(search={"contempt_visits": 7})
    found = controller(config, {})
    assert found.knows(10**6)
    assert found.contempt_visits(10**6) == 7
    assert found.points() == []
    assert found.latest == 7


@pytest.mark.parametrize("decisive", [0, 2, 4])
@pytest.mark.parametrize("target", [0.001, 1.0, 1000.0])
def test_a_path_of_one_batch_has_a_picture_whatever_its_results(decisive: int, target: float) -> None:
    assert b"<svg" in controller_svg([Point(1, 5.0, 4, decisive)], target)
