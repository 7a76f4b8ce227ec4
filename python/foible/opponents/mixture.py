"""Models made of other models: mixtures of several with weights, and models for which no legal move is impossible."""

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.loop import together
from foible.mistakes import check_share
from foible.nets.shelf import NetShelf
from foible.opponents.base import Distribution, OpponentModel, Spec, normalised
from foible.opponents.net import Nets, Rating, default_levels_at, net_model, nets_by_level, weights_of_rating


class RatingModelSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="rating"):
    """A player of a rating: a mixture of the nets of the two nearest levels."""

    rating: Rating
    """The rating in points; outside the levels the nearest level plays."""
    nets: Nets = msgspec.field(default_factory=dict)
    """The net of each level. When empty maia-1100 to maia-1900; or club for other ratings, and where those are not on
    this machine."""

    def build(self, shelf: NetShelf) -> "MixtureModel":
        nets = nets_by_level(self.nets, default_levels_at(self.rating))
        weights = weights_of_rating(nets, self.rating)
        levels = [net_model(nets[level], shelf) for level in weights]
        alone = levels[0].name if list(weights) == [self.rating] else ""
        return MixtureModel(levels, list(weights.values()), self.name or alone or _rating_name(self.rating, nets))

    @property
    def level(self) -> float | None:
        return self.rating


def _rating_name(rating: float, levels: Iterable[int]) -> str:
    """The name of a model for a rating; tells which level plays where the rating is outside the levels."""
    nearest = max(min(levels), min(rating, max(levels)))
    return f"rating {rating:g}" + ("" if nearest == rating else f" (as {nearest:g})")


class MixtureModel:
    """The weighted mean of the models' probabilities: one of them plays, and we do not know which."""

    def __init__(self, models: Sequence[OpponentModel], weights: Sequence[float] = (), name: str = "") -> None:
        """`weights`: one for each model, with any sum; equal when absent.

        :raises ConfigError: there are no models, or not one weight for each, or weights are negative or all zero.
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

    :raises ConfigError: there is not one weight for each of `count` models, or weights are negative, not finite or all
        zero.
    """
    if len(weights) != count or not count:
        raise ConfigError(f"{len(weights)} weights for {count} models: expected one for each, and at least one")
    total = sum(weights)
    if not 0 < total < float("inf") or min(weights) < 0:
        raise ConfigError(f"weights {', '.join(f'{w:g}' for w in weights)}: expected none negative and some positive")
    return [weight / total for weight in weights]


EPSILON = 0.02
"""The share that is spread evenly over all legal moves (opponent-modelling §2.1, item g)."""


def floored(distribution: Distribution, epsilon: float = EPSILON) -> Distribution:
    """`[K]` → `[K]`: p' = (1 − ε) p + ε / K."""
    raised: Distribution = (1 - epsilon) * distribution + epsilon / len(distribution)
    return raised


class FloorModel:
    """Another model's probabilities, with a share ε of the probability spread evenly over all legal moves."""

    def __init__(self, model: OpponentModel, epsilon: float = EPSILON, name: str = "") -> None:
        """:raises ConfigError: ε outside 0 to 1."""
        check_share("epsilon", epsilon)
        self.name = name or f"{model.name} with floor {epsilon:g}"
        self._model = model
        self._epsilon = epsilon

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        return [
            floored(normalised(distribution), self._epsilon) for distribution in await self._model.predict(positions)
        ]

    def close(self) -> None:
        self._model.close()
