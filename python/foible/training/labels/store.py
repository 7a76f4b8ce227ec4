"""The run folder of labels, safe against a kill at any instant.

    run.json                marks the folder as one of labels
    config.toml             the resolved configuration; another one is refused
    games/00000.parquet     the games of a shard (here number 0), one row each
    plies/00000.parquet     one row for each of their moves, with the teacher's label of the position before it
    finished.json           the hashes of both kinds of tables
    report.json             the report, written when all is labelled
    run.lock                held by the process that writes
    parts/                  shards that workers label, until they are merged (`foible.scale.parts`)

Both tables have the form of self-play's. A position from an EPD file is stored as a game of one move: the move is the
teacher's first choice, and the result the one that the teacher finds most probable. A shard is written whole or not at
all, and never changed again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from foible.errors import GameFileError
from foible.runs.files import Closing, copy_file, write_table
from foible.runs.folder import RunFolder
from foible.runs.ledger import LEDGER, Ledger
from foible.training.data.targets import MOVE
from foible.training.labels.teachers import Label

GAMES: Final = pl.Schema(
    {
        "game": pl.UInt32(),  # numbered 0, 1, 2, … over all sources; games without a labelled position have no row
        "source": pl.UInt16(),  # the number of the file or folder in `sources`, from 0
        "result": pl.String(),  # 1-0, 0-1 or 1/2-1/2
        "plies": pl.UInt16(),
        "start_fen": pl.String(),  # null for the standard position
        "chess960": pl.Boolean(),
        "white_elo": pl.Int16(),  # 0 where unknown
        "black_elo": pl.Int16(),
    }
)
PLIES: Final = pl.Schema(
    {
        "game": pl.UInt32(),
        "ply": pl.UInt16(),  # from 0
        "white": pl.Boolean(),  # the mover is White
        "move": MOVE,  # the move that was played
        "moves": pl.List(MOVE),  # the teacher's moves, the most probable first; empty without a label
        "shares": pl.List(pl.Float32),  # the teacher's probability of each of `moves`
        "win": pl.Float32(),  # the mover's probability to win, by the teacher; null without a label
        "draw": pl.Float32(),
        "loss": pl.Float32(),
        "full": pl.Boolean(),  # whether the position is labelled
    }
)


KINDS: Final = ("plies", "games")
"""The folders of tables. A shard has one table in each."""


@dataclass(frozen=True, slots=True)
class LabelledGame:
    """A game with the labels of its positions."""

    game: int
    source: int
    result: str
    start_fen: str | None
    chess960: bool
    elos: tuple[int, int]
    """The ratings of White and Black, 0 where unknown."""
    white_first: bool
    moves: Sequence[str]
    """The moves of the game in UCI."""
    labels: Mapping[int, Label]
    """The labels by ply."""


class LabelStore(Closing):
    """An open run folder."""

    def __init__(self, folder: Path, config: Mapping[str, Any], may_change: Sequence[str] = ()) -> None:
        """Open or create a folder for exactly this configuration. `may_change`: keys whose value may differ.

        :raises ConfigError: the folder was made with another configuration, or has shards without one; or another
            process writes it.
        :raises GameFileError: a shard is damaged.
        """
        self.folder = folder
        self._run = RunFolder(folder, "labels")
        try:
            self._ledger = Ledger(folder)
            self._ledger.check(_way_on)
            self._run.expect_config(LEDGER)
            self._run.settle(config, may_change, begun=bool(self._ledger.hashes()))
        except BaseException:
            self._run.close()
            raise

    @property
    def finished(self) -> frozenset[int]:
        """The shards that are finished."""
        return finished_shards(self.folder)

    def write(self, shard: int, games: Sequence[LabelledGame]) -> None:
        """Write a shard; it is on the disk when this returns.

        :raises OSError: it cannot be written, as on a full disk; names the file.
        """
        names = []
        for kind, table in zip(KINDS, (plies_table(games), games_table(games)), strict=True):
            names.append(_name(kind, shard))
            write_table(self.folder / names[-1], table)
        self._ledger.add_hashes(names)

    def take(self, other: Path) -> list[int]:
        """Copy the finished shards that this folder lacks from another folder of the same labels, each whole; returns
        their numbers, in order. The other folder is unchanged.

        :raises GameFileError: a shard of the other folder is damaged, or differs from this folder's.
        :raises OSError: as `write`.
        """
        theirs = Ledger(other)
        theirs.check(_way_on)
        there, noted = self._ledger.hashes(), theirs.hashes()
        for name, of_file in noted.items():
            if there.get(name, of_file) != of_file:
                both = f"{self.folder / name} and {other / name}"
                raise GameFileError(f"{both}: the labels are not the same in them; remove what is wrong")
        taken = sorted(finished_shards(other) - self.finished)
        names = [_name(kind, shard) for shard in taken for kind in KINDS]
        for name in names:
            copy_file(other / name, self.folder / name)
        self._ledger.add_hashes(names)
        return taken

    def labelled(self, shard: int) -> pl.DataFrame:
        """The labelled rows of a finished shard, with the columns of `PLIES`."""
        return pl.read_parquet(self.folder / _name("plies", shard)).filter("full")

    def labels(self, shard: int) -> dict[tuple[int, int], Label]:
        """The labels of a finished shard, by game and ply."""
        columns = ("game", "ply", "moves", "shares", "win", "draw", "loss")
        return {
            (game, ply): Label(moves, shares, tuple(wdl))
            for game, ply, moves, shares, *wdl in self.labelled(shard).select(columns).iter_rows()
        }

    @property
    def bytes(self) -> int:
        """The size of all tables."""
        return sum((self.folder / name).stat().st_size for name in self._ledger.hashes())

    def close(self) -> None:
        self._run.close()


def finished_shards(folder: Path) -> frozenset[int]:
    """The numbers of the finished shards in a run folder, which another process may be writing.

    :raises GameFileError: the folder's ledger is damaged.
    """
    return frozenset(int(Path(name).stem) for name in Ledger(folder).hashes())


def games_table(games: Sequence[LabelledGame]) -> pl.DataFrame:
    """The games as a table with the columns of `GAMES`."""
    rows = [(g.game, g.source, g.result, len(g.moves), g.start_fen, g.chess960, *g.elos) for g in games]
    return pl.DataFrame(rows, schema=GAMES, orient="row")


def plies_table(games: Sequence[LabelledGame]) -> pl.DataFrame:
    """The moves of the games as a table with the columns of `PLIES`."""
    rows = [row for game in games for row in _rows(game)]
    return pl.DataFrame(rows, schema=PLIES, orient="row")


def _rows(game: LabelledGame) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for ply, move in enumerate(game.moves):
        label = game.labels.get(ply)
        said = ([], [], None, None, None) if label is None else (label.moves, label.shares, *label.wdl)
        found.append((game.game, ply, game.white_first == (ply % 2 == 0), move, *said, label is not None))
    return found


def _way_on(name: str) -> str:
    shard = name.partition("/")[2]
    return f"put back a copy of it; or remove games/{shard}, plies/{shard} and {LEDGER}, and label anew"


def _name(kind: str, shard: int) -> str:
    return f"{kind}/{shard:05}.parquet"
