"""Trainings that take a moment: a tiny net with all that is random about nets, and positions that are made up."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch

from foible.nets.encoding import PLANES
from foible.nets.modules import Rise, build
from foible.nets.modules.net import Net
from foible.training.config import AdamW, LossConfig, Recipe
from foible.training.data.encoder import TrainBatch
from foible.training.loop import Loop
from foible.training.parallel import ALONE, World
from foible.training.schedule import CosineSchedule
from foible.training.trainer import Trainer

TINY = Rise(
    blocks=2,
    channels=8,
    inner=8,
    inner_step=0,
    large_kernels=(1,),
    attended=(1,),
    value_filters=1,
    stochastic_depth=0.4,
)
RECIPE = Recipe(
    steps=12,
    batch_size=8,
    validate_every=4,
    log_every=3,
    device="cpu",
    precision="f32",
    loss=LossConfig(wdl=0.5),
    optimiser=AdamW(),
    schedule=CosineSchedule(max_lr=0.01, warmup=0.25),
)
POSITIONS = 24
"""That there are; each has one move and one result, so that there is something to learn."""


class MadeUp:
    """Samples of few positions, in an order that the seed decides; a single pass without one."""

    def __init__(self, seed: int | None, batch_size: int = RECIPE.batch_size, world: World = ALONE) -> None:
        chance = np.random.default_rng(0)
        self._masks = chance.integers(0, 2**63, (POSITIONS, PLANES["crazyara"]), np.uint64)
        self._policy = chance.integers(0, 4864, POSITIONS)
        self._result = chance.integers(0, 3, POSITIONS)
        self._seed, self._size = seed, batch_size
        self._part = slice(world.rank, None, world.size)

    def __len__(self) -> int:
        return (POSITIONS + self._size - 1) // self._size

    def batch(self, step: int) -> TrainBatch:
        at = slice(step * self._size, (step + 1) * self._size)
        which = np.arange(POSITIONS)[at]
        if self._seed is not None:
            which = np.random.default_rng([self._seed, step]).integers(0, POSITIONS, self._size)[self._part]
        return TrainBatch(
            masks=self._masks[which],
            values=np.ones((len(which), PLANES["crazyara"]), np.float32),
            policy=self._policy[which],
            wdl=np.eye(3, dtype=np.float32)[self._result[which]],
            plies=(which / POSITIONS).astype(np.float32),
            phase=(which % 3).astype(np.uint8),
            weight=np.where(which % 3 == 1, 2.0, 0.5).astype(np.float32),
        )

    def prefetched(self, start: int, every: int = 1) -> Iterator[TrainBatch]:
        step = start
        while self._seed is not None or step < len(self):
            yield self.batch(step)
            step += every


def recipe(**changes: Any) -> Recipe:
    """Keys that differ."""
    return msgspec.structs.replace(RECIPE, **changes)


def net(seed: int = 1) -> Net:
    torch.manual_seed(seed)
    return build(TINY, "crazyara")


def trainer(asked: Recipe = RECIPE, world: World = ALONE) -> Trainer:
    return Trainer(net(asked.seed), asked, torch.device("cpu"), world=world)


def loop(folder: Path, asked: Recipe = RECIPE, *, validation: bool = True, world: World = ALONE) -> Loop:
    """A run in a folder, from wherever it stands."""
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    held = MadeUp(None) if validation else None
    assert asked.steps
    return Loop(trainer(asked, world), MadeUp(asked.seed, world=world), held, folder, asked.steps)


def stop_after(run: Loop, steps: int) -> None:
    """Have it stop when it has made so many steps."""
    learn = run.trainer.step

    def step(batch: TrainBatch, number: int, rates: Any) -> None:
        learn(batch, number, rates)
        if number + 1 == steps:
            run.stop()

    run.trainer.step = step  # type: ignore[method-assign]


def weights(run: Loop) -> dict[str, torch.Tensor]:
    return {name: one.clone() for name, one in run.trainer.net.state_dict().items()}


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    """Bit for bit."""
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def lines(folder: Path) -> list[dict[str, Any]]:
    """The log, without what the clock decides."""
    found = [msgspec.json.decode(line) for line in (folder / "log.jsonl").read_bytes().splitlines()]
    return [{name: value for name, value in line.items() if name != "seconds"} for line in found]
