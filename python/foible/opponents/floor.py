"""Models that hold nothing for impossible."""

from collections.abc import Sequence

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.opponents.base import Distribution, OpponentModel, normalised

EPSILON = 0.02
"""The share that is spread evenly over all legal moves (opponent-modelling §2.1, item g)."""


def floored(distribution: Distribution, epsilon: float = EPSILON) -> Distribution:
    """`[K]` → `[K]`: p' = (1 − ε) p + ε / K."""
    raised: Distribution = (1 - epsilon) * distribution + epsilon / len(distribution)
    return raised


class FloorModel:
    """A model, every move of which gets a share of ε."""

    def __init__(self, model: OpponentModel, epsilon: float = EPSILON, name: str = "") -> None:
        """:raises ConfigError: ε outside 0 to 1."""
        if not 0 <= epsilon <= 1:
            raise ConfigError(f"epsilon is {epsilon:g}, expected 0 to 1")
        self.name = name or f"{model.name} with floor {epsilon:g}"
        self._model = model
        self._epsilon = epsilon

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        return [floored(normalised(found), self._epsilon) for found in await self._model.predict(positions)]

    def close(self) -> None:
        self._model.close()
