"""A human-like net as the model of a player: Maia at a level."""

from collections.abc import Sequence
from itertools import pairwise

from foible._core import Batch, ChessPosition
from foible.nets.evaluator import Evaluator, softmax
from foible.opponents.base import Distribution
from foible.search.floor import evaluate


class NetModel:
    """The policy of a net (opponent-modelling §2.1, item a)."""

    def __init__(self, evaluator: Evaluator, *, temperature: float = 1.0, name: str = "") -> None:
        """`temperature`: divides the logits; 1 is the net's own policy."""
        self.name = name or evaluator.name
        self._evaluator = evaluator
        self._temperature = temperature

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        if not positions:
            return []
        batch = Batch(positions)
        logits = (await evaluate(self._evaluator, batch)).logits
        return [softmax(logits[i:j], self._temperature) for i, j in pairwise(batch.offsets)]

    def close(self) -> None:
        """The evaluator belongs to the caller."""
