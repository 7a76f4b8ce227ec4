"""The losses that are measured for a net, and the result of a training run."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

REPORTED_VALUE: Final = 0.01
REPORTED_POLICY: Final = 0.99
"""Weights of the loss by which nets are compared and checkpoints chosen (phase-experts §4.1)."""

Number = TypeVar("Number", float, NDArray[np.float64])

Ended = Literal["finished", "spikes", "interrupted"]
"""How a run ended: all steps are done; the validation loss spiked too often; or the run was stopped and can go on."""


@dataclass(frozen=True, slots=True)
class Losses:
    """The mean losses of a net over a set of positions."""

    positions: int
    policy: float
    """Cross-entropy over all moves of the encoding, illegal ones too, in nats."""
    value: float
    """Squared error of win minus loss, 0 to 4."""
    wdl: float | None
    """Cross-entropy, in nats; `None` for nets whose value knows no draws."""
    plies: float | None
    """Squared error of the plies to the end of the game, in hundreds of plies, over the positions that belong to a
    game; `None` where there are none, and for nets that do not predict it.
    """
    accuracy: float
    """Share of positions whose most probable move is the one played, 0 to 1. The moves compared are all that the
    encoding has, illegal ones too, as in the policy's loss: a net that chooses among legal moves only is right as often
    or oftener.
    """

    @property
    def loss(self) -> float:
        """0.99 policy + 0.01 value."""
        return reported(self.policy, self.value)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"loss": self.loss, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Validation:
    """One evaluation. Every position counts the same, whatever the batch it came in (phase-experts §10, item 9)."""

    loss: float | None
    """The mean of 0.99 policy + 0.01 value over the phases that are trained on, with the samples' weights; `None`
    where no position is of these phases. The best checkpoint is chosen and spikes are noticed by it.
    """
    sets: Mapping[str, Losses]
    """The losses of all positions (`all`) and of each phase that has any; every position has weight 1."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"loss": self.loss, "sets": {name: losses.to_json() for name, losses in self.sets.items()}}


@dataclass(frozen=True, slots=True)
class Trained:
    """The result of a run."""

    folder: Path
    ended: Ended
    net: Path
    """The file with the net that was kept."""
    steps: int
    """The number of batches learnt from."""
    positions: int
    seconds: float
    spikes: int
    kept_step: int
    """The step whose weights became the net."""
    validation: Validation | None
    """The validation of the net's weights; `None` where they have not been evaluated."""
    test: Validation | None
    """The losses of the net on the test set, which had no part in choosing it; `None` without one, or where the run was
    interrupted.
    """

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        plain: dict[str, Any] = msgspec.to_builtins(self, enc_hook=str)
        found = {"validation": self.validation, "test": self.test}
        return {**plain, **{name: one.to_json() if one else None for name, one in found.items()}}


def reported(policy: Number, value: Number) -> Number:
    """The loss that tables and curves show: 0.99 policy + 0.01 value, without WDL and plies terms."""
    return REPORTED_POLICY * policy + REPORTED_VALUE * value
