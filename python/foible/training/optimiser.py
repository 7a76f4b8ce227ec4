"""What changes the weights: optimisers by description, and a moving average of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import SGD, Optimizer
from torch.optim import AdamW as TorchAdamW

from foible.training.config import OptimiserConfig, Sgd
from foible.training.schedule import Rates

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
