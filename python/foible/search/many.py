"""Searching many positions at once that have nothing to do with each other."""

from collections.abc import Sequence

from foible._core import Forest, GoPosition, RootSummary
from foible.games import Position
from foible.nets.evaluator import Evaluator
from foible.search.driver import run
from foible.search.params import SearchParams
from foible.search.seats import seats
from foible.search.votes import without_cache


class Searches:
    """Searches positions with a tree for each, planted anew; only evaluations are kept between calls.

    The result of a position depends on nothing but the position, the visits and the constants.
    """

    def __init__(self, evaluator: Evaluator, params: SearchParams | None = None) -> None:
        self.evaluator = evaluator
        self._params = without_cache(params or SearchParams(), [evaluator])
        self._forest: Forest | None = None

    def summaries(
        self, positions: Sequence[Position], nodes: int, only: Sequence[Sequence[str] | None] | None = None
    ) -> list[RootSummary]:
        """What `nodes` visits find at the root of each position.

        `only`: for each position the moves that may be played there, `None` for all; all everywhere when absent.

        :raises FoibleError: a game is over.
        :raises MoveError: a move in `only` is not legal.
        """
        if not positions:
            return []
        forest = self._forest = self._forest or self._plant(positions[0])
        trees: list[int] = []
        try:
            for position, moves in zip(positions, only or [None] * len(positions), strict=True):
                trees.append(forest.add(position, nodes, self._params.seed, only=moves))
            leaves = min(-(-len(trees) * self._params.batch // 2), self.evaluator.batch_size)
            run(forest, [self.evaluator], leaves=max(1, leaves))
            return [forest.summary(tree) for tree in trees]
        finally:
            for tree in trees:
                forest.remove(tree)

    def _plant(self, position: Position) -> Forest:
        game = "go" if isinstance(position, GoPosition) else "chess"
        return Forest(self._params, *seats(self._params), game=game)
