"""Looks at positions: what a search of so many visits finds, and what it finds when one move is forbidden."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from foible._core import ChessPosition, RootSummary
from foible.nets.evaluator import Evaluator
from foible.search.many import Searches
from foible.search.params import SearchParams

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

    Visits count the root's own, as `nodes` does everywhere: one visit is the net's word on the position. Evaluations
    are kept between calls, trees are not.
    """

    def __init__(self, evaluator: Evaluator, params: SearchParams) -> None:
        self._searches = Searches(evaluator, params)

    def search(self, positions: Sequence[ChessPosition], nodes: int) -> list[View]:
        """What `nodes` visits find. No game is over."""
        return self._views(positions, nodes, [None] * len(positions))

    def without(self, positions: Sequence[ChessPosition], moves: Sequence[str], nodes: int) -> list[View | None]:
        """What `nodes` visits find when the side to move may not play the one move; `None` where it has no other."""
        others = [[m for m in p.legal_moves if m != move] for p, move in zip(positions, moves, strict=True)]
        open_ = [position for position, only in zip(positions, others, strict=True) if only]
        views = iter(self._views(open_, nodes, [only for only in others if only]))
        return [next(views) if only else None for only in others]

    def _views(
        self, positions: Sequence[ChessPosition], nodes: int, only: Sequence[Sequence[str] | None]
    ) -> list[View]:
        size = max(1, VISITS // nodes)
        found: list[View] = []
        for start in range(0, len(positions), size):
            part = slice(start, start + size)
            found += map(view, self._searches.summaries(positions[part], nodes, only[part]))
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
