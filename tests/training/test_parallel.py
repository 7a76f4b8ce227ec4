"""Processes that share a batch learn what one process learns from all of it."""

from pathlib import Path

import numpy as np
import pytest
import torch

from foible.errors import ConfigError, TrainingError
from foible.nets.modules import SeResNet, build
from foible.training.config import Recipe, Sgd
from foible.training.data.batch import SoftPolicy, TrainBatch
from foible.training.loop import Loop
from foible.training.parallel import ALONE, World, crew
from foible.training.schedule import Rates
from foible.training.trainer import Trainer, part_of
from tests.training.made_up import MadeUp, lines, loop, recipe

SIZES = (6, 6, 5, 1)
"""Of the batches: whole ones, one that does not divide, one for which a process gets nothing."""


def batches() -> list[TrainBatch]:
    chance, found = np.random.default_rng(0), []
    for size in SIZES:
        found.append(
            TrainBatch(
                masks=chance.integers(0, 2**63, (size, 112), np.uint64),
                values=np.ones((size, 112), np.float32),
                policy=chance.integers(0, 1858, size),
                wdl=np.eye(3, dtype=np.float32)[chance.integers(0, 3, size)],
                plies=np.zeros(size, np.float32),
                phase=np.zeros(size, np.uint8),
                weight=chance.uniform(0.5, 2, size).astype(np.float32),
                soft_policy=SoftPolicy(np.arange(size), chance.integers(0, 1858, size), np.ones(size, np.float32)),
            )
        )
    return found


def learn(world: World, folder: str) -> None:
    """Some steps; a net without batch norm, which would see other batches in each process. The first one saves."""
    torch.set_num_threads(1)
    torch.manual_seed(5 + world.rank)  # the first one's weights count
    net = build(SeResNet(blocks=1, filters=4, squeeze=2, value_filters=2, value_hidden=4, batch_norm=False))
    asked = Recipe(precision="f32", optimiser=Sgd(clip_norm=0.5))
    trainer = Trainer(net, asked, torch.device("cpu"), world=world)
    for number, batch in enumerate(batches()):
        trainer.step(batch, number, Rates(0.5))
    sums = world.sum(trainer.sums) / world.size
    if world.rank == 0:
        torch.save({"net": net.state_dict(), "sums": sums}, Path(folder) / f"{world.size}.pt")


def run_in(folder: Path, world: World) -> Loop:
    """A run that shares its batches."""
    run = loop(folder, recipe(steps=4, validate_every=2, ema=0.5), world=world)
    run.run()
    return run


def learn_and_run(world: World, folder: str) -> None:
    learn(world, folder)
    run_in(Path(folder), world)


def fail(world: World) -> None:
    if world.rank:
        raise ConfigError("no luck today")
    world.any(True)


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two processes learnt, and a run of theirs."""
    folder = tmp_path_factory.mktemp("together")
    with crew(2, "cpu", learn_and_run, str(folder)) as world:
        learn_and_run(world, str(folder))
    return folder


def test_two_processes_learn_what_one_does_from_the_whole_batch(together: Path, tmp_path: Path) -> None:
    with crew(1, "cpu", learn, str(tmp_path)) as world:
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
    with pytest.raises(TrainingError, match="process 1 of 2: no luck today"), crew(2, "cpu", fail) as world:
        fail(world)


def test_the_parts_of_a_batch_are_its_samples_each_once() -> None:
    whole = batches()[2]
    parts = [part_of(whole, rank, 2) for rank in range(2)]
    assert [len(part) for part, _ in parts] == [3, 2]
    assert sum(share for _, share in parts) == pytest.approx(2)
    assert sorted(np.concatenate([part.policy for part, _ in parts])) == sorted(whole.policy)
    for rank, (part, _) in enumerate(parts):
        assert part.soft_policy is not None
        assert whole.soft_policy is not None
        assert part.soft_policy.rows.tolist() == list(range(len(part)))
        assert part.soft_policy.moves.tolist() == whole.soft_policy.moves[rank::2].tolist()


def test_a_process_without_a_sample_does_not_count() -> None:
    _, share = part_of(batches()[3], 1, 2)
    assert share == 0
