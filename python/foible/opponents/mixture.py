"""Several models at once, each with its weight."""

from collections.abc import Sequence

import numpy as np

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.loop import together
from foible.opponents.base import Distribution, OpponentModel, normalised


class MixtureModel:
    """The weighted mean of the models' probabilities: one of them plays, and we do not know which."""

    def __init__(self, models: Sequence[OpponentModel], weights: Sequence[float] = (), name: str = "") -> None:
        """`weights`: of any sum, equal when absent.

        :raises ConfigError: no models, weights of another number, negative or all zero.
        """
        self.name = name or " + ".join(model.name for model in models)
        self._models = list(models)
        self._weights = shares(weights or [1.0] * len(models), len(models))

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        parts = await together(model.predict(positions) for model in self._models)
        return [
            normalised(np.sum([w * normalised(p) for w, p in zip(self._weights, found, strict=True)], axis=0))
            for found in zip(*parts, strict=True)
        ]

    def close(self) -> None:
        for model in self._models:
            model.close()


def shares(weights: Sequence[float], count: int) -> list[float]:
    """Weights as shares that sum to 1.

    :raises ConfigError: not one for each of `count` models, negative, not finite, or all zero.
    """
    if len(weights) != count or not count:
        raise ConfigError(f"{len(weights)} weights for {count} models: expected one for each, and at least one")
    total = sum(weights)
    if not 0 < total < float("inf") or min(weights) < 0:
        raise ConfigError(f"weights {', '.join(f'{w:g}' for w in weights)}: expected none negative and some positive")
    return [weight / total for weight in weights]
