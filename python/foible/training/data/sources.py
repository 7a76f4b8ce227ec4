"""Reads the games of all sources into one corpus: PGN, and the Parquet tables of self-play and of `foible label`, with
the targets that searches or teachers give for their positions.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from foible._core import Corpus
from foible.errors import FoibleError, GameFileError, MoveError
from foible.games.packed import open_packed
from foible.games.pgn import read_pgn
from foible.nets.encoding import Encoding
from foible.runs.folder import kind_of_run
from foible.runs.journal import read_journal, settled
from foible.selfplay.record import Finished, games_table, plies_table
from foible.selfplay.store import JOURNAL
from foible.training.data.targets import Targets, joined, move_codes

Usable = dict[int, NDArray[np.bool_]]
"""By the number of a game in the corpus: which of its rows may be trained on."""


@dataclass(slots=True)
class KnownTargets:
    """The targets that the tables of a run give for positions of their games."""

    targets: list[Targets] = field(default_factory=list)
    usable: Usable = field(default_factory=dict)
    labels: bool = False
    """Whether the targets are by a teacher; else they are by the searches of self-play."""


def read_tables(folder: Path, corpus: Corpus, encoding: Encoding) -> KnownTargets:
    """Append the finished games of a run to the corpus; returns the targets, and which positions have one.

    Runs of self-play and of `foible label` both keep a row for each game in `games/`, and one for each move in
    `plies/`. A run of self-play that is under way, or was stopped, has its latest games in its journal alone.

    Of self-play the positions with a full search have one, but not those with a cheap search, a forced move or a move
    of the opening.

    :raises GameFileError: the folder has no such tables, or they cannot be read.
    """
    known, there = KnownTargets(), set[int]()
    latest = []
    if kind_of_run(folder) == "self-play":  # first: games leave the journal once they are in a shard
        latest = settled(lambda: read_journal(folder / JOURNAL, Finished))
    shards = sorted((folder / "games").glob("*.parquet"))
    if not shards and not latest:
        raise GameFileError(f"{folder}: no games of self-play and no labels; expected its folders games and plies")
    for shard in shards:
        with _named(shard):
            games = pl.read_parquet(shard).sort("game")
            plies = pl.read_parquet(folder / "plies" / shard.name).sort("game", "ply")
            _append_tables(games, plies, known, corpus, encoding)
        there.update(games["game"].to_list())
    if left := sorted((game for game in latest if game.number not in there), key=lambda game: game.number):
        with _named(folder / JOURNAL):
            _append_tables(games_table([game.summary for game in left]), plies_table(left), known, corpus, encoding)
    return known


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """:raises GameFileError: the games cannot be read or replayed; names the file."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        first = str(error).split("\n")[0]
        raise GameFileError(f"{path}: cannot be read as games of self-play or labels ({first})") from None
    except GameFileError as error:
        raise GameFileError(f"{path}: {error}") from None


def _append_tables(
    games: pl.DataFrame, plies: pl.DataFrame, known: KnownTargets, corpus: Corpus, encoding: Encoding
) -> None:
    """Append the games of two tables to the corpus, and what is known of their positions to `known`."""
    moves = dict(plies.group_by("game").agg("move").iter_rows())
    flags = dict(plies.group_by("game").agg("full").iter_rows())
    numbers: dict[int, int] = {}
    for row in games.iter_rows(named=True):
        game = row["game"]
        if game not in moves:
            raise GameFileError(f"no move of game {game} in plies")
        opening = row.get("opening_moves") or []
        number = numbers[game] = len(corpus)
        try:
            corpus.add(
                [*opening, *moves[game]],
                row["result"],
                start_fen=row["start_fen"],
                chess960=bool(row.get("chess960")),
                white_elo=row.get("white_elo") or 0,
                black_elo=row.get("black_elo") or 0,
            )
        except FoibleError as error:
            raise GameFileError(f"game {game} cannot be replayed: {error}") from None
        known.usable[number] = np.array([False] * len(opening) + flags[game])
    searched = plies.filter("full").join(games.select("game", "result"), on="game", how="semi", maintain_order="left")
    if not searched.is_empty():
        known.targets.append(_targets(searched, games, numbers, corpus, encoding))
    known.labels |= "shares" in plies.columns


def _targets(
    plies: pl.DataFrame, games: pl.DataFrame, numbers: dict[int, int], corpus: Corpus, encoding: Encoding
) -> Targets:
    weights = plies["visits" if "visits" in plies.columns else "shares"]
    lengths = plies["moves"].list.len()
    bad = plies.filter((lengths != weights.list.len()) | ~(weights.list.sum() > 0))
    if len(bad):
        game, ply = bad.select("game", "ply").row(0)
        raise GameFileError(f"game {game}, ply {ply}: no visits of moves")
    places = np.array([numbers[game] for game in plies["game"].to_list()], np.int64)
    rows = corpus.offsets[places] + plies["ply"].to_numpy().astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths.to_numpy())]).astype(np.int64)
    flat = weights.explode(empty_as_null=False).to_numpy().astype(np.float32)
    try:
        moves = corpus.policy_indices(rows, offsets, move_codes(plies["moves"]), encoding=encoding)
    except MoveError as error:
        raise GameFileError(str(error)) from None
    sums = np.repeat(np.add.reduceat(flat, offsets[:-1]), np.diff(offsets))
    return Targets(rows, offsets, moves, flat / sums, _wdl(plies, games))


def _wdl(plies: pl.DataFrame, games: pl.DataFrame) -> NDArray[np.float32]:
    """`[R, 3]`: win, draw, loss as the search or teacher found them; by the result of the game where it found none."""
    won = pl.when("white").then(pl.lit("1-0")).otherwise(pl.lit("0-1"))
    results = plies.join(games.select("game", "result"), on="game", how="left", maintain_order="left")
    by_result = {
        "win": pl.col("result") == won,
        "draw": pl.col("result") == "1/2-1/2",
        "loss": (pl.col("result") != won) & (pl.col("result") != "1/2-1/2"),
    }
    known = pl.all_horizontal(pl.col(name).is_not_null() for name in by_result)
    wdl = results.select(
        pl.when(known).then(pl.col(name)).otherwise(end.cast(pl.Float32)).alias(name) for name, end in by_result.items()
    )
    return wdl.to_numpy().astype(np.float32)


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """The counts of what was read from one source."""

    source: str
    games: int
    skipped: int
    """Games that cannot be replayed, or have no move or no result."""
    positions: int
    labels: bool = False
    """Whether it is a folder of labels."""

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.source}: {self.games} games, {self.positions} positions{skipped}"


OnRead = Callable[[SourceCounts], None]


@dataclass(slots=True)
class Sources:
    """The corpus of all sources, and the targets and usable rows that only some kinds of sources give."""

    corpus: Corpus = field(default_factory=Corpus)
    parts: list[Targets] = field(default_factory=list)
    usable: dict[int, NDArray[np.bool_]] = field(default_factory=dict)
    """By the number of a game: which of its rows may be trained on; all rows of a game that is missing here."""
    read: list[SourceCounts] = field(default_factory=list)

    @property
    def targets(self) -> Targets | None:
        """The targets that searches and teachers give for rows; `None` where they give none."""
        return joined(self.parts)

    @property
    def of_games(self) -> NDArray[np.int64]:
        """`[G]`: the number of each game's source."""
        return np.repeat(np.arange(len(self.read)), [one.games for one in self.read])

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """`[G]`: whether a game is from a folder of labels."""
        return np.repeat([one.labels for one in self.read], [one.games for one in self.read])

    def usable_rows(self) -> NDArray[np.bool_] | None:
        """`[P]`: whether a row may be trained on; `None` where all may."""
        if not self.usable:
            return None
        offsets = self.corpus.offsets
        rows = np.ones(offsets[-1], np.bool_)
        for game, of_game in self.usable.items():
            rows[offsets[game] : offsets[game + 1]] = of_game
        return rows


def read_sources(
    sources: Sequence[str],
    encoding: Encoding,
    *,
    evals: bool = False,
    who: Sequence[str] | None = None,
    on_read: OnRead = lambda _read: None,
) -> Sources:
    """Read the games of all sources, in the order in which they are named. Parameters and errors as `read_source`."""
    found = Sources()
    for source in sources:
        read_source(source, encoding, found, evals=evals, who=who)
        on_read(found.read[-1])
    return found


def read_source(
    source: str, encoding: Encoding, found: Sources, *, evals: bool = False, who: Sequence[str] | None = None
) -> None:
    """Append the games of a PGN file, or of the folder of a match, of self-play or of labels.

    `who`: the members of a team whose moves alone are usable, as told by the comments that foible's matches write into
    their games; a move without such a comment is not.

    :raises GameFileError: the source is missing, cannot be unpacked, or holds no game; or `who` is given, and the
        source is a folder of self-play or of labels.
    """
    path = Path(source)
    before = len(found.corpus)
    skipped, labels = 0, False
    if path.is_dir() and (path / "games.pgn").exists() and not _has_tables(path):
        path = path / "games.pgn"  # the folder of a match
    if path.is_dir():
        known = read_tables(path, found.corpus, encoding)
        found.parts += known.targets
        found.usable |= known.usable
        labels = known.labels
        if who is not None:
            raise GameFileError(f"{path}: filters.who is for games of matches, whose comments tell who moved")
    else:
        _, skipped = found.corpus.read(open_packed(path), evals=evals)
        if who is not None:
            found.usable |= _marked(path, who, before)
    games = len(found.corpus) - before
    if not games:
        raise GameFileError(f"{path}: no game with moves and a result" + (f" among {skipped}" if skipped else ""))
    offsets = found.corpus.offsets
    found.read.append(SourceCounts(source, games, skipped, int(offsets[-1] - offsets[before]), labels))


def _has_tables(folder: Path) -> bool:
    """Whether the tables of a run tell its games, or will: self-play has none before its first games are in a shard."""
    return (folder / "games").is_dir() or kind_of_run(folder) == "self-play"


def _marked(path: Path, who: Sequence[str], first: int) -> Usable:
    """The rows of these members of a team as usable, of the games of a match that a corpus has from number `first`."""
    read = (game for game in read_pgn(path, comments=True) if game.moves and game.result != "*")
    return {
        number: np.array(
            [comment is not None and comment.split(";")[0].split(" ")[0] in who for comment in game.comments or ()]
        )
        for number, game in enumerate(read, first)
    }
