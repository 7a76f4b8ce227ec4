"""The seam between nets and everything above them: a batch of positions in, policies and values out."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluator says of a batch of N positions with M legal moves in all."""

    logits: Floats
    """`[M]`: policy logits of the legal moves, concatenated in the order of the batch."""
    wdl: Floats
    """`[N, 3]`: probabilities of win, draw and loss for the side to move; rows sum to 1."""
    moves_left: Floats | None = None
    """`[N]`: expected plies to the end of the game, when the net has such a head."""
    margins: Floats | None = None
    """`[N, 2]`: alpha, the expected margin on the board of the side to move in points, without komi, and beta > 0, the
    steepness of its winrate per point, when the net tells them (SAI, §1.1).
    """

    @property
    def q(self) -> Floats:
        """`[N]`: win minus loss, −1 to 1, for the side to move."""
        return self.wdl[:, 0] - self.wdl[:, 2]


@runtime_checkable
class Evaluator(Protocol):
    """Judges positions. Implementations are thread-safe: a search may overlap two calls."""

    @property
    def name(self) -> str:
        """What a report calls it: the net's name and the runtime."""

    @property
    def batch_size(self) -> int:
        """The number of positions per call at which it is fastest."""

    def evaluate(self, batch: Batch) -> Evaluation:
        """Judge every position of the batch."""
