"""Looks at positions: what a net says at once, what a search finds, and what it finds when one move is forbidden."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from foible._core import Batch, ChessPosition, Forest, RootSummary, Seat
from foible.nets.evaluator import Evaluator
from foible.search.driver import run
from foible.search.params import SearchParams

CHUNK: Final = 256
"""Positions of one evaluation."""
VISITS: Final = 1_000_000
"""Of all trees that grow together: some 600 MB."""


@dataclass(frozen=True, slots=True)
class View:
    """What a look says of a position, to the side to move. Win probabilities 0 to 1: P(win) + P(draw) / 2."""

    best: str
    wp: float
    """Of the best move; the net's own word on the position where no move was tried yet."""
    second: float
    """The highest of the other moves that were tried; 0 where none was."""
    mate: float | None = None
    """Plies to mate after the best move, as far as is known, where the win is proven."""
    second_mate: float | None = None
    """The same of the other moves that win: the shortest."""


class Looks:
    """Looks at many positions at once; each result depends on its position and the visits alone.

    Evaluations are kept between calls, trees are not.
    """

    def __init__(self, evaluator: Evaluator, params: SearchParams) -> None:
        self._evaluator = evaluator
        self._forest = Forest(params, Seat(), Seat())
        self._leaves = max(1, evaluator.batch_size)

    def at_once(self, positions: Sequence[ChessPosition]) -> list[float]:
        """The win probability that the net sees, without search. No game is over."""
        found: list[float] = []
        for start in range(0, len(positions), CHUNK):
            batch = Batch(positions[start : start + CHUNK])
            found += ((1 + self._evaluator.evaluate(batch).q) / 2).tolist()
        return found

    def search(self, positions: Sequence[ChessPosition], nodes: int) -> list[View]:
        """What `nodes` visits find. No game is over."""
        return self._views([(position, None) for position in positions], nodes)

    def without(self, positions: Sequence[ChessPosition], moves: Sequence[str], nodes: int) -> list[View | None]:
        """What `nodes` visits find when the side to move may not play the one move; `None` where it has no other."""
        others = [[m for m in p.legal_moves if m != move] for p, move in zip(positions, moves, strict=True)]
        open_ = [(position, only) for position, only in zip(positions, others, strict=True) if only]
        views = iter(self._views(open_, nodes))
        return [next(views) if only else None for only in others]

    def _views(self, tasks: Sequence[tuple[ChessPosition, list[str] | None]], nodes: int) -> list[View]:
        size = max(1, VISITS // nodes)
        found: list[View] = []
        for start in range(0, len(tasks), size):
            part = tasks[start : start + size]
            trees = [self._forest.add(position, nodes, only=only) for position, only in part]
            try:
                run(self._forest, [self._evaluator], leaves=self._leaves)
                found += [view(self._forest.summary(tree)) for tree in trees]
            finally:
                for tree in trees:
                    self._forest.remove(tree)
        return found


def view(found: RootSummary) -> View:
    """A search's answer in win probabilities."""
    best, *others = found.moves
    tried = [_wp(move.q) for move in others if move.n]
    mates = [move.m if move.proven == 1 else math.inf for move in found.moves]
    known = [mate if math.isfinite(mate) else None for mate in (mates[0], min(mates[1:], default=math.inf))]
    return View(best.move, _wp(best.q if best.n else found.q), max(tried, default=0.0), *known)


def _wp(q: float) -> float:
    return (1 + q) / 2
