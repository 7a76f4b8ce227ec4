"""A human-like net as the model of a player: Maia at a level."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch, ChessPosition
from foible.nets.evaluator import Evaluator
from foible.opponents.base import Distribution


class NetModel:
    """The policy of a net (opponent-modelling §2.1 a)."""

    def __init__(self, evaluator: Evaluator, *, temperature: float = 1.0, name: str = "") -> None:
        """`temperature`: divides the logits; 1 is the net's own policy."""
        self.name = name or evaluator.name
        self._evaluator = evaluator
        self._temperature = temperature

    def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        step = self._evaluator.batch_size
        found: list[Distribution] = []
        for start in range(0, len(positions), step):
            batch = Batch(positions[start : start + step])
            logits, offsets = self._evaluator.evaluate(batch).logits, batch.offsets
            found += [softmax(logits[i:j], self._temperature) for i, j in pairwise(offsets)]
        return found

    def close(self) -> None:
        """The evaluator belongs to the caller."""


def softmax(logits: NDArray[np.float32], temperature: float = 1.0) -> Distribution:
    """`[K]` → `[K]`: probabilities in 64 bits, summing to 1."""
    scaled = (logits.astype(np.float64) - float(logits.max())) / temperature
    weights: Distribution = np.exp(scaled)
    weights /= weights.sum()
    return weights
