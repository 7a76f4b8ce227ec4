"""Playing a sweep: all cells advance in rounds, so that one that is stopped has similar numbers of games everywhere.

Each cell is a run folder of its own, `FOLDER/cells/NAME`: killed at any instant it goes on where it was, with the same
games. Nets are opened once for all cells.
"""

import math
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from foible.arena.match import Progress as MatchProgress
from foible.arena.play import play
from foible.arena.record import GameRecord
from foible.arena.sweep.clock import Clock, Progress
from foible.arena.sweep.config import Cell
from foible.arena.sweep.plot import draw
from foible.arena.sweep.results import Result, to_csv, to_json
from foible.arena.sweep.standings import standings
from foible.nets.shelf import NetShelf, as_begun
from foible.runs.files import write_atomically
from foible.runs.folder import check_folder, declare
from foible.runs.interrupt import interruptible
from foible.scale import Executor

ROUNDS = (0.25, 0.5, 1.0)
"""Shares of the games of every cell that are finished after each round."""

OnProgress = Callable[[Progress], None]


def sweep(
    cells: Sequence[Cell],
    folder: Path,
    on_progress: OnProgress | None = None,
    *,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> list[Result]:
    """Play all cells, or what is left of them; the results in the order of `cells`, written to the folder as well.

    In each round the cells come in the order of `cells`. An interrupt from the keyboard ends it after the current move.
    `executor` and `any_processor` are as in `play`.

    :raises ConfigError: the folder holds a run of another kind, or a cell's another match; then nothing is played.
    """
    check_folder(folder, "sweep")
    shelf = _shelf(cells, folder)
    play_cell = partial(play, shelf=shelf, executor=executor, any_processor=any_processor)
    results = [Result(cell, play_cell(cell.config, place_of(cell, folder), pairs=range(0))) for cell in cells]
    declare(folder, "sweep")
    clock = Clock(cells, [result.games for result in results])
    stopped = threading.Event()
    try:
        with interruptible(stopped.set):
            for index, pairs in _order(cells):
                if stopped.is_set():
                    break
                if results[index].games >= 2 * pairs:
                    continue
                cell, seen = cells[index], _Seen(clock, index, on_progress)
                report = play_cell(cell.config, place_of(cell, folder), seen, pairs=range(pairs))
                results[index] = Result(cell, report)
                _write_tables(results, folder)
    finally:
        _write_tables(results, folder)
        if all(cell.nodes for cell in cells):
            draw(results, folder)
    return results


def place_of(cell: Cell, folder: Path) -> Path:
    """The run folder of a cell."""
    return folder / "cells" / cell.folder


def _order(cells: Sequence[Cell]) -> list[tuple[int, int]]:
    """Which cell, and up to how many of its pairs."""
    return [(i, math.ceil(share * cell.config.pairs)) for share in ROUNDS for i, cell in enumerate(cells)]


class _Seen:
    """What a match says while it runs, passed on."""

    def __init__(self, clock: Clock, index: int, on_progress: OnProgress | None) -> None:
        self._clock = clock
        self._index = index
        self._on_progress = on_progress
        self._clock.begin(index)

    def __call__(self, now: MatchProgress[GameRecord]) -> None:
        self._clock.tell(self._index, len(now.finished), now.new, now.seconds)
        if self._on_progress:
            self._on_progress(self._clock.progress(self._index))


def _shelf(cells: Sequence[Cell], folder: Path) -> NetShelf:
    """For all cells."""
    return NetShelf(as_begun(cells[0].config.runtimes, *(place_of(cell, folder) for cell in cells)))


def _write_tables(results: Sequence[Result], folder: Path) -> None:
    write_atomically(folder / "sweep.csv", to_csv(results))
    found = standings(results)
    write_atomically(folder / "sweep.json", to_json(results, found.to_json() if found else None))
