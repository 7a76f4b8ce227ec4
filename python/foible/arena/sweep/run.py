"""Playing a sweep. All cells advance alike, so that one that is stopped has similar numbers of games in each.

Each cell is a run folder of its own, `FOLDER/cells/NAME`: killed at any instant it goes on where it was, with the same
games. Nets are opened once for all cells.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from foible.arena.report import MatchReport
from foible.arena.sweep.by_workers import ByWorkers
from foible.arena.sweep.config import Cell, place_of
from foible.arena.sweep.plot import draw
from foible.arena.sweep.progress import OnProgress, rounds
from foible.arena.sweep.results import Result, standings, to_csv, to_json
from foible.arena.sweep.side_by_side import SideBySide
from foible.nets.shelf import NetShelf, as_begun
from foible.runs.files import write_atomically
from foible.runs.folder import check_folder, declare
from foible.scale import Executor
from foible.toml import AnyPath


def sweep(
    cells: Sequence[Cell],
    folder: AnyPath,
    on_progress: OnProgress = lambda now: None,
    *,
    shelf: NetShelf | None = None,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> list[Result]:
    """Play all cells, or what is left of them; the results in the order of `cells`, written to the folder as well.

    An interrupt from the keyboard ends it after the current move. `shelf`, `executor` and `any_processor` are as in
    `play`.

    :raises ConfigError: the folder holds a run of another kind, or a cell's another match; then nothing is played.
    """
    folder = check_folder(folder, "sweep")
    shelf = shelf or NetShelf(as_begun(cells[0].config.runtimes, *(place_of(cell, folder) for cell in cells)))
    with ExitStack() as held:
        player: SideBySide | ByWorkers
        if executor is None:
            player = SideBySide(cells, folder, shelf, any_processor=any_processor)
        else:
            player = held.enter_context(ByWorkers(cells, folder, shelf, executor, any_processor=any_processor))
        results = list(map(Result, cells, player.reports()))
        declare(folder, "sweep")

        def take(reports: Mapping[int, MatchReport | None]) -> None:
            for index, report in reports.items():
                results[index] = Result(cells[index], report)
            _write_tables(results, folder)

        try:
            player.play(rounds(cells), take, on_progress)
        finally:
            _write_tables(results, folder)
            if all(cell.nodes for cell in cells):
                draw(results, folder)
    return results


def _write_tables(results: Sequence[Result], folder: Path) -> None:
    write_atomically(folder / "sweep.csv", to_csv(results))
    ranking = standings(results)
    write_atomically(folder / "sweep.json", to_json(results, ranking.to_json() if ranking else None))
