"""The cells of a sweep played by the workers of an executor, at the same time."""

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from foible.arena.live import LiveFile
from foible.arena.open_match import resolved_match
from foible.arena.parts import MOST_GAMES, check_untimed
from foible.arena.play import MatchByWorkers, MatchFolder
from foible.arena.report import MatchReport
from foible.arena.sweep.config import Cell, place_of
from foible.arena.sweep.progress import OnProgress, OnReports, Round, TimeLeft, games_of, visits_of
from foible.nets.shelf import NetShelf
from foible.runs.files import Closing
from foible.scale import Executor, Unit
from foible.scale.parts import play_units, unit_size


class ByWorkers(Closing):
    """The cells of a sweep, open.

    All units of all cells are ordered at once, round by round: at the end of a cell or a round no worker waits, and
    still the cells advance alike. The run folders of all cells are open meanwhile; engines are started by workers
    alone.
    """

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

    def reports(self) -> list[MatchReport | None]:
        """What is known of each cell."""
        return [run.report() for run in self._runs]

    def play(self, rounds: Sequence[Round], on_reports: OnReports, on_progress: OnProgress) -> None:
        """Play what is left of all cells.

        :param on_reports: told of cells that have come to the end of a round, and of all at the end.
        """
        workers = self._executor.workers
        matches = [
            MatchByWorkers(run, range(games_of(cell)), workers)
            for run, cell in zip(self._runs, self._cells, strict=True)
        ]
        with LiveFile(self._folder) as live:
            progress = _Progress(self._cells, matches, rounds, live)
            by_folder = {match.run.folder.absolute(): match.parts for match in matches}

            def over() -> bool:
                ended = progress.look()
                if ended:
                    on_reports({index: matches[index].report() for index in ended})
                on_progress(progress.progress)
                return all(match.over for match in matches)

            units = self._units(matches, rounds)
            play_units(units, self._executor, lambda part: by_folder[part.parent.parent].merge(part), over)
            for match in matches:
                match.parts.merge_all()
        on_reports({index: match.report() for index, match in enumerate(matches)})

    def _units(self, matches: Sequence[MatchByWorkers], rounds: Sequence[Round]) -> list[Unit]:
        """The units of all cells, sized so that units of different cells cost about the same."""
        workers, costs = self._executor.workers, [visits_of(cell) for cell in self._cells]
        missing = [match.missing() for match in matches]
        work = sum(cost * len(games) for cost, games in zip(costs, missing, strict=True))
        units: list[Unit] = []
        for index, pairs in chain.from_iterable(rounds):
            games = [number for number in missing[index] if number < 2 * pairs]
            missing[index] = missing[index][len(games) :]
            size = unit_size(-(-work // costs[index]), workers, MOST_GAMES)
            what = f"{self._cells[index].folder}, games"
            units += matches[index].parts.units(games, size, workers, what)
        return units

    def close(self) -> None:
        self._held.close()


class _Progress:
    """The progress of a sweep while workers play its cells."""

    def __init__(
        self, cells: Sequence[Cell], matches: Sequence[MatchByWorkers], rounds: Sequence[Round], live: LiveFile
    ) -> None:
        self._cells, self._matches, self._live = cells, matches, live
        self._finished = [len(match.run.store.records) for match in matches]
        self._ends = [[2 * pairs for each in rounds for which, pairs in each if which == i] for i in range(len(cells))]
        """Of each cell the games after each round."""
        self._over = [self._rounds_over(index) for index in range(len(cells))]
        self._time_left = TimeLeft(cells, self._finished)
        self.progress = self._time_left.progress(self._finished, [match.over for match in matches], 0)

    def look(self) -> list[int]:
        """See how the cells stand that are not over; the indices of those that have come to the end of a round."""
        going = [index for index, match in enumerate(self._matches) if not match.over]
        for index in going:
            self._finished[index] = len(self._matches[index].look().finished)
        lives = {
            f"{cell.folder}/{name}": live
            for cell, match in zip(self._cells, self._matches, strict=True)
            if not match.over
            for name, live in match.lives.items()
        }
        over = [match.over for match in self._matches]
        now = self.progress = self._time_left.progress(self._finished, over, len(lives))
        self._live.tell_parts(lives, done=now.finished, total=now.total, seconds_left=now.left)
        before, self._over = self._over, [self._rounds_over(index) for index in range(len(self._cells))]
        return [index for index in going if self._over[index] > before[index]]

    def _rounds_over(self, index: int) -> int:
        """How many rounds of a cell are over."""
        merged = len(self._matches[index].run.store.records)
        return sum(merged >= end for end in self._ends[index])
