"""Files that appear whole or not at all, and checksums by which damage to them is found.

Checksums are CRC-32, which no flipped bit and no burst of 32 escapes; records and files carry them.
"""

import io
import os
import re
import sys
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, Self, TypeVar

import msgspec

from foible.errors import GameFileError

if TYPE_CHECKING:
    import polars as pl


class Closing(ABC):
    """What is open until its block ends."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def replacing(path: Path, *, draft: str = "") -> Iterator[BinaryIO]:
    """A stream whose content takes the place of the file when the block ends without an error, whole and on the disk.

    `draft`: the name that it has until then. By default always the same: what a kill leaves is overwritten the next
    time. Where several processes write one file, each needs a name of its own.

    A link stays what it is: the file that it leads to is written.

    :raises OSError: the folder is missing, or cannot be written, or `path` is no file, or the disk is full; names
        `path`. What was there before is intact.
    """
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if target.exists() and not target.is_file():
        raise IsADirectoryError(f"{path} is a {'folder' if target.is_dir() else 'device or pipe'}; expected a file")
    temporary = target.with_name(draft or f".{target.name}.new")
    with named(path, temporary):
        try:
            with temporary.open("wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Put the names of a folder's files on the disk. Windows cannot open folders, and keeps a journal of names."""
    if sys.platform == "win32":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def named(path: Path, draft: Path | None = None) -> Iterator[None]:
    """What the system refuses in this block, a write to a full disk among it, is told with the name of the file.

    `draft`: another name, which nobody has heard of.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in {None, str(path), str(draft)}:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that at any instant either the old or the new one is there. Errors as `replacing`."""
    with replacing(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


def write_table(path: Path, table: "pl.DataFrame") -> None:
    """A table as Parquet, in a folder that may not exist yet, whole or not at all. Errors as `replacing`."""
    path.parent.mkdir(exist_ok=True)
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    write_atomically(path, buffer.getvalue())


def copy_file(path: Path, target: Path) -> None:
    """A copy of a file, in a folder that may not exist yet, whole or not at all. Errors as `replacing`."""
    target.parent.mkdir(exist_ok=True)
    write_atomically(target, path.read_bytes())


def replace_file(path: Path, data: bytes) -> None:
    """The same for a file that others may be writing too, in a folder that may not exist yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, draft=f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}") as stream:
        stream.write(data)


T = TypeVar("T")

MEMBER: Final = re.compile(rb',?\s*"checksum": ?"([0-9a-f]{8})"\s*\}\s*\Z')
LINE: Final = re.compile(rb"\nchecksum ([0-9a-f]{8})\n\Z")
LONGEST: Final = 64
"""Bytes in which a checksum at the end of something is to be found."""


def checksum(data: bytes) -> str:
    """Eight hexadecimal digits.

    >>> checksum(b"foible")
    '8de0bbc3'
    """
    return f"{zlib.crc32(data):08x}"


def seal(text: bytes) -> bytes:
    """A JSON object with a checksum as its last member, on a line of its own where the others have one.

    >>> seal(b'{"game":1}')
    b'{"game":1,"checksum":"80f17a19"}'
    """
    body = text.rstrip()[:-1].rstrip()
    comma, mark = b"" if body == b"{" else b",", checksum(body).encode()
    if b"\n" in body:
        return b'%s%s\n  "checksum": "%s"\n}\n' % (body, comma, mark)
    return b'%s%s"checksum":"%s"}' % (body, comma, mark)


def unseal(text: bytes) -> bytes:
    """The object without its checksum; one of an earlier version, which has none, as it is.

    :raises GameFileError: it is not what it was when it was sealed.
    """
    return _checked(text, MEMBER, b"}")


def read_sealed(text: bytes, decode: Callable[[bytes], T]) -> T:
    """What a sealed object means, by msgspec's `decode` of its kind.

    :raises GameFileError: it is damaged, or none of this kind.
    """
    try:
        return decode(unseal(text))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise GameFileError(str(error)) from None


def seal_file(data: bytes) -> bytes:
    """The content of a file whose readers pass over what stands behind its end, with a checksum there."""
    return b"%s\nchecksum %s\n" % (data, checksum(data).encode())


def unseal_file(data: bytes) -> bytes:
    """As `unseal`, of what `seal_file` gave."""
    return _checked(data, LINE, b"")


def _checked(data: bytes, mark: re.Pattern[bytes], end: bytes) -> bytes:
    found = mark.search(data, max(0, len(data) - LONGEST))
    if found is None:
        return data
    body, noted = data[: found.start()], found[1].decode()
    if (now := checksum(body)) != noted:
        raise GameFileError(f"damaged: its checksum is {now}, not {noted}")
    return body + end
