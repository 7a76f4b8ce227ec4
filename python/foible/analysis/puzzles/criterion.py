"""When a position is a puzzle (search-contempt §5), and the looks that tell: what a search of so many visits finds, and
what it finds when one move is forbidden.

The evaluations at N_scl and at N visits differ by at least δ, and the solution is unique. Read from the solver's side:
the difference is a gain, V_N − V_N_scl ≥ δ. Where the long look is the worse one, nothing is to be found but that
the short one was wrong. The evaluation at n visits is the mean value of the move that the search would play; at one
visit, where none was tried, it is the net's own word on the position.
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
"""The most visits of all trees that grow together: some 600 MB."""


@dataclass(frozen=True, slots=True)
class View:
    """What a look says of a position, to the side to move. Win probabilities 0 to 1: P(win) + P(draw) / 2."""

    best: str
    wp: float
    """The win probability of the best move; the net's own word on the position where no move was tried yet."""
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
        self._trees = Trees([evaluator], params)
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Look no more, from whichever thread: what is under way ends with an error at once, and so does all else."""
        self._stopped.set()

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
            found += map(view, wait(self._until_stopped(self._trees.searches(positions[part], nodes, only[part]))))
        return found

    async def _until_stopped(self, work: Coroutine[Any, Any, list[RootSummary]]) -> list[RootSummary]:
        """:raises FoibleError: it was stopped."""
        found: list[RootSummary] = []

        async def search() -> None:
            found.extend(await work)

        await watched(search(), self._stopped, lambda: None, math.inf)
        if self._stopped.is_set():
            work.close()  # where it had not begun
            raise FoibleError("the search for puzzles was stopped")
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


SCOUT_SHARE: Final = 4
"""A scout has N / 4 visits. With the defaults it passes 88 % of the public puzzles that the criterion accepts, and 15 %
of the positions of games (docs/puzzles.md).
"""
SCOUT_GAIN: Final = 0.2
"""Share of δ that a scout has to see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """The dial of difficulty: N_scl, N and δ; and how sure a puzzle has to be. Win probabilities 0 to 1."""

    shallow: int = 10
    """N_scl: visits of the look that overlooks the solution; 1 is the net without search, blind to recaptures."""
    nodes: int = 400
    """N: visits of the look that finds it."""
    check_nodes: int = 1600
    """Visits of the look that has to confirm it."""
    delta: float = 0.15
    """δ: win probability that the solver gains by looking longer."""
    margin: float = 0.15
    """How much worse every other move is."""
    mistake: float = 0.1
    """Win probability that a player gives away with a mistake; 0 takes every move for one."""

    def __post_init__(self) -> None:
        """:raises ConfigError: the looks do not grow, or a probability is out of range."""
        if not 1 <= self.shallow < self.nodes <= self.check_nodes:
            raise ConfigError(
                f"looks of {self.shallow}, {self.nodes} and {self.check_nodes} visits: expected each longer than the"
                " one before, the last at least as long"
            )
        for name, low in (("delta", 0.001), ("margin", 0.001), ("mistake", 0.0)):
            if not low <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} = {getattr(self, name)}: expected {low} to 1")

    @property
    def scout_nodes(self) -> int | None:
        """Visits that tell whether the long look is worth its time; `None` where the short look has nearly as many."""
        nodes = self.nodes // SCOUT_SHARE
        return nodes if nodes >= 2 * self.shallow else None

    def leaves_room(self, shallow: float) -> bool:
        """Whether any look could differ by δ: what is won already cannot. Loses no puzzle."""
        return shallow + self.delta <= 1

    def is_promising(self, shallow: float, scout: View) -> bool:
        """Whether a scout saw a part of the gain. Loses some puzzles, those that take long to see."""
        return scout.wp - shallow >= SCOUT_GAIN * self.delta

    def gains(self, shallow: float, deep: View) -> bool:
        """Whether the long look gains δ."""
        return deep.wp - shallow >= self.delta

    def is_unique(self, deep: View, others: View | None = None) -> bool:
        """Whether every other move is worse by the margin, in this look and by a look at the others alone."""
        return lead(deep, others) >= self.margin

    def goes_on(self, deep: View, others: View | None) -> bool:
        """Whether the best move continues a solution: as the only move; as the one way to the shortest mate that is
        known; or by mating at once, since any mate will do.
        """
        rivals = [deep.second_mate, others.mate if others else None]
        is_shortest = deep.mate is not None and all(rival is None or rival > deep.mate for rival in rivals)
        return deep.mate == 0 or is_shortest or self.is_unique(deep, others)


def lead(deep: View, others: View | None = None) -> float:
    """Win probability of the best move less that of the next."""
    return deep.wp - max(deep.second, others.wp if others else 0.0)
