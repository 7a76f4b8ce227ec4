"""Playing the cells of a sweep at the same time, by the workers of an executor.

All units of all cells are ordered at once, round by round: at the end of a cell or a round no worker waits, and still
the cells advance alike. The run folders of all cells are open meanwhile; engines are started by workers alone.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from foible.arena.elsewhere import Elsewhere, play_matches
from foible.arena.folder import MatchFolder
from foible.arena.live import LiveFile
from foible.arena.opened import resolved_match
from foible.arena.parts import MOST_GAMES, check_untimed
from foible.arena.report import Report
from foible.arena.sweep.clock import OnProgress, SharedClock, visits_of
from foible.arena.sweep.config import Cell, place_of
from foible.nets.shelf import NetShelf
from foible.runs.files import Closing
from foible.scale import Executor, Unit
from foible.scale.parts import unit_size

OnReports = Callable[[Mapping[int, Report | None]], None]


class Together(Closing):
    """The cells of a sweep, open."""

    def __init__(
        self, cells: Sequence[Cell], folder: Path, shelf: NetShelf, executor: Executor, *, any_processor: bool
    ) -> None:
        """Parts that an earlier sweep has left are merged.

        :raises FoibleError: moves are timed; else as `play`.
        """
        for cell in cells:
            check_untimed(cell.config)
        self._cells, self._folder, self._executor = cells, folder, executor
        self._runs: list[MatchFolder] = []
        with ExitStack() as held:
            for cell in cells:
                place = place_of(cell, folder)
                match = resolved_match(cell.config, place, shelf)
                self._runs.append(held.enter_context(MatchFolder(match, place, any_processor=any_processor)))
            self._held = held.pop_all()

    def reports(self) -> list[Report | None]:
        """What is known of each cell."""
        return [run.report() for run in self._runs]

    def play(
        self,
        order: Sequence[tuple[int, int]],
        on_reports: OnReports,
        on_progress: OnProgress,
    ) -> None:
        """Play what is left of all cells.

        :param order: which cell, and up to how many of its pairs.
        :param on_reports: told of cells, by their indices, that have come to the end of a round, and of all at the end.
        """
        workers = self._executor.workers
        matches = [Elsewhere(run, _games(cell), workers) for run, cell in zip(self._runs, self._cells, strict=True)]
        with LiveFile(self._folder) as live:
            standing = _Standing(self._cells, matches, order, live)

            def look() -> None:
                ended = standing.look()
                if ended:
                    on_reports({index: matches[index].report() for index in ended})
                on_progress(standing.progress)

            play_matches(matches, self._units(matches, order), self._executor, look)
        on_reports({index: match.report() for index, match in enumerate(matches)})

    def _units(self, matches: Sequence[Elsewhere], order: Sequence[tuple[int, int]]) -> list[Unit]:
        """Those of one cell cost about what those of another do."""
        workers, costs = self._executor.workers, [visits_of(cell) for cell in self._cells]
        missing = [match.missing(_games(cell)) for match, cell in zip(matches, self._cells, strict=True)]
        work = sum(cost * len(games) for cost, games in zip(costs, missing, strict=True))
        units: list[Unit] = []
        for index, pairs in order:
            games = [number for number in missing[index] if number < 2 * pairs]
            missing[index] = missing[index][len(games) :]
            size = unit_size(-(-work // costs[index]), workers, MOST_GAMES)
            what = f"{self._cells[index].folder}, games"
            units += self._runs[index].parts.units(games, size, workers, what)
        return units

    def close(self) -> None:
        self._held.close()


class _Standing:
    """How a sweep stands while workers play its cells."""

    def __init__(
        self, cells: Sequence[Cell], matches: Sequence[Elsewhere], order: Sequence[tuple[int, int]], live: LiveFile
    ) -> None:
        self._cells, self._matches, self._live = cells, matches, live
        self._finished = [len(match.run.store.records) for match in matches]
        self._ends = [[2 * pairs for which, pairs in order if which == index] for index in range(len(cells))]
        """Of each cell the games after each round."""
        self._rounds = [self._round(index) for index in range(len(cells))]
        self._clock = SharedClock(cells, self._finished)
        self.progress = self._clock.progress(self._finished, 0)

    def look(self) -> list[int]:
        """See how the cells stand that are not over; the indices of those that have come to the end of a round."""
        going = [index for index, match in enumerate(self._matches) if not match.over]
        for index in going:
            self._finished[index] = len(self._matches[index].look().finished)
        lives = {
            f"{cell.folder}/{name}": live
            for cell, match in zip(self._cells, self._matches, strict=True)
            for name, live in match.lives.items()
        }
        now = self.progress = self._clock.progress(self._finished, len(lives))
        self._live.tell_parts(lives, done=now.all_finished, total=now.total, seconds_left=now.left)
        before, self._rounds = self._rounds, [self._round(index) for index in range(len(self._cells))]
        return [index for index in going if self._rounds[index] > before[index]]

    def _round(self, index: int) -> int:
        """How many rounds of a cell are over."""
        merged = len(self._matches[index].run.store.records)
        return sum(merged >= end for end in self._ends[index])


def _games(cell: Cell) -> range:
    return range(2 * cell.config.pairs)
