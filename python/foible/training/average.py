"""A moving average of a net's weights."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


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
