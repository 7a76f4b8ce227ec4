"""Builds an index of openings: games are streamed, in memory that does not grow with their number.

Rows are collected up to `_CHUNK`, sorted by position, and written to a spool file; then the rows of each range of
positions are gathered from all spool files into one table. The index appears under its own name only when complete;
a process that is killed leaves a draft folder, which the next one deletes.
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from foible.analysis.games.opening_names import NO_TABLE
from foible.analysis.openings.opening_index import (
    DESCRIPTION,
    KEY_BITS,
    LEAST,
    PARTS,
    PLIES,
    ROWS,
    IndexDescription,
    IndexedFile,
    Indexing,
    OpeningIndex,
    part_name,
)
from foible.errors import ConfigError, GameFileError
from foible.games.packed import open_packed
from foible.games.pgn import WHITE_POINTS, PgnGame, PgnReader
from foible.mistakes import check_pgn_files
from foible.nets.download import cache_folder
from foible.opponents.game_tags import read_rating
from foible.opponents.opening_table import positions_once
from foible.runs.files import write_atomically
from foible.toml import AnyPath, expand

FORMAT: Final = 1
"""The version of the index format; indexes of another version are built anew."""
_CHUNK: Final = 1 << 19
"""The most rows held in memory, some 100 MB."""
_ROW_GROUP: Final = 1 << 13
"""Rows in a Parquet row group, the least that is read to find one position."""
_TELL: Final = 512
"""The number of games between two reports of progress."""
_READING: Final = 0.9
"""The share of reading the games in the whole work, for reports of progress."""
_END_BYTES: Final = 1 << 16


def open_index(paths: Sequence[AnyPath], on_progress: Callable[[Indexing], None] = lambda _step: None) -> OpeningIndex:
    """The index of PGN files, plain or compressed, for scripts; see `indexing`.

    :param on_progress: called with the progress of the indexing.
    """
    for step in indexing(paths):
        if isinstance(step, OpeningIndex):
            return step
        on_progress(step)
    raise AssertionError("games that became no index")


def indexing(paths: Sequence[AnyPath]) -> Generator[Indexing | OpeningIndex, None, None]:
    """Index PGN files; yields the progress and at the end the index.

    The index is kept in the user's cache folder, or until the process ends where that cannot be written. If it is there
    already and the files have kept their sizes, times of change, and first and last bytes, it is yielded at once. If
    another process is building it, this one waits.

    :raises ConfigError: no file is named.
    :raises GameFileError: a path is not a regular file but, for example, a pipe; a file cannot be read, or all of them
        together hold no game with a result.
    :raises OSError: there is no room for the index.
    """
    if not paths:
        raise ConfigError("no games to look into: expected PGN files")
    check_pgn_files(paths)
    found = [expand(path) for path in paths]
    for path in found:
        if path.exists() and not path.is_file():
            raise GameFileError(f"{path}: no file; expected PGN files, which are read again where they have changed")
    files = sorted({path.resolve() for path in found})
    wanted = IndexDescription(format=FORMAT, plies=PLIES, files=tuple(map(_as_it_is, files)))
    name = blake2b(b"\n".join(map(os.fsencode, files)), digest_size=12).hexdigest()
    folder = cache_folder() / "openings" / name
    index = _there(folder, wanted)
    if index is None:
        folder = _writable(folder.parent) / name
        yield from _making(folder, files, wanted)
        index = _there(folder, wanted)
        assert index is not None
    yield index


def _writable(cache: Path) -> Path:
    """The folder of the indexes, or one for this process alone where it cannot be written."""
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    return cache if os.access(cache, os.W_OK) else _temporary()


@lru_cache(maxsize=1)
def _temporary() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="foible-openings-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _making(folder: Path, paths: Sequence[Path], wanted: IndexDescription) -> Iterator[Indexing]:
    """Build the index, or wait while another process does."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - not needed where the index exists

    lock, draft = FileLock(folder.with_suffix(".lock"), thread_local=False), folder.with_suffix(".new")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield Indexing("waiting for another process that reads these games", 0, 0.0)
        lock.acquire()
    try:
        if _there(folder, wanted):
            return
        shutil.rmtree(draft, ignore_errors=True)
        yield from _build(draft, paths, wanted)
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        lock.release()


def _as_it_is(path: Path) -> IndexedFile:
    """The file's size, time of change and hash of its ends, by which changes are noticed.

    :raises GameFileError: there is no such file, or it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            status = os.fstat(stream.fileno())
            ends = blake2b(stream.read(_END_BYTES), digest_size=16)
            stream.seek(max(0, status.st_size - _END_BYTES))
            ends.update(stream.read(_END_BYTES))
    except FileNotFoundError:
        raise GameFileError(f"{path}: no such file") from None
    except OSError as error:
        raise GameFileError(f"{path}: cannot be read ({error.strerror})") from None
    printable = str(path).encode(errors="backslashreplace").decode()
    return IndexedFile(printable, status.st_size, status.st_mtime_ns, ends.hexdigest())


def _there(folder: Path, wanted: IndexDescription) -> OpeningIndex | None:
    """The index in a folder, if it was made from the same files in the same format."""
    try:
        found = msgspec.json.decode((folder / DESCRIPTION).read_bytes(), type=IndexDescription)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    same = (found.format, found.plies, found.files) == (wanted.format, wanted.plies, wanted.files)
    return OpeningIndex(folder, found) if same else None


def _build(folder: Path, paths: Sequence[Path], wanted: IndexDescription) -> Iterator[Indexing]:
    spool = folder / "spool"
    spool.mkdir(parents=True)
    collected = _Collected(spool)
    size, before = max(1, sum(file.size for file in wanted.files)), 0
    for path, file in zip(paths, wanted.files, strict=True):
        with closing(open_packed(path)) as packed:
            reader = PgnReader(packed)
            for game in reader:
                collected.add(game)
                if game.number % _TELL == 0:
                    part = (before + packed.bytes_read) / size
                    yield Indexing("reading the games", collected.games, _READING * part)
            collected.note_skipped(reader)
        before += file.size
    collected.write()
    if not collected.games:
        reason = collected.error or "none has a result and is standard chess"
        raise GameFileError(f"{', '.join(map(str, paths))}: no game that can be used; {reason}")
    for part in range(PARTS):
        yield Indexing("sorting the positions", collected.games, _READING + (1 - _READING) * part / PARTS)
        _gathered(spool, part).write_parquet(folder / part_name(part), row_group_size=_ROW_GROUP)
    shutil.rmtree(spool)
    # The description is written last: an index that has one is complete.
    write_atomically(folder / DESCRIPTION, msgspec.json.encode(collected.describe(wanted)))


def _gathered(spool: Path, part: int) -> pl.DataFrame:
    """The sorted rows of one range of positions, without positions that came up too rarely."""
    width = (1 << KEY_BITS) // PARTS
    first, last = (pl.lit(key, pl.UInt64) for key in (part * width, (part + 1) * width - 1))
    rows = pl.scan_parquet(spool / "*.parquet").filter(pl.col("key").is_between(first, last))
    return rows.filter(pl.len().over("key") >= LEAST).sort("key").collect()


class _Collected:
    """Rows on their way to the disk, and counts of the games that they come from."""

    def __init__(self, spool: Path) -> None:
        self._spool, self._written = spool, 0
        self._rows: list[tuple[int, str, float, int | None, int | None, str | None]] = []
        """Rows with the columns of `ROWS`."""
        self.games = self.rated = self.unfinished = self.variants = self.skipped = 0
        self.error: str | None = None

    def add(self, game: PgnGame) -> None:
        """Add a game's first `PLIES` moves; a position that recurs within the game counts once."""
        points = WHITE_POINTS.get(game.result)
        if points is None or game.chess960:
            self.unfinished += points is None
            self.variants += points is not None
            return
        self.games += 1
        low, high = _ratings(game)
        self.rated += low is not None
        opening = " ".join(filter(None, NO_TABLE.of(game))) or None
        for key, position, move in positions_once(game.start_fen, game.moves[:PLIES]):
            score = points if position.turn == "first" else 1 - points
            self._rows.append((key, move, score, low, high, opening))
        if len(self._rows) >= _CHUNK:
            self.write()

    def note_skipped(self, reader: PgnReader) -> None:
        """Count the games of a file that could not be replayed."""
        self.skipped += reader.skipped
        self.error = self.error or next(iter(reader.errors), None)

    def write(self) -> None:
        """Write the rows to the spool, sorted, so that a range of positions can be read without the others."""
        table = pl.DataFrame(self._rows, schema=ROWS, orient="row").sort("key")
        table.write_parquet(self._spool / f"{self._written:06}.parquet", row_group_size=_ROW_GROUP)
        self._written += 1
        self._rows.clear()

    def describe(self, wanted: IndexDescription) -> IndexDescription:
        """The description of the index, completed with the counts of all games."""
        return msgspec.structs.replace(
            wanted,
            games=self.games,
            rated=self.rated,
            unfinished=self.unfinished,
            variants=self.variants,
            skipped=self.skipped,
            error=self.error,
        )


def _ratings(game: PgnGame) -> tuple[int, int] | tuple[None, None]:
    """The lower and the higher rating of the two players, if both have one."""
    white, black = read_rating(game.tags, white=True), read_rating(game.tags, white=False)
    return (None, None) if white is None or black is None else (min(white, black), max(white, black))
