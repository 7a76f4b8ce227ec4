"""How far a sweep is: the rounds in which its cells advance, what is told of it, and how long the rest takes."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from foible.arena.report import MatchReport
from foible.arena.sweep.config import Cell
from foible.search.speed import Speed

ROUNDS = (0.25, 0.5, 1.0)
"""Shares of the games of every cell that are finished after each round."""

Round = Sequence[tuple[int, int]]
"""Cells, by their indices, and up to how many of its pairs each is played."""


def rounds(cells: Sequence[Cell]) -> list[Round]:
    """The rounds of a sweep; in each the cells come in the order of `cells`."""
    return [[(i, math.ceil(share * cell.config.pairs)) for i, cell in enumerate(cells)] for share in ROUNDS]


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """Where a running sweep stands."""

    finished: int
    """Games of all cells, those of earlier runs included."""
    total: int
    """Games that all cells come to; those that a sequential test has ended come to no more than they have."""
    rate: float
    """Games per second in this run."""
    left: float | None
    """Seconds to the end of the sweep; `None` before a game was finished in this run."""
    workers: int = 1
    """Processes that play."""
    speed: Speed | None = None
    """How fast this process plays the cells that are under way, and what the nets do; `None` where others play."""


OnProgress = Callable[[SweepProgress], None]
OnReports = Callable[[Mapping[int, MatchReport | None]], None]
"""Told of the reports of cells, by their indices."""


class TimeLeft:
    """Learns what a visit costs while the cells of a sweep are played."""

    def __init__(self, cells: Sequence[Cell], finished: Sequence[int]) -> None:
        """`finished`: games of each cell that earlier runs played."""
        self._cells, self._before = cells, list(finished)
        self._begun = time.monotonic()

    def progress(
        self, finished: Sequence[int], over: Sequence[bool], workers: int = 1, speed: Speed | None = None
    ) -> SweepProgress:
        """What is known by now. `finished`: games of each cell; `over`: whether it comes to no more; the rest as in
        `SweepProgress`.
        """
        seconds = time.monotonic() - self._begun
        new = [games - before for games, before in zip(finished, self._before, strict=True)]
        each = zip(self._cells, finished, over, strict=True)
        totals = [games if ended else games_of(cell) for cell, games, ended in each]
        unfinished = [max(0, total - games) for total, games in zip(totals, finished, strict=True)]
        played, missing = self._visits(new), self._visits(unfinished)
        return SweepProgress(
            finished=sum(finished),
            total=sum(totals),
            rate=sum(new) / seconds if seconds else 0.0,
            left=seconds * missing / played if played else None,
            workers=workers,
            speed=speed,
        )

    def _visits(self, games: Sequence[int]) -> int:
        """The visits for the given number of games of each cell."""
        return sum(count * visits_of(cell) for count, cell in zip(games, self._cells, strict=True))


def games_of(cell: Cell) -> int:
    """The games that a cell is to have."""
    return 2 * cell.config.pairs


def visits_of(cell: Cell) -> int:
    """The cost of a game of the cell relative to games of other cells: its visits per move."""
    return cell.nodes or 1
