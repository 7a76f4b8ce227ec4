"""A net and its optimiser on a device: steps, evaluations, and the state from which both go on; with a moving average
of the weights where one is wanted.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import msgspec
import torch
from torch import Tensor, nn
from torch.optim import SGD, Optimizer
from torch.optim import AdamW as TorchAdamW

from foible.games.phases import PHASES
from foible.nets.modules import NetConfig, build
from foible.nets.modules.net import Net, Outputs, unpack_planes
from foible.training.config import OptimiserConfig, Recipe, Sgd
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
from foible.training.parallel import ALONE, World
from foible.training.schedule import Rates
from foible.training.trained import Validation

OUTPUTS = ("policy.planes.", "policy.dense.", "value.output.", "wdl.")
"""How the names of the policy's and the value's last layers begin, whose biases decay with the kernels."""


def make_optimiser(config: OptimiserConfig, net: nn.Module) -> Optimizer:
    """An optimiser over all parameters of the net. Its rates come with `set_rates`."""
    groups = decay_groups(config, net)
    if isinstance(config, Sgd):
        return SGD(groups, lr=0.0, momentum=config.momentum, nesterov=config.nesterov, fused=True)
    return TorchAdamW(groups, lr=0.0, betas=(config.beta1, config.beta2), fused=True)


def decay_groups(config: OptimiserConfig, net: nn.Module) -> list[dict[str, object]]:
    """Parameters with weight decay, and those without where there are any."""
    decayed: list[nn.Parameter] = []
    free: list[nn.Parameter] = []
    for name, parameter in net.named_parameters():
        output = name.startswith(OUTPUTS) and name.endswith("bias")
        (decayed if config.decayed == "all" or parameter.dim() > 1 or output else free).append(parameter)
    groups: list[dict[str, object]] = [{"params": decayed, "weight_decay": config.weight_decay}]
    return groups + ([{"params": free, "weight_decay": 0.0}] if free else [])


def set_rates(optimiser: Optimizer, config: OptimiserConfig, rates: Rates) -> None:
    """Learning rate and momentum of the next step."""
    for group in optimiser.param_groups:
        group["lr"] = rates.lr
        if isinstance(config, Sgd):
            group["momentum"] = config.momentum if rates.momentum is None else rates.momentum
        elif rates.momentum is not None:
            group["betas"] = (rates.momentum, config.beta2)


def clip_gradients(net: nn.Module, limit: float) -> Tensor:
    """Shorten the gradients to a norm of `limit`; returns what it was."""
    return nn.utils.clip_grad_norm_(net.parameters(), limit)


class Average:
    """Exponential moving average of weights and batch-norm statistics.

    Early on it looks back over a tenth of the steps so far at most, so that the first weights, which are random, are
    soon forgotten.
    """

    def __init__(self, net: nn.Module, decay: float) -> None:
        self._net = net
        self._decay = decay
        self._steps = 0
        self._kept = [one.detach().clone() for one in _averaged(net)]

    @torch.no_grad()
    def update(self) -> None:
        """Take in the net's weights after a step."""
        self._steps += 1
        decay = min(self._decay, (1 + self._steps) / (10 + self._steps))
        torch._foreach_lerp_(self._kept, _averaged(self._net), 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within it the net has the averaged weights."""
        own = [one.detach().clone() for one in _averaged(self._net)]
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
    return [one for one in net.state_dict().values() if one.is_floating_point()]


@torch.no_grad()
def _write(net: nn.Module, values: list[Tensor]) -> None:
    for one, value in zip(_averaged(net), values, strict=True):
        one.copy_(value)


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
