"""A weak engine as the model of a player: it mostly plays what looks best to it (opponent-modelling §2.1, item d).

With a depth of 1 or 2 it is the player of "Trappy Minimax" (§2.5), who falls into traps that a short search misses.
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition
from foible.engines.pool import EnginePool, EnginesSpec, open_engines
from foible.engines.search import Variation
from foible.errors import ConfigError
from foible.nets.evaluator import softmax
from foible.nets.shelf import NetShelf
from foible.opponents.base import Distribution

Values = NDArray[np.float64]
"""`[K]`: win probabilities of the K legal moves for their mover, in the order of `position.legal_moves`."""

ALL_MOVES = 256
"""A `multipv` for all legal moves: no position has as many."""

TEMPERATURE = 0.08
"""The default temperature, which fits people: `foible model temperature` gave 0.075 to 0.095 with Stockfish at 2000
nodes, 0.04 to 0.07 at 20 000 (docs/results.md)."""


class EngineModelSpec(EnginesSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="engine"):
    """A weak engine: it mostly plays what looks best to it in a short search."""

    name: str = ""
    """The model's name in tables; composed from its other settings when empty."""
    temperature: Annotated[float, msgspec.Meta(gt=0, le=100)] = TEMPERATURE
    """The temperature in win probability: a move that is worth less by this much is 1/e times as probable."""
    multipv: Annotated[int, msgspec.Meta(ge=2)] = ALL_MOVES
    """The number of moves that the engine values, all by default; the others count as the worst of them."""

    def build(self, _shelf: NetShelf) -> "EngineModel":
        """The model; raises as `Spec.build`."""
        return EngineModel(open_engines(self), temperature=self.temperature, multipv=self.multipv, name=self.name)

    @property
    def level(self) -> float | None:
        """`None`: the model stands for no rating."""
        return None


class EngineModel:
    """p(m) ∝ exp(wp(m) / T), by the variations of an engine: one for every legal move, unless `multipv` says fewer.

    wp(m) is the win probability of people at the move's centipawns (opponent-modelling §1.5). By the engine's own WDL
    all moves in a won position would be alike, and people's moves 0.1 to 0.2 nats less likely. A move that the engine
    did not list counts as the worst one listed.
    """

    def __init__(self, engines: EnginePool, *, temperature: float, multipv: int = ALL_MOVES, name: str = "") -> None:
        """`engines`: belong to the model from now on; `temperature`: T above, in win probability, greater than 0."""
        if not temperature > 0:
            raise ConfigError(f"temperature = {temperature:g}; an engine as a model needs one above 0")
        if multipv < 2:
            raise ConfigError(f"multipv = {multipv}; an engine as a model needs at least 2")
        self.name = name or f"{engines.name}, T = {temperature:g}"
        self.engine = engines.name
        """The engine and its limits, as tables show them."""
        self._engines, self._temperature, self._multipv = engines, temperature, multipv

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        """:raises EngineError: a position went wrong twice; names engine and position, and says what happened."""
        return [softmax(values, self._temperature) for values in await self.values(positions)]

    async def values(self, positions: Sequence[ChessPosition]) -> list[Values]:
        """The win probability of every legal move of each position by the engine; raises as `predict`."""
        found = await self._engines.search(positions, self._multipv)
        return [_values(position.legal_moves, lines) for position, lines in zip(positions, found, strict=True)]

    def close(self) -> None:
        self._engines.close()


def _values(legal: list[str], lines: list[Variation]) -> Values:
    listed = {line.move: line.human_wp for line in lines}
    worst = min(listed.values())
    return np.array([listed.get(move, worst) for move in legal])
