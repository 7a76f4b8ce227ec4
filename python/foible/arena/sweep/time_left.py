"""How far a sweep is, and how long the rest of it takes."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from foible.arena.sweep.config import Cell


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """Where a running sweep stands."""

    cell: Cell
    """The one that is played; where several are, the first of them that is not finished."""
    finished: int
    """Games of this cell, those of earlier runs included."""
    all_finished: int
    """Games of all cells."""
    total: int
    """Games that all cells come to; those that a sequential test has ended come to no more than they have."""
    rate: float
    """Games per second: of this cell since it was taken up; where several are played, of all in this run."""
    left: float | None
    """Seconds to the end of the sweep; `None` before a game was finished in this run."""
    workers: int = 1
    """Processes that play."""


OnProgress = Callable[[SweepProgress], None]


class TimeLeft:
    """Learns what a game of each cell costs. Cells without a game in this run cost by their visits what others do."""

    def __init__(self, cells: Sequence[Cell], finished: Sequence[int]) -> None:
        """`finished`: games of each cell that earlier runs played."""
        self._cells = cells
        self._finished = list(finished)
        self._totals = list(map(_games, cells))
        self._before = [(0, 0.0)] * len(cells)
        """Games and seconds of a cell in rounds of this run that are over; `_now` has those of the current one."""
        self._now = [(0, 0.0)] * len(cells)

    def begin(self, index: int) -> None:
        """A round of a cell begins."""
        self._before[index] = self._spent(index)
        self._now[index] = 0, 0.0

    def tell(self, index: int, finished: int, new: int, seconds: float) -> None:
        """`finished`: games of the cell; `new`: those of this round, which took `seconds` so far."""
        self._finished[index] = finished
        self._now[index] = new, seconds

    def end(self, index: int) -> None:
        """A cell is over, and all games that it comes to are finished."""
        self._totals[index] = self._finished[index]

    def progress(self, index: int) -> SweepProgress:
        """What is known while a cell is played."""
        new, seconds = self._now[index]
        return SweepProgress(
            cell=self._cells[index],
            finished=self._finished[index],
            all_finished=sum(self._finished),
            total=sum(self._totals),
            rate=new / seconds if seconds else 0.0,
            left=self._left(),
        )

    def _left(self) -> float | None:
        spent = [self._spent(index) for index in range(len(self._cells))]
        visits = sum(games * visits_of(cell) for (games, _), cell in zip(spent, self._cells, strict=True))
        if not visits:
            return None
        per_visit = sum(seconds for games, seconds in spent if games) / visits
        left = 0.0
        for cell, total, finished, (games, seconds) in zip(
            self._cells, self._totals, self._finished, spent, strict=True
        ):
            cost = seconds / games if games else per_visit * visits_of(cell)
            left += max(0, total - finished) * cost
        return left

    def _spent(self, index: int) -> tuple[int, float]:
        return self._before[index][0] + self._now[index][0], self._before[index][1] + self._now[index][1]


class SharedTimeLeft:
    """Learns what a visit costs where several cells are played at the same time."""

    def __init__(self, cells: Sequence[Cell], finished: Sequence[int]) -> None:
        """`finished`: games of each cell that earlier runs played."""
        self._cells, self._before = cells, list(finished)
        self._begun = time.monotonic()

    def progress(self, finished: Sequence[int], over: Sequence[bool], workers: int) -> SweepProgress:
        """What is known by now. `finished`: games of each cell; `over`: whether it comes to no more.

        `workers`: processes that play.
        """
        seconds = time.monotonic() - self._begun
        new = [now - before for now, before in zip(finished, self._before, strict=True)]
        totals = [now if ended else _games(cell) for cell, now, ended in zip(self._cells, finished, over, strict=True)]
        unfinished = [max(0, total - now) for total, now in zip(totals, finished, strict=True)]
        played, missing = self._visits(new), self._visits(unfinished)
        first = next((index for index, games in enumerate(unfinished) if games), len(unfinished) - 1)
        return SweepProgress(
            cell=self._cells[first],
            finished=finished[first],
            all_finished=sum(finished),
            total=sum(totals),
            rate=sum(new) / seconds if seconds else 0.0,
            left=seconds * missing / played if played else None,
            workers=workers,
        )

    def _visits(self, games: Sequence[int]) -> int:
        """The visits for the given number of games of each cell."""
        return sum(count * visits_of(cell) for count, cell in zip(games, self._cells, strict=True))


def _games(cell: Cell) -> int:
    return 2 * cell.config.pairs


def visits_of(cell: Cell) -> int:
    """The cost of a game of the cell relative to games of other cells: its visits per move."""
    return cell.nodes or 1
