"""Who moves in an expectation: an opponent model, narrowed to its likely moves, or a search that plays its best."""

from collections.abc import Mapping, Sequence

from foible._core import ChessPosition
from foible.opponents.base import OpponentModel
from foible.search.trees import Trees


class LikelyMoves:
    """A model's most probable moves: the fewest whose probabilities reach `mass`, but at most `width`.

    Their probabilities are as the model gave them: what is left out is missing from the sum
    (opponent-modelling §2.2). `width = 1` is the deterministic junior of the published tag team.
    """

    def __init__(self, model: OpponentModel, *, mass: float = 1.0, width: int | None = None) -> None:
        self._model, self._mass, self._width = model, mass, width

    async def options(self, positions: Sequence[ChessPosition]) -> list[Mapping[str, float]]:
        distributions = await self._model.predict(positions)
        return [
            likely(dict(zip(position.legal_moves, distribution.tolist(), strict=True)), self._mass, self._width)
            for position, distribution in zip(positions, distributions, strict=True)
        ]


def likely(distribution: Mapping[str, float], mass: float = 1.0, width: int | None = None) -> dict[str, float]:
    """The most probable moves, best first; moves of the same probability as they come."""
    kept: dict[str, float] = {}
    covered = 0.0
    for move in sorted(distribution, key=lambda move: -distribution[move])[:width]:
        if kept and (covered >= mass or distribution[move] == 0):
            break
        kept[move] = distribution[move]
        covered += distribution[move]
    return kept


class BestMove:
    """The move that a search plays (skill-compatible §1.4: most visits, no temperature)."""

    def __init__(self, trees: Trees, nodes: int) -> None:
        self._trees, self._nodes = trees, nodes

    async def options(self, positions: Sequence[ChessPosition]) -> list[Mapping[str, float]]:
        return [{summary.moves[0].move: 1.0} for summary in await self._trees.searches(positions, self._nodes)]
