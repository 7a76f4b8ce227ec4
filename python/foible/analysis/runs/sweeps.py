"""Sweeps of chess matches, finished or under way: the score of every cell of the grid."""

from pathlib import Path

import msgspec

from foible.analysis.runs.matches import WrittenMatch, match_standing
from foible.analysis.runs.run_progress import Standing, recorded, written_report
from foible.arena.match import complete_pairs
from foible.arena.pgn import PgnForm
from foible.arena.record import GameRecord
from foible.arena.stats import sample_of, tally_games
from foible.arena.store import ChessStore
from foible.arena.sweep.config import recorded_cell
from foible.runs.folder import CONFIG
from foible.runs.journal import FollowedFile


class SweepCell(msgspec.Struct, frozen=True, kw_only=True):
    """One match of a sweep, as seen by the player under test."""

    player: str
    opponent: str
    nodes: int | None
    """Visits per move; `None` where the player has limits of its own."""
    part: str
    """The match's run folder, relative to that of the sweep."""
    finished: int
    total: int | None
    """`None` while a sequential test goes on."""
    share: float | None
    """Points per game of the complete pairs, 0 to 1."""
    paired_error: float | None
    """The standard error of the share, by pairs."""


class SweepRun(msgspec.Struct, frozen=True, kw_only=True, tag="sweep"):
    """All cells of a sweep that have a folder, those with the fewest visits first."""

    framework: str
    cells: list[SweepCell]


class SweepReader:
    """Reads a sweep, repeatedly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._games: dict[Path, FollowedFile[GameRecord]] = {}

    def read(self) -> SweepRun:
        """Errors as `describe_run`."""
        cells = [self._cell(path) for path in cell_folders(self._folder)]
        framework = recorded(self._folder / cells[0].part).get("framework", "") if cells else ""
        return SweepRun(
            framework=framework, cells=sorted(cells, key=lambda cell: (cell.nodes or 0, cell.opponent, cell.player))
        )

    def _cell(self, folder: Path) -> SweepCell:
        cell = recorded_cell(folder)
        games = self._games.setdefault(folder, FollowedFile(folder / ChessStore.GAMES, PgnForm())).read()
        counted = complete_pairs(games)[: written_report(folder, WrittenMatch).decided_after]
        standing = match_standing(folder)
        return SweepCell(
            player=cell.player,
            opponent=cell.opponent,
            nodes=cell.nodes,
            part=folder.relative_to(self._folder).as_posix(),
            finished=standing.done,
            total=standing.total,
            share=tally_games(counted).share,
            paired_error=sample_of(counted).sample_error,
        )


def cell_folders(folder: Path) -> list[Path]:
    """The run folders of those cells of a sweep that have a configuration."""
    return sorted(path.parent for path in folder.glob(f"cells/*/{CONFIG}"))


def sweep_standing(folder: Path) -> Standing:
    """The number of games in all cells."""
    cells = [match_standing(path) for path in cell_folders(folder)]
    totals = [cell.total for cell in cells]
    total = None if None in totals else sum(filter(None, totals))
    return Standing(sum(cell.done for cell in cells), total or None, "games")
