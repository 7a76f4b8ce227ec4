"""A human-like net as the model of a player: Maia at a level."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

import msgspec

from foible._core import Batch, ChessPosition
from foible.fields import Names
from foible.nets.evaluator import Evaluator, softmax
from foible.nets.shelf import NetShelf, short_name
from foible.opponents.base import Distribution, Spec
from foible.opponents.levels import level_of_net
from foible.search.floor import evaluate


class NetModelSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net"):
    """A net's policy: Maia at a level."""

    net: str | Names
    """A net, or several of which the first that is at hand is taken."""
    temperature: Annotated[float, msgspec.Meta(gt=0, le=100)] = 1.0

    def build(self, shelf: NetShelf) -> "NetModel":
        return net_model(self.net, shelf, self.temperature, self.name)

    @property
    def level(self) -> float | None:
        return level_of_net(short_name(self.net))


def net_model(net: str | list[str], shelf: NetShelf, temperature: float = 1.0, name: str = "") -> "NetModel":
    """The model of a net by its name, of which it has its own where no other is given."""
    return NetModel(shelf.evaluator(net), temperature=temperature, name=name or short_name(net))


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
