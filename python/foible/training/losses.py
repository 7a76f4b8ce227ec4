"""The loss that a net is trained on (phase-experts §4.1, skill-compatible §4.2), and the losses by phase on positions
that it was not trained on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from foible.games.phases import PHASES
from foible.nets.modules.net import Outputs
from foible.training.config import LossConfig
from foible.training.data.encoder import MOST_PLIES, TrainBatch
from foible.training.trained import Losses, Validation, reported


class Terms(NamedTuple):
    """The terms of the loss, `[N]` each."""

    policy: Tensor
    value: Tensor
    wdl: Tensor
    plies: Tensor


@dataclass(frozen=True, slots=True)
class BatchTargets:
    """The targets of a batch of N samples, on the device where the net is; what they mean stands in `TrainBatch`."""

    policy: Tensor
    """`[N]`."""
    wdl: Tensor
    """`[N, 3]`."""
    plies: Tensor
    """`[N]`."""
    phase: Tensor
    """`[N]`."""
    weight: Tensor
    """`[N]`."""
    soft: tuple[Tensor, Tensor, Tensor] | None
    """The rows, moves and shares of `TrainBatch.soft_policy`, `[K]` each."""


def targets_of(batch: TrainBatch, device: torch.device) -> BatchTargets:
    """The targets of a batch, copied to the device."""
    soft = batch.soft_policy
    return BatchTargets(
        policy=to_device(batch.policy, device),
        wdl=to_device(batch.wdl, device),
        plies=to_device(batch.plies, device),
        phase=to_device(batch.phase, device),
        weight=to_device(batch.weight, device),
        soft=None
        if soft is None
        else (to_device(soft.rows, device), to_device(soft.moves, device), to_device(soft.shares, device)),
    )


def loss_terms(outputs: Outputs, targets: BatchTargets, plies_unit: float) -> Terms:
    """Each term of the loss for each sample, in float32. That of the plies is 0 where their target is NaN.

    `plies_unit`: the number of plies that an output of 1 stands for.
    """
    wdl = functional.log_softmax(outputs.wdl.float(), dim=1)
    chances = wdl.exp()
    value = chances[:, 0] - chances[:, 2]
    target = targets.wdl[:, 0] - targets.wdl[:, 2]
    plies = torch.zeros_like(value)
    if outputs.plies is not None:
        error = outputs.plies.float() * (plies_unit / MOST_PLIES) - targets.plies
        plies = torch.where(targets.plies.isnan(), 0.0, error).square()
    return Terms(
        policy=policy_cross_entropy(outputs.policy.float(), targets),
        value=(value - target).square(),
        wdl=-(targets.wdl * wdl).sum(1),
        plies=plies,
    )


def policy_cross_entropy(logits: Tensor, targets: BatchTargets) -> Tensor:
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
    """The scalar loss: the batch mean of the weighted sum of the terms, each sample's times its own weight."""
    total = (
        config.policy * terms.policy + config.value * terms.value + config.wdl * terms.wdl + config.plies * terms.plies
    )
    return (total * weight).mean()


def to_device(array: NDArray[Any], device: torch.device) -> Tensor:
    """Copy an array to the device. A GPU copies it while the net is at work, which needs pinned memory."""
    host = torch.from_numpy(array)
    return (host.pin_memory() if device.type == "cuda" else host).to(device, non_blocking=True)


_COLUMNS = 10
"""The columns of a row of sums: weight, weighted policy loss, weighted value loss; positions, policy loss, value loss,
WDL loss, positions that belong to a game, plies loss, positions whose move was predicted.
"""


def empty_sums(phases: int, device: torch.device) -> Tensor:
    """`[1 + phases, 10]`: zeros for `add_batch` to add to, with one row for all positions and one for each phase."""
    return torch.zeros(1 + phases, _COLUMNS, dtype=torch.float64, device=device)


def add_batch(sums: Tensor, terms: Terms, targets: BatchTargets, right: Tensor, own: Tensor) -> None:
    """Add a batch to the sums.

    `right`: `[N]`, whether the highest logit is that of the move played. `own`: for each phase 1 where the net is
    trained on it, else 0; the weighted columns leave the others out.
    """
    weight = targets.weight.double() * own[targets.phase.long()]
    one = torch.ones_like(weight)
    rows = torch.stack(
        [
            weight,
            weight * terms.policy,
            weight * terms.value,
            one,
            terms.policy,
            terms.value,
            terms.wdl,
            (~targets.plies.isnan()).double(),
            terms.plies,
            right.double(),
        ],
        dim=1,
    )
    sums[1:].index_add_(0, targets.phase.long(), rows)
    sums[0] += rows.sum(0)


def validation_of(
    sums: Tensor, phases: Sequence[str] = PHASES, *, knows_draws: bool = True, knows_plies: bool = True
) -> Validation:
    """The mean losses from the sums of `add_batch`, by the names of the phases. `loss` is `None` where all weights
    are 0.

    `knows_draws`: whether the net's value tells draws; the WDL cross-entropy of other nets means nothing and is left
    out. `knows_plies`: whether the net predicts the plies to the end; the others have no such loss.
    """
    table = sums.tolist()
    total, weighted_policy, weighted_value = table[0][:3]
    return Validation(
        loss=reported(weighted_policy / total, weighted_value / total) if total else None,
        sets={
            name: Losses(
                int(n),
                policy / n,
                value / n,
                wdl / n if knows_draws else None,
                plies / ending if knows_plies and ending else None,
                right / n,
            )
            for name, (*_, n, policy, value, wdl, ending, plies, right) in zip(("all", *phases), table, strict=True)
            if n
        },
    )
