"""A net and its optimiser on a device: training steps, evaluations, and the state to save and restore; with a moving
average of the weights where one is wanted.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import msgspec
import torch
from torch import Tensor, nn
from torch.optim import SGD, AdamW as TorchAdamW, Optimizer

from foible.games.phases import PHASES
from foible.nets.modules import NetConfig, build
from foible.nets.modules.net import Net, Outputs, unpack_planes
from foible.training.config import OptimiserConfig, Recipe, Sgd
from foible.training.data.encoder import Samples, TrainBatch
from foible.training.losses import (
    BatchTargets,
    add_batch,
    batch_loss,
    empty_sums,
    loss_terms,
    targets_of,
    to_device,
    validation_of,
)
from foible.training.parallel import ALONE, World
from foible.training.schedule import Rates
from foible.training.trained import Validation

OUTPUTS = ("policy.planes.", "policy.dense.", "value.output.", "wdl.")
"""The prefixes of the parameter names of the last policy and value layers, whose biases decay like kernels."""


def make_optimiser(config: OptimiserConfig, net: nn.Module) -> Optimizer:
    """An optimiser over all parameters of the net. `set_rates` sets its learning rate and momentum before each step."""
    groups = decay_groups(config, net)
    if isinstance(config, Sgd):
        return SGD(groups, lr=0.0, momentum=config.momentum, nesterov=config.nesterov, fused=True)
    return TorchAdamW(groups, lr=0.0, betas=(config.beta1, config.beta2), fused=True)


def decay_groups(config: OptimiserConfig, net: nn.Module) -> list[dict[str, object]]:
    """Parameter groups for an optimiser: those with weight decay, and, if there are any, those without."""
    decayed: list[nn.Parameter] = []
    free: list[nn.Parameter] = []
    for name, parameter in net.named_parameters():
        output = name.startswith(OUTPUTS) and name.endswith("bias")
        (decayed if config.decayed == "all" or parameter.dim() > 1 or output else free).append(parameter)
    groups: list[dict[str, object]] = [{"params": decayed, "weight_decay": config.weight_decay}]
    return groups + ([{"params": free, "weight_decay": 0.0}] if free else [])


def set_rates(optimiser: Optimizer, config: OptimiserConfig, rates: Rates) -> None:
    """Set the learning rate and the momentum of the next step."""
    for group in optimiser.param_groups:
        group["lr"] = rates.lr
        if isinstance(config, Sgd):
            group["momentum"] = config.momentum if rates.momentum is None else rates.momentum
        elif rates.momentum is not None:
            group["betas"] = (rates.momentum, config.beta2)


def clip_gradients(net: nn.Module, limit: float) -> Tensor:
    """Scale the gradients down to a norm of `limit` where it is greater; returns the norm they had."""
    return nn.utils.clip_grad_norm_(net.parameters(), limit)


class Average:
    """Exponential moving average of weights and batch-norm statistics.

    Early on the decay is lower, so that the average looks back over about a tenth of the steps so far: the first
    weights, which are random, are soon forgotten.
    """

    def __init__(self, net: nn.Module, decay: float) -> None:
        self._net = net
        self._decay = decay
        self._steps = 0
        self._kept = [weights.detach().clone() for weights in _averaged(net)]

    @torch.no_grad()
    def update(self) -> None:
        """Add the net's weights to the average, after each step."""
        self._steps += 1
        decay = min(self._decay, (1 + self._steps) / (10 + self._steps))
        torch._foreach_lerp_(self._kept, _averaged(self._net), 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Give the net the averaged weights within the block, and its own ones back at the end."""
        own = [weights.detach().clone() for weights in _averaged(self._net)]
        self.write()
        try:
            yield
        finally:
            _write(self._net, own)

    def write(self) -> None:
        """Make the averaged weights the net's own."""
        _write(self._net, self._kept)

    def state(self) -> dict[str, Any]:
        return {"steps": self._steps, "kept": self._kept}

    def restore(self, state: dict[str, Any]) -> None:
        self._steps = state["steps"]
        with torch.no_grad():
            for kept, saved in zip(self._kept, state["kept"], strict=True):
                kept.copy_(saved)


def _averaged(net: nn.Module) -> list[Tensor]:
    return [tensor for tensor in net.state_dict().values() if tensor.is_floating_point()]


@torch.no_grad()
def _write(net: nn.Module, values: list[Tensor]) -> None:
    for one, value in zip(_averaged(net), values, strict=True):
        one.copy_(value)


MEANS = ("total", "policy", "value", "wdl", "plies")
"""The numbers that are summed over the steps: the training loss, and its terms, weighted by sample."""


class Trainer:
    """Trains and evaluates a net; nobody else may change the net meanwhile."""

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
        """`recipe`: its precision must be chosen already, `f32` or `bf16`.

        `phases`: the names of the phases, by number. `own`: the phases that are trained on; all when absent.
        """
        self.net = net.to(device).to(memory_format=torch.channels_last)
        self.recipe = recipe
        self.device = device
        self.world = world
        self.phases = phases
        self.optimiser = make_optimiser(recipe.optimiser, self.net)
        self.average = Average(self.net, recipe.ema) if recipe.ema is not None else None
        self.sums = torch.zeros(len(MEANS), dtype=torch.float64, device=device)
        """The sums over the steps since a caller last set them to zero, in the order of `MEANS`."""
        self._learning: Callable[[Tensor], Outputs] = world.share(self.net)
        if recipe.compile:  # training batches all have one size; compiling for another one would take as long again
            self._learning = torch.compile(self._learning, dynamic=False)
        self._own = torch.ones(len(phases), device=device)
        if own is not None:
            self._own.zero_()[list(own)] = 1

    def step(self, batch: TrainBatch, number: int, rates: Rates) -> None:
        """Learn from this process's part of one batch; all parts are of one size.

        `number`: the number of the step in the run; all that is random depends on it, the seed and the rank alone.
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
        """The losses on a finite set of samples, with averaged weights if there are any; all processes take part."""
        with self.average.in_place() if self.average is not None else nullcontext():
            return self._measured(samples, self.world)

    def measure(self, samples: Samples) -> Validation:
        """The losses on a finite set of samples, with the net's own weights, computed by this process alone."""
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
        draws, plies = knows_draws(self.net), knows_plies(self.net)
        return validation_of(world.sum(sums), self.phases, knows_draws=draws, knows_plies=plies)

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
        """Take over the weights, the optimiser and the average of a `state`."""
        self.net.load_state_dict(state["net"])
        self.optimiser.load_state_dict(state["optimiser"])
        if self.average is not None:
            self.average.restore(state["average"])

    def _load(self, batch: TrainBatch) -> tuple[Tensor, BatchTargets]:
        masks, values = to_device(batch.masks.view("int64"), self.device), to_device(batch.values, self.device)
        planes = unpack_planes(masks, values).contiguous(memory_format=torch.channels_last)
        return planes, targets_of(batch, self.device)

    def _autocast(self) -> AbstractContextManager[object]:
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.recipe.precision == "bf16")


def net_of_state(state: dict[str, Any]) -> Net:
    """The net saved in a `Trainer.state`, with the averaged weights if there are any."""
    net = build(msgspec.convert(state["config"], NetConfig), state["encoding"])
    net.load_state_dict(state["net"])
    if state["average"] is not None:
        average = Average(net, 0.5)
        average.restore(state["average"])
        average.write()
    return net


def knows_draws(net: Net) -> bool:
    """Whether the net's value head gives win, draw and loss; a classical value head gives a single number."""
    return getattr(net.config, "value", "wdl") == "wdl"


def knows_plies(net: Net) -> bool:
    """Whether the net has a head for the plies to the end of the game."""
    return bool(getattr(net.config, "moves_left", True))


def step_seed(seed: int, step: int, rank: int) -> int:
    """The seed of torch's generator in one step of one process."""
    digest = hashlib.blake2b(f"{seed} {step} {rank}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1
