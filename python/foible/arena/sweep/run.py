"""Playing a sweep: all cells advance in rounds, so that one that is stopped has similar numbers of games everywhere.

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
from foible.arena.match import Progress as MatchProgress
from foible.arena.play import play
from foible.arena.record import GameRecord
from foible.arena.report import Report
from foible.arena.sweep.clock import Clock, OnProgress
from foible.arena.sweep.config import Cell, place_of
from foible.arena.sweep.plot import draw
from foible.arena.sweep.results import Result, to_csv, to_json
from foible.arena.sweep.standings import standings
from foible.arena.sweep.together import OnReports, Together
from foible.nets.shelf import NetShelf, as_begun
from foible.runs.files import write_atomically
from foible.runs.folder import check_folder, declare
from foible.runs.interrupt import interruptible
from foible.scale import Executor

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

        def take(reports: Mapping[int, Report | None]) -> None:
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
        self._finished: list[int] = []

    def reports(self) -> list[Report | None]:
        """As those of `Together`."""
        found = [self._up_to(index, 0) for index in range(len(self._cells))]
        self._finished = [report.games.n if report else 0 for report in found]
        return found

    def play(
        self,
        order: Sequence[tuple[int, int]],
        on_reports: OnReports,
        on_progress: OnProgress,
    ) -> None:
        """As that of `Together`."""
        clock, stopped = Clock(self._cells, self._finished), threading.Event()
        with interruptible(stopped.set), LiveFile(self._folder):  # workers' sweep may have left one when it was killed
            for index, pairs in order:
                if stopped.is_set():
                    break
                if self._finished[index] < 2 * pairs:
                    report = self._up_to(index, pairs, _Seen(clock, index, on_progress))
                    self._finished[index] = report.games.n if report else 0
                    on_reports({index: report})

    def _up_to(
        self, index: int, pairs: int, on_match: Callable[[MatchProgress[GameRecord]], None] = lambda now: None
    ) -> Report | None:
        """Play so many pairs of a cell."""
        cell = self._cells[index]
        return self._play(cell.config, place_of(cell, self._folder), on_match, pairs=range(pairs))


def _order(cells: Sequence[Cell]) -> list[tuple[int, int]]:
    """Which cell, and up to how many of its pairs."""
    return [(i, math.ceil(share * cell.config.pairs)) for share in ROUNDS for i, cell in enumerate(cells)]


class _Seen:
    """What a match says while it runs, passed on."""

    def __init__(self, clock: Clock, index: int, on_progress: OnProgress) -> None:
        self._clock = clock
        self._index = index
        self._on_progress = on_progress
        self._clock.begin(index)

    def __call__(self, now: MatchProgress[GameRecord]) -> None:
        self._clock.tell(self._index, len(now.finished), now.new, now.seconds)
        self._on_progress(self._clock.progress(self._index))


def _write_tables(results: Sequence[Result], folder: Path) -> None:
    write_atomically(folder / "sweep.csv", to_csv(results))
    found = standings(results)
    write_atomically(folder / "sweep.json", to_json(results, found.to_json() if found else None))
