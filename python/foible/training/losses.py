"""What a net is trained to lower (phase-experts §4.1, skill-compatible §4.2)."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from foible.nets.modules.outputs import Outputs
from foible.training.config import LossConfig
from foible.training.data.batch import TrainBatch
from foible.training.data.targets import MOST_PLIES


class Terms(NamedTuple):
    """The terms of the loss, `[N]` each."""

    policy: Tensor
    value: Tensor
    wdl: Tensor
    plies: Tensor


@dataclass(frozen=True, slots=True)
class Targets:
    """A batch of N samples on the device where the net is; fields as in `TrainBatch`."""

    policy: Tensor
    wdl: Tensor
    plies: Tensor
    phase: Tensor
    weight: Tensor
    soft: tuple[Tensor, Tensor, Tensor] | None
    """Rows, moves and shares, `[K]` each."""


def targets_of(batch: TrainBatch, device: torch.device) -> Targets:
    """The batch without its planes."""
    soft = batch.soft_policy
    return Targets(
        policy=_tensor(batch.policy, device),
        wdl=_tensor(batch.wdl, device),
        plies=_tensor(batch.plies, device),
        phase=_tensor(batch.phase, device),
        weight=_tensor(batch.weight, device),
        soft=None
        if soft is None
        else (_tensor(soft.rows, device), _tensor(soft.moves, device), _tensor(soft.shares, device)),
    )


def loss_terms(outputs: Outputs, targets: Targets, plies_unit: float) -> Terms:
    """Each term for each sample, in float32.

    `plies_unit`: how many plies 1 means in the net's output.
    """
    wdl = functional.log_softmax(outputs.wdl.float(), dim=1)
    chances = wdl.exp()
    value = chances[:, 0] - chances[:, 2]
    target = targets.wdl[:, 0] - targets.wdl[:, 2]
    plies = torch.zeros_like(value)
    if outputs.plies is not None:
        plies = (outputs.plies.float() * (plies_unit / MOST_PLIES) - targets.plies).square()
    return Terms(
        policy=policy_entropy(outputs.policy.float(), targets),
        value=(value - target).square(),
        wdl=-(targets.wdl * wdl).sum(1),
        plies=plies,
    )


def policy_entropy(logits: Tensor, targets: Targets) -> Tensor:
    """`[N]`: cross-entropy of the policy against the move played, or against a distribution where there is one."""
    total = logits.logsumexp(1)
    played = total - logits.gather(1, targets.policy[:, None]).squeeze(1)
    if targets.soft is None:
        return played
    rows, moves, shares = targets.soft
    entropy = torch.zeros_like(played).index_add(0, rows, shares * (total[rows] - logits[rows, moves]))
    given = torch.zeros_like(played).index_add(0, rows, torch.ones_like(shares))
    return torch.where(given > 0, entropy, played)


def batch_loss(terms: Terms, weight: Tensor, config: LossConfig) -> Tensor:
    """A number: the batch mean of the weighted terms, each sample's times its own weight."""
    total = (
        config.policy * terms.policy + config.value * terms.value + config.wdl * terms.wdl + config.plies * terms.plies
    )
    return (total * weight).mean()


def _tensor(array: object, device: torch.device) -> Tensor:
    return torch.as_tensor(array).to(device, non_blocking=True)
