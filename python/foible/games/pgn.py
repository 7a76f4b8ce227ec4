"""Reads games: PGN files, plain or compressed, game by game in constant memory; and a game or a position as people
write it down, be it PGN, moves alone in SAN or UCI, or a FEN.
"""

import bz2
import gzip
import importlib
import io
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, cast

from foible._core import ChessPosition, MoveError, PgnGame, PgnReader, count_positions
from foible.errors import GameFileError
from foible.extras import advice
from foible.mistakes import near

if TYPE_CHECKING:
    from _typeshed import SupportsRead

__all__ = [
    "WHITE_POINTS",
    "PgnGame",
    "PgnReader",
    "WrittenGame",
    "count_positions",
    "open_packed",
    "read_game_text",
    "read_pgn",
]

WHITE_POINTS: Final[Mapping[str, float]] = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
"""White's points by the result of a game, as PGN writes it. An unfinished game, `*`, has none."""

_XZ_MEMORY: Final = 256 << 20
"""Bytes for unpacking .xz: four times what `xz -9` asks for."""
_XZ_HEAD: Final = 2048
"""The bytes at the beginning of an .xz file that tell how much memory it needs."""
_UNPACK_ERRORS: tuple[type[Exception], ...] = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    RuntimeError,  # an encrypted zip
)


def read_pgn(source: "str | os.PathLike[str] | SupportsRead[bytes]", *, comments: bool = False) -> PgnReader:
    """The games of a path (.pgn, also as .gz, .bz2, .xz, .zip or .zst) or of a binary file object.

    Broken games and variants other than Chess960 are skipped; the reader's `skipped` and `errors` tell of them.

    :raises GameFileError: the file is missing or cannot be unpacked; also raised later, while iterating.
    """
    if not isinstance(source, str | os.PathLike):
        return PgnReader(source, comments=comments)
    return PgnReader(open_packed(Path(source)), comments=comments)


def open_packed(path: Path) -> "PackedFile":
    """A file's bytes, unpacked while they are read if its suffix is one of .gz, .bz2, .xz, .zip and .zst.

    Of an archive .zip with games, whatever else is in it, the .pgn files are read one after the other.

    :raises GameFileError: the file is missing, no file and no pipe, or is not what its suffix says.
    """
    opener, errors = _OPENERS.get(path.suffix.lower(), _plain), _UNPACK_ERRORS
    if opener is _zstd:
        errors = (*errors, _zstandard(path).ZstdError)
    try:
        if not (stat.S_ISREG(mode := path.stat().st_mode) or stat.S_ISFIFO(mode)):
            raise GameFileError(f"{path}: a {'folder' if stat.S_ISDIR(mode) else 'device'}; expected a file")
        raw = path.open("rb")
        try:
            return PackedFile(path, raw, opener(raw, path), errors)
        except BaseException:
            raw.close()
            raise
    except FileNotFoundError:
        raise GameFileError(f"{path}: no such file") from None
    except errors as error:
        raise GameFileError(f"{path}: cannot be read ({_reason(error)})") from None


class PackedFile:
    """A file that is read once from start to end, and is closed there or when this object is deleted."""

    def __init__(self, path: Path, raw: BinaryIO, stream: BinaryIO, errors: tuple[type[Exception], ...]) -> None:
        """`raw`: the file as it is. `stream`: its content, unpacked."""
        self._path, self._raw, self._stream, self._errors = path, raw, stream, errors
        self._size = os.fstat(raw.fileno()).st_size

    @property
    def bytes_read(self) -> int:
        """The number of bytes read so far of the file on the disk, still packed; tells how far the reading is."""
        return self._size if self._raw.closed else self._raw.tell()

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes, all of them when negative; empty at the end.

        :raises GameFileError: the file cannot be unpacked from here on.
        """
        if self._stream.closed:
            return b""
        try:
            data = self._stream.read(size)
        except self._errors as error:
            self.close()
            raise GameFileError(f"{self._path}: cannot be read ({_reason(error)})") from None
        if not data:
            self.close()
        return data

    def close(self) -> None:
        self._stream.close()
        self._raw.close()

    def __del__(self) -> None:
        self.close()


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def _plain(raw: BinaryIO, _path: Path) -> BinaryIO:
    return raw


def _gzip(raw: BinaryIO, _path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(raw, "rb"))


def _bz2(raw: BinaryIO, _path: Path) -> BinaryIO:
    return cast(BinaryIO, bz2.open(raw, "rb"))


def _xz(raw: BinaryIO, _path: Path) -> BinaryIO:
    head = cast(io.BufferedReader, raw).peek(_XZ_HEAD)
    lzma.LZMADecompressor(memlimit=_XZ_MEMORY).decompress(head, max_length=1)
    return cast(BinaryIO, lzma.open(raw, "rb"))


def _zip(raw: BinaryIO, path: Path) -> BinaryIO:
    archive = zipfile.ZipFile(raw)
    names = [name for name in archive.namelist() if not name.endswith("/") and "__MACOSX/" not in name]
    games = [name for name in names if name.lower().endswith(".pgn")]
    if not games and len(names) != 1:
        raise GameFileError(
            f"{path}: holds {len(names)} files, none of them .pgn; expected files of games, or one file"
        )
    return cast(BinaryIO, io.BufferedReader(_Members(archive, games or names)))


class _Members(io.RawIOBase):
    """Files of a zip archive, read as if they were one, each with a blank line before it."""

    def __init__(self, archive: zipfile.ZipFile, names: Sequence[str]) -> None:
        self._archive, self._rest = archive, iter(names)
        self._member: IO[bytes] = archive.open(next(self._rest))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if data := self._member.read(len(buffer)):
            buffer[: len(data)] = data
            return len(data)
        if (name := next(self._rest, None)) is None:
            return 0
        self._member = self._archive.open(name)
        buffer[:2] = b"\n\n"
        return 2


def _zstd(raw: BinaryIO, path: Path) -> BinaryIO:
    reader = _zstandard(path).ZstdDecompressor().stream_reader(raw, read_across_frames=True)
    return cast(BinaryIO, reader)


def _zstandard(path: Path) -> Any:
    try:
        return importlib.import_module("zstandard")
    except ImportError:
        raise GameFileError(f"{path}: {advice('zstandard')}") from None


_OPENERS: dict[str, Callable[[BinaryIO, Path], BinaryIO]] = {
    ".gz": _gzip,
    ".bz2": _bz2,
    ".xz": _xz,
    ".zip": _zip,
    ".zst": _zstd,
}

EXPECTED = "expected a game as PGN, its moves (e4 e5, or e2e4 e7e5), or a position as FEN"

_RESULTS = frozenset({*WHITE_POINTS, "*"})
_NOT_MOVES = re.compile(r"\b\d+\s*\.+|[,;]")
"""Move numbers and punctuation, which may stand between moves that are written without comments."""
_PGN_ALONE = re.compile(r"[\[{]")
"""The beginning of a tag or a comment, which only PGN has."""
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")


@dataclass(frozen=True, slots=True)
class WrittenGame:
    """A game that was read, or a position without moves."""

    start: ChessPosition
    moves: tuple[str, ...] = ()
    """The moves in UCI."""
    tags: Mapping[str, str] = field(default_factory=dict)
    result: str = "*"
    games: int = 1
    """The number of games that the text holds, of which this is the first."""


def read_game_text(text: str) -> WrittenGame:
    """The first game, or the position, that a text holds.

    >>> read_game_text("e2e4 e7e5 g1f3").moves == read_game_text("1. e4 e5 2. Nf3").moves
    True

    :raises PositionError: the text is a FEN that is not valid; names the field.
    :raises GameFileError: the text is no game or position; says which move or line is wrong, and what would be right.
    """
    text = text.strip()
    if _looks_like_fen(text):
        return WrittenGame(ChessPosition(text, chess960=None))
    reader = PgnReader(io.BytesIO(text.encode()))
    game = next(iter(reader), None)
    if game is None and not _PGN_ALONE.search(text):
        return _of_moves(text)
    if game is None or not (game.moves or game.start_fen):
        raise GameFileError(f"{reader.errors[0]}; {EXPECTED}" if reader.errors else f"no moves; {EXPECTED}")
    start = ChessPosition(game.start_fen, chess960=game.chess960)
    return WrittenGame(start, tuple(game.moves), game.tags, game.result, 1 + sum(1 for _ in reader))


def _looks_like_fen(text: str) -> bool:
    first = text.split(maxsplit=1)[:1]
    return "\n" not in text and any(word.count("/") > 1 and "[" not in word for word in first)


def _of_moves(text: str) -> WrittenGame:
    words = _NOT_MOVES.sub(" ", text).split()
    result = words.pop() if words and words[-1] in _RESULTS else "*"
    if not words:
        raise GameFileError(f"no moves; {EXPECTED}")
    start = position = ChessPosition()
    for ply, word in enumerate(words):
        try:
            position = position.play(word.rstrip("!?"))
        except MoveError:
            if ply == 0 and not re.search("[a-h][1-8]|[O0]-", word):
                raise GameFileError(f"{word!r} is no move; {EXPECTED}") from None
            raise GameFileError(f"move {_numbered(ply)} {word}: not a move there; {_right(position, word)}") from None
    return WrittenGame(start, tuple(position.moves), result=result)


def _numbered(ply: int) -> str:
    return f"{ply // 2 + 1}{'.' if ply % 2 == 0 else '…'}"


def _right(position: ChessPosition, word: str) -> str:
    if position.outcome() is not None:
        return "the game is over before it"
    return near(word, position.legal_moves if _UCI.fullmatch(word) else map(position.san, position.legal_moves))
