"""Playing a sweep: all cells advance in rounds, so that one that is stopped has similar numbers of games in each; or
at the same time, by the workers of an executor.

Each cell is a run folder of its own, `FOLDER/cells/NAME`: killed at any instant it goes on where it was, with the same
games. Nets are opened once for all cells.
"""

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from foible.arena.live import LiveFile
from foible.arena.match import MatchProgress
from foible.arena.open_match import resolved_match
from foible.arena.parts import MOST_GAMES, check_untimed
from foible.arena.play import MatchByWorkers, MatchFolder, play
from foible.arena.record import GameRecord
from foible.arena.report import MatchReport
from foible.arena.sweep.config import Cell, place_of
from foible.arena.sweep.plot import draw
from foible.arena.sweep.results import Result, standings, to_csv, to_json
from foible.arena.sweep.time_left import OnProgress, SharedTimeLeft, TimeLeft, visits_of
from foible.nets.shelf import NetShelf, as_begun
from foible.runs.files import Closing, write_atomically
from foible.runs.folder import check_folder, declare
from foible.runs.interrupt import interruptible
from foible.scale import Executor, Unit
from foible.scale.parts import play_units, unit_size

OnReports = Callable[[Mapping[int, MatchReport | None]], None]


class Together(Closing):
    """The cells of a sweep, open, played at the same time by the workers of an executor.

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
        matches = [
            MatchByWorkers(run, _games(cell), workers) for run, cell in zip(self._runs, self._cells, strict=True)
        ]
        with LiveFile(self._folder) as live:
            progress = _SweepProgress(self._cells, matches, order, live)
            by_folder = {match.run.folder.absolute(): match.parts for match in matches}

            def over() -> bool:
                ended = progress.look()
                if ended:
                    on_reports({index: matches[index].report() for index in ended})
                on_progress(progress.progress)
                return all(match.over for match in matches)

            units = self._units(matches, order)
            play_units(units, self._executor, lambda part: by_folder[part.parent.parent].merge(part), over)
            for match in matches:
                match.parts.merge_all()
        on_reports({index: match.report() for index, match in enumerate(matches)})

    def _units(self, matches: Sequence[MatchByWorkers], order: Sequence[tuple[int, int]]) -> list[Unit]:
        """The units of all cells, sized so that units of different cells cost about the same."""
        workers, costs = self._executor.workers, [visits_of(cell) for cell in self._cells]
        missing = [match.missing() for match in matches]
        work = sum(cost * len(games) for cost, games in zip(costs, missing, strict=True))
        units: list[Unit] = []
        for index, pairs in order:
            games = [number for number in missing[index] if number < 2 * pairs]
            missing[index] = missing[index][len(games) :]
            size = unit_size(-(-work // costs[index]), workers, MOST_GAMES)
            what = f"{self._cells[index].folder}, games"
            units += matches[index].parts.units(games, size, workers, what)
        return units

    def close(self) -> None:
        self._held.close()


class _SweepProgress:
    """The progress of a sweep while workers play its cells."""

    def __init__(
        self, cells: Sequence[Cell], matches: Sequence[MatchByWorkers], order: Sequence[tuple[int, int]], live: LiveFile
    ) -> None:
        self._cells, self._matches, self._live = cells, matches, live
        self._finished = [len(match.run.store.records) for match in matches]
        self._ends = [[2 * pairs for which, pairs in order if which == index] for index in range(len(cells))]
        """Of each cell the games after each round."""
        self._rounds = [self._round(index) for index in range(len(cells))]
        self._time_left = SharedTimeLeft(cells, self._finished)
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
        self._live.tell_parts(lives, done=now.all_finished, total=now.total, seconds_left=now.left)
        before, self._rounds = self._rounds, [self._round(index) for index in range(len(self._cells))]
        return [index for index in going if self._rounds[index] > before[index]]

    def _round(self, index: int) -> int:
        """How many rounds of a cell are over."""
        merged = len(self._matches[index].run.store.records)
        return sum(merged >= end for end in self._ends[index])


def _games(cell: Cell) -> range:
    return range(2 * cell.config.pairs)


ROUNDS = (0.25, 0.5, 1.0)
"""Shares of the games of every cell that are finished after each round."""


def sweep(
    cells: Sequence[Cell],
    folder: Path,
    on_progress: OnProgress = lambda now: None,
    *,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> list[Result]:
    """Play all cells, or what is left of them; the results in the order of `cells`, written to the folder as well.

    In each round the cells come in the order of `cells`. An interrupt from the keyboard ends it after the current move.
    `executor` and `any_processor` are as in `play`; the workers play several cells at the same time.

    :raises ConfigError: the folder holds a run of another kind, or a cell's another match; then nothing is played.
    """
    check_folder(folder, "sweep")
    shelf = NetShelf(as_begun(cells[0].config.runtimes, *(place_of(cell, folder) for cell in cells)))
    with ExitStack() as held:
        player: _InTurn | Together
        if executor is None:
            player = _InTurn(cells, folder, shelf, any_processor=any_processor)
        else:
            player = held.enter_context(Together(cells, folder, shelf, executor, any_processor=any_processor))
        results = list(map(Result, cells, player.reports()))
        declare(folder, "sweep")

        def take(reports: Mapping[int, MatchReport | None]) -> None:
            for index, report in reports.items():
                results[index] = Result(cells[index], report)
            _write_tables(results, folder)

        try:
            player.play(_order(cells), take, on_progress)
        finally:
            _write_tables(results, folder)
            if all(cell.nodes for cell in cells):
                draw(results, folder)
    return results


class _InTurn:
    """The cells of a sweep that this process plays, one after the other."""

    def __init__(self, cells: Sequence[Cell], folder: Path, shelf: NetShelf, *, any_processor: bool) -> None:
        self._cells, self._folder = cells, folder
        self._play = partial(play, shelf=shelf, any_processor=any_processor)
        self._results: list[Result] = []

    def reports(self) -> list[MatchReport | None]:
        """The report of each cell, as `Together.reports`."""
        self._results = [Result(cell, self._up_to(index, 0)) for index, cell in enumerate(self._cells)]
        return [result.report for result in self._results]

    def play(
        self,
        order: Sequence[tuple[int, int]],
        on_reports: OnReports,
        on_progress: OnProgress,
    ) -> None:
        """Play what is left of all cells, as `Together.play`."""
        time_left, stopped = TimeLeft(self._cells, [result.games for result in self._results]), threading.Event()
        for index, result in enumerate(self._results):
            if result.over:
                time_left.end(index)
        with interruptible(stopped.set), LiveFile(self._folder):  # workers' sweep may have left one when it was killed
            for index, pairs in order:
                if stopped.is_set():
                    break
                if self._results[index].games < 2 * pairs:
                    report = self._up_to(index, pairs, _Seen(time_left, index, on_progress))
                    result = self._results[index] = Result(self._cells[index], report)
                    if result.over:
                        time_left.end(index)
                    on_reports({index: report})

    def _up_to(
        self, index: int, pairs: int, on_match: Callable[[MatchProgress[GameRecord]], None] = lambda now: None
    ) -> MatchReport | None:
        """Play so many pairs of a cell."""
        cell = self._cells[index]
        return self._play(cell.config, place_of(cell, self._folder), on_match, pairs=range(pairs))


def _order(cells: Sequence[Cell]) -> list[tuple[int, int]]:
    """Which cell, and up to how many of its pairs."""
    return [(i, math.ceil(share * cell.config.pairs)) for share in ROUNDS for i, cell in enumerate(cells)]


class _Seen:
    """Passes the progress of a running match on to the estimate of the time left and to the caller."""

    def __init__(self, time_left: TimeLeft, index: int, on_progress: OnProgress) -> None:
        self._time_left = time_left
        self._index = index
        self._on_progress = on_progress
        self._time_left.begin(index)

    def __call__(self, now: MatchProgress[GameRecord]) -> None:
        self._time_left.tell(self._index, len(now.finished), now.new, now.seconds)
        self._on_progress(self._time_left.progress(self._index))


def _write_tables(results: Sequence[Result], folder: Path) -> None:
    write_atomically(folder / "sweep.csv", to_csv(results))
    found = standings(results)
    write_atomically(folder / "sweep.json", to_json(results, found.to_json() if found else None))
