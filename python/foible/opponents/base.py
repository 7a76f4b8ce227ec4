"""What an opponent model is: it says how probable every move of a player is, for many positions at a time."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition

Distribution = NDArray[np.float64]
"""`[K]`: probabilities of the K legal moves, in the order of `position.legal_moves`; they sum to 1."""


class OpponentModel(Protocol):
    """A model of a player (opponent-modelling §2.1). The same positions get the same answer, always.

    A position knows its history: a model may look at the moves that led to it.
    """

    @property
    def name(self) -> str:
        """What tables call it."""

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        """How the side to move of each position plays, one distribution each; no game is over."""

    def close(self) -> None:
        """Give back processes and memory."""
