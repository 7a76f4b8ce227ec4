"""Processes that share a batch learn what one process learns from all of it."""

import os
import signal
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import pytest
import torch

from foible.errors import ConfigError, TrainingError
from foible.nets.modules import SeResNet, build
from foible.training import parallel
from foible.training.config import Recipe, Sgd
from foible.training.data.encoder import TrainBatch
from foible.training.data.targets import SoftPolicy
from foible.training.loop import Loop
from foible.training.parallel import ALONE, World, open_world
from foible.training.schedule import Rates
from foible.training.trainer import Trainer
from tests.training.made_up import MadeUp, lines, loop, recipe, stop_after

SHARED = recipe(steps=4, validate_every=2, ema=0.5)
SIZE = 6
"""Of the batches."""


def batches(world: World) -> Iterator[TrainBatch]:
    """Each process's part of a few."""
    chance, mine = np.random.default_rng(0), slice(world.rank, None, world.size)
    size = len(range(SIZE)[mine])
    for _ in range(4):
        yield TrainBatch(
            masks=chance.integers(0, 2**63, (SIZE, 112), np.uint64)[mine],
            values=np.ones((size, 112), np.float32),
            policy=chance.integers(0, 1858, SIZE)[mine],
            wdl=np.eye(3, dtype=np.float32)[chance.integers(0, 3, SIZE)][mine],
            plies=np.zeros(size, np.float32),
            phase=np.zeros(size, np.uint8),
            weight=chance.uniform(0.5, 2, SIZE).astype(np.float32)[mine],
            soft_policy=SoftPolicy(np.arange(size), chance.integers(0, 1858, SIZE)[mine], np.ones(size, np.float32)),
        )


def learn(world: World, folder: str) -> None:
    """Some steps; a net without batch norm, which would see other batches in each process. The first one saves."""
    torch.set_num_threads(1)
    torch.manual_seed(5 + world.rank)  # the first one's weights count
    net = build(SeResNet(blocks=1, filters=4, squeeze=2, value_filters=2, value_hidden=4, batch_norm=False))
    asked = Recipe(precision="f32", optimiser=Sgd(clip_norm=0.5))
    trainer = Trainer(net, asked, torch.device("cpu"), world=world)
    for number, batch in enumerate(batches(world)):
        trainer.step(batch, number, Rates(0.5))
    sums = world.sum(trainer.sums) / world.size
    if world.rank == 0:
        torch.save({"net": net.state_dict(), "sums": sums}, Path(folder) / f"{world.size}.pt")


def run_in(folder: Path, world: World) -> Loop:
    """A run that shares its batches."""
    run = loop(folder, SHARED, world=world)
    run.run()
    return run


def learn_and_run(world: World, folder: str) -> None:
    """The same run twice, the second time stopped in between."""
    learn(world, folder)
    run_in(Path(folder), world)
    stopped = loop(Path(folder) / "stopped", SHARED, world=world)
    stop_after(stopped, 2)
    stopped.run()
    run_in(Path(folder) / "stopped", world)


def fail(world: World) -> None:
    if world.rank:
        raise ConfigError("no luck today")
    world.meet()


def be_killed(world: World) -> None:
    world.meet()
    if world.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    await_others(world)
    world.meet()


def err(world: World) -> None:
    if world.rank == 2:
        raise RuntimeError("an error of its own")
    await_others(world)
    world.meet()


def await_others(world: World) -> None:
    """In the first process, until all have ended."""
    if world.rank == 0:
        for process in active_children():
            process.join(60)


def not_come(*_: object) -> None:
    raise SystemExit(3)


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two processes learnt, and a run of theirs."""
    folder = tmp_path_factory.mktemp("together")
    with open_world(2, "cpu", learn_and_run, str(folder)) as world:
        learn_and_run(world, str(folder))
    return folder


def test_two_processes_learn_what_one_does_from_the_whole_batch(together: Path, tmp_path: Path) -> None:
    with open_world(1, "cpu", learn, str(tmp_path)) as world:
        learn(world, str(tmp_path))
    one, two = (torch.load(path, weights_only=True) for path in (tmp_path / "1.pt", together / "2.pt"))
    for name, weight in one["net"].items():
        assert torch.allclose(weight, two["net"][name], rtol=1e-4, atol=1e-6), name
    assert torch.allclose(one["sums"], two["sums"], rtol=1e-5)
    assert (one["sums"] > 0).sum() == 4


def test_their_run_is_one_run(together: Path) -> None:
    run = run_in(together, ALONE)
    assert run.over
    assert [line["step"] for line in lines(together)] == [2, 3, 4]
    found = run.trainer.evaluate(MadeUp(None))
    assert run.standing.validation is not None
    assert run.standing.validation["loss"] == pytest.approx(found.loss, rel=1e-5)


def test_what_went_wrong_in_another_process_is_said_in_one_line() -> None:
    with pytest.raises(TrainingError, match="process 1 of 2: no luck today"), open_world(2, "cpu", fail) as world:
        fail(world)


def test_a_run_of_theirs_that_was_stopped_is_logged_like_one_that_was_not(together: Path) -> None:
    assert lines(together / "stopped") == lines(together)


def test_a_process_that_is_killed_is_not_waited_for_and_those_that_miss_it_say_nothing(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with (
        pytest.raises(TrainingError, match=r"process 1 of 3 was killed \(signal 9\)"),
        open_world(3, "cpu", be_killed) as world,
    ):
        be_killed(world)
    assert "Traceback" not in capfd.readouterr().err


def test_of_several_errors_the_first_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        pytest.raises(TrainingError, match="process 2 of 3 failed; its error stands above"),
        open_world(3, "cpu", err) as world,
    ):
        err(world)
    shown = capfd.readouterr().err
    assert shown.count("Traceback") == 1
    assert shown.endswith("RuntimeError: an error of its own\n")


def test_nor_is_one_that_never_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_member", not_come)
    with (
        pytest.raises(TrainingError, match="process 1 of 2 failed; its error stands above"),
        open_world(2, "cpu", fail),
    ):
        raise AssertionError("they never met")


def test_an_error_that_has_nothing_to_do_with_the_others_stays_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "NOTICED", 0.1)
    with pytest.raises(RuntimeError, match="my own"), open_world(2, "cpu", be_killed):
        raise RuntimeError("my own")
