"""How good a net is on positions that it was not trained on, phase by phase."""

from collections.abc import Sequence

import torch
from torch import Tensor

from foible.games.phases import PHASES
from foible.training.figures import Losses, Validation, reported
from foible.training.losses import Targets, Terms

_COLUMNS = 9
"""Of a row of sums: weight, weighted policy, weighted value; positions, policy, value, WDL, plies, right moves."""


def empty_sums(phases: int, device: torch.device) -> Tensor:
    """`[1 + phases, 9]`: where `add_batch` gathers, for all positions and for each phase."""
    return torch.zeros(1 + phases, _COLUMNS, dtype=torch.float64, device=device)


def add_batch(sums: Tensor, terms: Terms, targets: Targets, right: Tensor, own: Tensor) -> None:
    """Add a batch to the sums.

    `right`: `[N]`, whether the most probable move is the one played. `own`: by phase, 1 for those trained on, else 0.
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
            terms.plies,
            right.double(),
        ],
        dim=1,
    )
    sums[1:].index_add_(0, targets.phase.long(), rows)
    sums[0] += rows.sum(0)


def validation_of(sums: Tensor, phases: Sequence[str] = PHASES, *, knows_draws: bool = True) -> Validation:
    """The means of what was gathered, by the names of the phases. Without any weight the loss is not a number.

    `knows_draws`: whether the net does; without them a cross-entropy of win, draw and loss says nothing.
    """
    table = sums.tolist()
    total, weighted_policy, weighted_value = table[0][:3]
    return Validation(
        loss=reported(weighted_policy / total, weighted_value / total) if total else float("nan"),
        sets={
            name: Losses(int(n), policy / n, value / n, wdl / n if knows_draws else None, plies / n, right / n)
            for name, (*_, n, policy, value, wdl, plies, right) in zip(("all", *phases), table, strict=True)
            if n
        },
    )
