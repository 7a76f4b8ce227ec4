"""A net and its optimiser on a device: steps, evaluations, and the state from which both go on."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import msgspec
import torch
from torch import Tensor

from foible.games.phases import PHASES
from foible.nets.modules import NetConfig, build
from foible.nets.modules.net import Net, Outputs, unpack_planes
from foible.training.config import Recipe
from foible.training.data.batch import Samples, TrainBatch
from foible.training.losses import (
    Targets,
    add_batch,
    batch_loss,
    empty_sums,
    loss_terms,
    targets_of,
    to_device,
    validation_of,
)
from foible.training.optimiser import Average, clip_gradients, make_optimiser, set_rates
from foible.training.parallel import ALONE, World
from foible.training.schedule import Rates
from foible.training.trained import Validation

MEANS = ("total", "policy", "value", "wdl", "plies")
"""What is summed up of every step: the loss that is lowered, and its terms, weighted by sample."""


class Trainer:
    """Owns the net while it trains."""

    def __init__(
        self,
        net: Net,
        recipe: Recipe,
        device: torch.device,
        *,
        world: World = ALONE,
        phases: Sequence[str] = PHASES,
        own: Sequence[int] | None = None,
    ) -> None:
        """`recipe`: with a precision that was decided on.

        `phases`: their names, by number. `own`: those that are trained on; all when absent.
        """
        self.net = net.to(device).to(memory_format=torch.channels_last)
        self.recipe = recipe
        self.device = device
        self.world = world
        self.phases = phases
        self.optimiser = make_optimiser(recipe.optimiser, self.net)
        self.average = Average(self.net, recipe.ema) if recipe.ema is not None else None
        self.sums = torch.zeros(len(MEANS), dtype=torch.float64, device=device)
        """The sums of the steps since somebody set it to zero, in the order of `MEANS`."""
        self._learning: Callable[[Tensor], Outputs] = world.share(self.net)
        if recipe.compile:  # batches that are learnt from all have one size; each other one would take as long again
            self._learning = torch.compile(self._learning, dynamic=False)
        self._own = torch.ones(len(phases), device=device)
        if own is not None:
            self._own.zero_()[list(own)] = 1

    def step(self, batch: TrainBatch, number: int, rates: Rates) -> None:
        """Learn from one batch, of which this process has its part; all parts are of one size.

        `number`: of the step in the run; what is random depends on it and the seed alone.
        """
        torch.manual_seed(step_seed(self.recipe.seed, number, self.world.rank))
        self.net.train()
        planes, targets = self._load(batch)
        with self._autocast():
            outputs = self._learning(planes)
        terms = loss_terms(outputs, targets, self.net.plies_unit)
        loss = batch_loss(terms, targets.weight, self.recipe.loss)
        self.optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        if self.recipe.optimiser.clip_norm is not None:
            clip_gradients(self.net, self.recipe.optimiser.clip_norm)
        set_rates(self.optimiser, self.recipe.optimiser, rates)
        self.optimiser.step()
        if self.average is not None:
            self.average.update()
        with torch.no_grad():
            self.sums += torch.stack([loss, *((term * targets.weight).mean() for term in terms)])

    def evaluate(self, samples: Samples) -> Validation:
        """The losses of a finite set, with the averaged weights where there are any; all processes take part."""
        with self.average.in_place() if self.average is not None else nullcontext():
            return self._measured(samples, self.world)

    def measure(self, samples: Samples) -> Validation:
        """The losses of a finite set with the weights as they are, in this process."""
        return self._measured(samples, ALONE)

    @torch.no_grad()
    def _measured(self, samples: Samples, world: World) -> Validation:
        sums = empty_sums(len(self.phases), self.device)
        self.net.eval()
        world.agree(self.net)
        for batch in samples.prefetched(world.rank, world.size):
            planes, targets = self._load(batch)
            with self._autocast():
                outputs = self.net(planes)
            right = outputs.policy.argmax(1) == targets.policy
            add_batch(sums, loss_terms(outputs, targets, self.net.plies_unit), targets, right, self._own)
        return validation_of(world.sum(sums), self.phases, knows_draws=knows_draws(self.net))

    def state(self) -> dict[str, Any]:
        """All that a later process needs to go on as if nothing had happened, but for the sums."""
        return {
            "encoding": self.net.encoding,
            "config": msgspec.to_builtins(self.net.config),
            "net": self.net.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "average": self.average.state() if self.average is not None else None,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Weights, optimiser and average of a `state`."""
        self.net.load_state_dict(state["net"])
        self.optimiser.load_state_dict(state["optimiser"])
        if self.average is not None:
            self.average.restore(state["average"])

    def _load(self, batch: TrainBatch) -> tuple[Tensor, Targets]:
        masks, values = to_device(batch.masks.view("int64"), self.device), to_device(batch.values, self.device)
        planes = unpack_planes(masks, values).contiguous(memory_format=torch.channels_last)
        return planes, targets_of(batch, self.device)

    def _autocast(self) -> AbstractContextManager[object]:
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.recipe.precision == "bf16")


def net_of_state(state: dict[str, Any]) -> Net:
    """The net that a `Trainer.state` is worth, with averaged weights where they were."""
    net = build(msgspec.convert(state["config"], NetConfig), state["encoding"])
    net.load_state_dict(state["net"])
    if state["average"] is not None:
        average = Average(net, 0.5)
        average.restore(state["average"])
        average.write()
    return net


def knows_draws(net: Net) -> bool:
    """Whether its value is win, draw and loss; a classical one is a single number."""
    return getattr(net.config, "value", "wdl") == "wdl"


def step_seed(seed: int, step: int, rank: int) -> int:
    """The seed of torch's generator in one step of one process."""
    digest = hashlib.blake2b(f"{seed} {step} {rank}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1
