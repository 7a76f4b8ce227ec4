"""A Go net learns from samples (SAI, §2.3)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from foible.nets.go.modules import GoNet
from foible.nets.go.weights import input_planes
from foible.training.go.config import GoTraining
from foible.training.go.losses import log_odds, policy_loss, tanh_loss, value_loss, weight_loss
from foible.training.go.samples import GoBatch, GoSamples


@dataclass(frozen=True, slots=True)
class Losses:
    """Means over positions."""

    policy: float
    """Cross-entropy in nats."""
    value: float
    """Squared error of the winrate, 0 to 1: as reports of these programs show it, a quarter of what is learnt from."""


class GoTrainer:
    """Learns in place: `net` is the caller's."""

    def __init__(self, net: GoNet, config: GoTraining, generation: int = 1) -> None:
        """`generation`: whose games are learnt, which tells the learning rate."""
        self._net = net
        self._config = config
        lr = config.lr_of(generation)
        self._optimiser = torch.optim.SGD(net.parameters(), lr=lr, momentum=config.momentum, nesterov=True)

    def train(
        self,
        samples: GoSamples,
        rng: np.random.Generator,
        steps: int,
        on_step: Callable[[int], bool] = lambda done: False,
    ) -> bool:
        """So many batches, drawn by chance; whether it came to the end, `on_step` never having said to stop."""
        self._net.train()
        for step in range(steps):
            policy, value = self._losses(samples.draw(rng, self._config.batch_size))
            loss = policy.mean() + value.mean() + weight_loss(self._net, self._config.weight_decay)
            self._optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            norm = torch.nn.utils.clip_grad_norm_(self._net.parameters(), self._config.clip_norm)
            if norm.isfinite():  # else one overflow would end the run
                self._optimiser.step()
            if on_step(step + 1):
                return False
        self._net.eval()
        return True

    @property
    def state(self) -> dict[str, Any]:
        """What the next batch is learnt with."""
        return {"net": self._net.state_dict(), "optimiser": self._optimiser.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        self._net.load_state_dict(state["net"])
        self._optimiser.load_state_dict(state["optimiser"])

    @torch.no_grad()
    def measure(self, samples: GoSamples) -> Losses:
        """The losses on all positions, as they stand."""
        self._net.eval()
        policies, values = 0.0, 0.0
        for first in range(0, len(samples), self._config.batch_size):
            rows = np.arange(first, min(first + self._config.batch_size, len(samples)))
            policy, value = self._losses(samples.batch(rows, np.zeros(len(rows), np.uint8)))
            policies += float(policy.sum())
            values += float(value.sum()) / 4
        return Losses(policies / len(samples), values / len(samples))

    def _losses(self, batch: GoBatch) -> tuple[Tensor, Tensor]:
        config = self._net.config
        answers = self._net(torch.from_numpy(input_planes(batch.planes, config.planes)))
        result = torch.from_numpy(batch.results)
        policy = policy_loss(answers.policy, torch.from_numpy(batch.visits))
        if answers.raw is None:
            return policy, tanh_loss(answers.value.tanh(), result)
        z = log_odds(answers.value, answers.raw, torch.from_numpy(batch.signed_komi), config.size)
        weights = self._config
        return policy, value_loss(z, result, squared=weights.squared, cross_entropy=weights.cross_entropy)


@torch.no_grad()
def settle_norms(net: GoNet, planes: Tensor) -> None:
    """Give an untrained net the statistics of its batch norms, from positions `[N, planes, size, size]`.

    Without them what comes out of the trunk of a random net is beyond all measure, and beta with it.
    """
    norms = [module for module in net.modules() if isinstance(module, torch.nn.BatchNorm2d)]
    momenta = [norm.momentum for norm in norms]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    net.train()
    net(planes)
    net.eval()
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
