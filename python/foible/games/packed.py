"""Reads files that may be packed, unpacking them while they are read."""

import bz2
import gzip
import importlib
import io
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, cast

from foible.errors import GameFileError
from foible.extras import advice

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
