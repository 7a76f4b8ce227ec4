"""Chooses the positions of the sources to label, and divides them into shards."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition, Corpus
from foible.errors import FoibleError, GameFileError, PositionError
from foible.games.epd import read_epd_line
from foible.games.packed import open_packed
from foible.training.data.columns import Columns, columns_of, without_game
from foible.training.data.sources import OnRead, SourceCounts, Sources, read_source
from foible.training.labels.config import LabelConfig
from foible.training.labels.teachers import Teacher

EPD: Final = ".epd"


@dataclass(frozen=True, slots=True)
class Plan:
    """Which rows of the sources are labelled, and how they are divided into shards."""

    corpus: Corpus
    columns: Columns
    rows: NDArray[np.int64]
    """`[N]`: the rows to label, in ascending order."""
    ratings: NDArray[np.int16]
    """`[N]`: ratings of the players to move, 0 where unknown."""
    first: NDArray[np.int64]
    """`[N]`: for each row the index in `rows` of the first one that gets the same label."""
    repeated: frozenset[int]
    """The indices in `rows` of first rows whose label other rows get as well."""
    shards: list[slice]
    """Slices of `rows`: whole games, in order."""
    unplayed: NDArray[np.bool_]
    """`[G]`: whether a game is a position of an EPD file, without a game: its move and result are unknown."""
    fingerprint: str
    """The hash of the games, their order and their players' ratings."""

    def positions_of(self, shards: Iterable[int]) -> int:
        """The number of rows in these shards."""
        return sum(self.shards[shard].stop - self.shards[shard].start for shard in shards)


def make_plan(config: LabelConfig, teacher: Teacher, on_read: OnRead = lambda _read: None) -> Plan:
    """Read the sources and choose the rows; the same configuration and files give the same plan.

    :raises GameFileError: a source cannot be read, or nothing is left to label.
    """
    sources = Sources()
    for source in config.sources:
        if EPD in Path(source).suffixes:
            _read_epd(Path(source), sources)
        else:
            read_source(source, "lc0", sources)
        on_read(sources.read[-1])
    corpus = sources.corpus
    columns = columns_of(corpus, sources=sources.of_games, labelled=sources.labelled)
    rows = np.arange(corpus.offsets[-1])
    ratings = columns.mover_ratings(rows)
    if teacher.knows_ratings:
        rows = rows[ratings > 0]
        if not len(rows):
            raise GameFileError("no position in which the rating of the player to move is known, as this teacher needs")
    if config.positions is not None and config.positions < len(rows):
        drawn = np.random.default_rng(config.seed).choice(len(rows), config.positions, replace=False)
        rows = rows[np.sort(drawn)]
    ratings = ratings[rows]
    asked = np.stack([corpus.keys(rows), ratings.astype(np.uint64) * np.uint64(teacher.knows_ratings)], axis=1)
    _, first, inverse, counts = np.unique(asked, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return Plan(
        corpus=corpus,
        columns=columns,
        rows=rows,
        ratings=ratings,
        first=first[inverse.reshape(-1)],
        repeated=frozenset(first[counts > 1].tolist()),
        unplayed=without_game(columns.plies, columns.labelled),
        shards=list(_shards(columns, rows, teacher.chunk)),
        fingerprint=_fingerprint(columns),
    )


def _read_epd(path: Path, sources: Sources) -> None:
    """Append the positions of an EPD file, plain or packed, as a folder of labels has them: as games of a single move,
    here the first legal one.

    :raises GameFileError: the file cannot be read, or a line is not a position in which play goes on.
    """
    try:
        lines = open_packed(path).read().decode().splitlines()
    except UnicodeDecodeError as error:
        raise GameFileError(f"{path}: cannot be read ({error})") from None
    before = len(sources.corpus)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            position = _position(read_epd_line(line).fen)
        except FoibleError as error:
            raise GameFileError(f"{path}, line {number}: {error}") from None
        if position.outcome() is not None:
            raise GameFileError(f"{path}, line {number}: the game is over; expected a position that goes on")
        moves, fen = position.legal_moves[:1], position.fen
        sources.corpus.add(moves, "1/2-1/2", start_fen=fen, chess960=position.chess960)
    found = len(sources.corpus) - before
    if not found:
        raise GameFileError(f"{path}: no position; expected one in each line")
    sources.read.append(SourceCounts(str(path), found, 0, found, labels=True))


def _position(fen: str) -> ChessPosition:
    """A position of ordinary chess, or of Chess960 where its castling rights exist only there.

    :raises PositionError: the FEN is neither.
    """
    try:
        return ChessPosition(fen)
    except PositionError:
        return ChessPosition(fen, chess960=True)


def _fingerprint(columns: Columns) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for of_games in (columns.keys, columns.results, columns.ratings):
        digest.update(of_games.tobytes())
    return f"{columns.games}, hash {digest.hexdigest()}"


def _shards(columns: Columns, rows: NDArray[np.int64], size: int) -> Iterator[slice]:
    """Cut the rows into shards of `size` rows or more, each up to the end of a game; only the last may be smaller."""
    games = columns.games_of(rows)
    start = 0
    while start < len(rows):
        at = min(start + size, len(rows))
        end = int(np.searchsorted(games, games[at - 1], "right"))
        yield slice(start, end)
        start = end
