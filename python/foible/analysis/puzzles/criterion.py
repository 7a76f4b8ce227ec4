"""The criterion by which a position is a puzzle (search-contempt §5), and the searches, or looks, that it compares: of
a given number of visits, and with one move forbidden.

In a puzzle the evaluations at N_scl and at N visits differ by at least δ, and the solution is unique. We require the
difference to be a gain for the solver, V_N − V_N_scl ≥ δ: where the longer search sees less, there is nothing to find
except that the shorter one was wrong. The evaluation at n visits is the mean value of the move that the search would
play; at one visit, where no move has been tried, it is the net's value of the position.
"""

import math
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final

from foible._core import ChessPosition, RootSummary
from foible.errors import ConfigError, FoibleError
from foible.loop import wait, watched
from foible.nets.evaluator import Evaluator
from foible.search.params import SearchParams
from foible.search.trees import Trees

VISITS: Final = 1_000_000
"""The most visits of all trees that are searched at a time: some 600 MB."""


@dataclass(frozen=True, slots=True)
class SearchView:
    """The result of a search, for the side to move. Win probabilities are 0 to 1: P(win) + P(draw) / 2."""

    best: str
    wp: float
    """The win probability of the best move; the net's value of the position where no move was tried."""
    second: float
    """The highest win probability of the other moves that were tried; 0 where none was."""
    mate: float | None = None
    """Plies to mate after the best move, where its win is proven and the number is known."""
    second_mate: float | None = None
    """The fewest plies to mate among the other moves that are proven to win."""


class Looks:
    """Searches many positions at once; each result depends on its position and the number of visits alone.

    The root's own visit counts, as in `nodes` everywhere: one visit gives the net's value of the position. Net
    evaluations are cached between calls, trees are not kept.
    """

    def __init__(self, evaluator: Evaluator, params: SearchParams) -> None:
        self._trees = Trees([evaluator], params)
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Stop, from any thread: the search under way and all later ones end with an error at once."""
        self._stopped.set()

    def search(self, positions: Sequence[ChessPosition], nodes: int) -> list[SearchView]:
        """The results of searches of `nodes` visits. In no position may the game be over."""
        return self._views(positions, nodes, [None] * len(positions))

    def without(self, positions: Sequence[ChessPosition], moves: Sequence[str], nodes: int) -> list[SearchView | None]:
        """The results of `nodes` visits when the given move is forbidden; `None` where there is no other legal move."""
        others = [[m for m in p.legal_moves if m != move] for p, move in zip(positions, moves, strict=True)]
        open_ = [position for position, only in zip(positions, others, strict=True) if only]
        views = iter(self._views(open_, nodes, [only for only in others if only]))
        return [next(views) if only else None for only in others]

    def _views(
        self, positions: Sequence[ChessPosition], nodes: int, only: Sequence[Sequence[str] | None]
    ) -> list[SearchView]:
        size = max(1, VISITS // nodes)
        views: list[SearchView] = []
        for start in range(0, len(positions), size):
            part = slice(start, start + size)
            views += map(view, wait(self._until_stopped(self._trees.searches(positions[part], nodes, only[part]))))
        return views

    async def _until_stopped(self, work: Coroutine[Any, Any, list[RootSummary]]) -> list[RootSummary]:
        """Await the searches, unless `stop` ends them.

        :raises FoibleError: the searches were stopped.
        """
        summaries: list[RootSummary] = []

        async def search() -> None:
            summaries.extend(await work)

        await watched(search(), self._stopped, lambda: None, math.inf)
        if self._stopped.is_set():
            work.close()  # matters where the work had not begun
            raise FoibleError("the search for puzzles was stopped")
        return summaries


def view(summary: RootSummary) -> SearchView:
    """The result of a search as win probabilities."""
    best, *others = summary.moves
    tried = [_wp(move.q) for move in others if move.n]
    mates = [move.m if move.proven == 1 else math.inf for move in summary.moves]
    known = [mate if math.isfinite(mate) else None for mate in (mates[0], min(mates[1:], default=math.inf))]
    return SearchView(best.move, _wp(best.q if best.n else summary.q), max(tried, default=0.0), *known)


def _wp(q: float) -> float:
    return (1 + q) / 2


SCOUT_SHARE: Final = 4
"""The scout, a short search that decides whether the long one is worthwhile, has N / `SCOUT_SHARE` visits.

With the defaults it passes 88 % of the public puzzles that the criterion accepts, and 15 % of the positions of games
(docs/puzzles.md).
"""
SCOUT_GAIN: Final = 0.2
"""The share of δ that the scout has to find as a gain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """The settings of difficulty, N_scl, N and δ, and of how clear a puzzle must be. Win probabilities are 0 to 1."""

    shallow: int = 10
    """N_scl: visits of the search that misses the solution; 1 is the net without search, blind to recaptures."""
    nodes: int = 400
    """N: visits of the search that finds the solution."""
    check_nodes: int = 1600
    """Visits of the search that has to confirm the solution."""
    delta: float = 0.15
    """δ: the least gain in win probability from the short to the long search."""
    margin: float = 0.15
    """How much lower the win probability of every other move must be at least."""
    mistake: float = 0.1
    """The least win probability that a player gives away with a mistake; at 0 every move counts as one."""

    def __post_init__(self) -> None:
        """:raises ConfigError: the numbers of visits do not increase, or a probability is out of range."""
        if not 1 <= self.shallow < self.nodes <= self.check_nodes:
            raise ConfigError(
                f"n_scl = {self.shallow}, nodes = {self.nodes}, check_nodes = {self.check_nodes}: expected n_scl from 1"
                " on, nodes above n_scl, and check_nodes from nodes on"
            )
        for name, low in (("delta", 0.001), ("margin", 0.001), ("mistake", 0.0)):
            if not low <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} = {getattr(self, name)}: expected {low} to 1")

    @property
    def scout_nodes(self) -> int | None:
        """Visits of the scout; `None`, for no scout, where the short search has nearly as many."""
        nodes = self.nodes // SCOUT_SHARE
        return nodes if nodes >= 2 * self.shallow else None

    def leaves_room(self, shallow: float) -> bool:
        """Whether a gain of δ over the short search is possible, as it is not in a won position. Excludes no puzzle."""
        return shallow + self.delta <= 1

    def is_promising(self, shallow: float, scout: SearchView) -> bool:
        """Whether the scout found a part of the gain. This misses puzzles whose solution only a long search sees."""
        return scout.wp - shallow >= SCOUT_GAIN * self.delta

    def gains(self, shallow: float, deep: SearchView) -> bool:
        """Whether the long search gains at least δ over the short one."""
        return deep.wp - shallow >= self.delta

    def is_unique(self, deep: SearchView, others: SearchView | None = None) -> bool:
        """Whether every other move is worse by the margin, in this search and in one of the other moves alone."""
        return lead(deep, others) >= self.margin

    def goes_on(self, deep: SearchView, others: SearchView | None) -> bool:
        """Whether the best move may continue a solution: it is the only good move, or the only one with the shortest
        known mate, or it mates at once, in which case other mates do not matter.
        """
        rivals = [deep.second_mate, others.mate if others else None]
        is_shortest = deep.mate is not None and all(rival is None or rival > deep.mate for rival in rivals)
        return deep.mate == 0 or is_shortest or self.is_unique(deep, others)


def lead(deep: SearchView, others: SearchView | None = None) -> float:
    """The win probability of the best move minus that of the second best."""
    return deep.wp - max(deep.second, others.wp if others else 0.0)
