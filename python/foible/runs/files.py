"""Files that are written whole or not at all, and checksums that detect damage to files and records.

The checksums are CRC-32, which detects every flipped bit and every burst of up to 32 wrong bits.
"""

import csv
import io
import os
import re
import sys
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, Self, TypeVar

import msgspec

from foible.errors import GameFileError

if TYPE_CHECKING:
    import polars as pl


class Closing(ABC):
    """A base class for what is closed at the end of its `with` block."""

    @abstractmethod
    def close(self) -> None:
        """Release the resources that the object holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def replacing(path: Path, *, draft: str = "") -> Iterator[BinaryIO]:
    """A stream whose content replaces the file when the block ends without an error, whole and synced to the disk.

    `draft`: the name of the temporary file that the stream writes. The default is always the same for a path, so that
    what a killed process leaves is overwritten the next time. Where several processes write one file, each needs a name
    of its own.

    A symbolic link is kept: the file that it leads to is replaced.

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
            put_in_place(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)


def put_in_place(draft: Path, path: Path) -> None:
    """Move a whole file, whose content was synced to the disk, in the place of another in its folder.

    :raises OSError: the folder cannot be written, or `path` is a folder.
    """
    draft.replace(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Sync the names of a folder's files to the disk. Windows cannot open folders, and journals names itself."""
    if sys.platform == "win32":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def named(path: Path, draft: Path | None = None) -> Iterator[None]:
    """Let each `OSError` in this block name the file: some name none, such as that of a write to a full disk.

    `draft`: the name of a temporary file, which the error is not to mention: `path` takes its place.
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
    """Write a table as Parquet, whole or not at all; its folder is made if need be. Errors as `replacing`."""
    path.parent.mkdir(exist_ok=True)
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    write_atomically(path, buffer.getvalue())


def csv_text(rows: Sequence[Mapping[str, object]], header: Sequence[str] = ()) -> str:
    """Rows as CSV below a header: the given one, or the keys of the first row; an empty text where there is neither."""
    names = list(header or (rows[0] if rows else ()))
    out = io.StringIO()
    if names:
        writer = csv.DictWriter(out, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return out.getvalue()


def copy_file(path: Path, target: Path) -> None:
    """Copy a file, whole or not at all; the folder of `target` is made if need be. Errors as `replacing`."""
    target.parent.mkdir(exist_ok=True)
    write_atomically(target, path.read_bytes())


def replace_file(path: Path, data: bytes) -> None:
    """Write a file, whole or not at all, that other processes may be writing too; its folders are made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, draft=f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}") as stream:
        stream.write(data)


T = TypeVar("T")

MEMBER: Final = re.compile(rb',?\s*"checksum": ?"([0-9a-f]{8})"\s*\}\s*\Z')
LINE: Final = re.compile(rb"\n(?:# )?checksum ([0-9a-f]{8})\n\Z")
LONGEST: Final = 64
"""The number of bytes at the end of a text or file in which its checksum is looked for."""


def checksum(data: bytes) -> str:
    """The CRC-32 of some bytes, as eight hexadecimal digits.

    >>> checksum(b"foible")
    '8de0bbc3'
    """
    return f"{zlib.crc32(data):08x}"


def seal(text: bytes) -> bytes:
    """Add a checksum to a JSON object as its last member, on a line of its own where the object has several lines.

    >>> seal(b'{"game":1}')
    b'{"game":1,"checksum":"80f17a19"}'
    """
    body = text.rstrip()[:-1].rstrip()
    comma, mark = b"" if body == b"{" else b",", checksum(body).encode()
    if b"\n" in body:
        return b'%s%s\n  "checksum": "%s"\n}\n' % (body, comma, mark)
    return b'%s%s"checksum":"%s"}' % (body, comma, mark)


def unseal(text: bytes) -> bytes:
    """Verify a sealed JSON object and remove its checksum. One without a checksum, from an earlier version, is returned
    as it is.

    :raises GameFileError: the object was changed after it was sealed.
    """
    return _checked(text, MEMBER, b"}")


def has_seal(text: bytes) -> bool:
    """Whether a JSON object has a checksum as its last member, right or wrong."""
    return MEMBER.search(text, max(0, len(text) - LONGEST)) is not None


def read_sealed(text: bytes, decode: Callable[[bytes], T]) -> T:
    """Verify a sealed JSON object and decode it. `decode` is that of a msgspec decoder for its type.

    :raises GameFileError: the object is damaged, or of another type.
    """
    try:
        return decode(unseal(text))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise GameFileError(str(error)) from None


def seal_file(data: bytes) -> bytes:
    """Append a checksum to the content of a file, of a format whose readers ignore bytes behind its end."""
    return b"%s\nchecksum %s\n" % (data, checksum(data).encode())


def seal_toml(text: str) -> str:
    """Append a checksum to a TOML document, as a comment.

    >>> print(seal_toml("games = 2"))
    games = 2
    # checksum 1fb2ddea
    <BLANKLINE>
    """
    return f"{text}\n# checksum {checksum(text.encode())}\n"


def unseal_file(data: bytes) -> bytes:
    """Verify and remove the checksum that `seal_file` or `seal_toml` appended; content without one stays as it is.

    :raises GameFileError: the content was changed after it was sealed.
    """
    return _checked(data, LINE, b"")


def _checked(data: bytes, mark: re.Pattern[bytes], end: bytes) -> bytes:
    found = mark.search(data, max(0, len(data) - LONGEST))
    if found is None:
        return data
    body, noted = data[: found.start()], found[1].decode()
    if (now := checksum(body)) != noted:
        raise GameFileError(f"damaged: its checksum is {now}, not {noted}")
    return body + end
