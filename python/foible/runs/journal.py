"""Files of records that only grow: appended records are synced to the disk; a kill loses at most a half-written one.

Each record carries a checksum, and the folder's ledger knows how many there are: flipped bits and missing records are
detected when the file is read. A `FollowedFile` is read while another process writes it: no lock is taken, and after
the first time only what was appended is read.
"""

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Generic, Protocol, TypeVar

import msgspec

from foible.errors import GameFileError
from foible.runs.files import Closing, named, read_sealed, replacing, seal
from foible.runs.ledger import LEDGER, Ledger

T = TypeVar("T")

WAY_ON: Final = f"put back a copy of the file; or remove what is damaged, and {LEDGER}, and it is made anew"
MISSING: Final = f"put back a copy of it; or remove {LEDGER}, and what is missing is made anew"

LOOKS: Final = 4
"""The number of times that `settled` tries to read."""
BETWEEN_LOOKS: Final = 0.05
"""Seconds between two tries."""
_REMEMBERED: Final = 64
"""The number of last bytes read that are kept, to recognise whether the file was appended to or rewritten."""


class Form(Protocol[T]):
    """The format of a file in which records follow one another, each with its checksum."""

    def write(self, record: T) -> bytes:
        """The bytes of one record."""

    def whole(self, data: bytes) -> int:
        """The length, in bytes, of the complete records at the beginning of `data`; what follows is half written."""

    def read(self, data: bytes) -> list[T]:
        """Decode complete records.

        :raises GameFileError: a record is damaged, or of another kind; the message names the record, not the file.
        """


@dataclass(frozen=True, slots=True)
class JsonLines(Generic[T]):
    """JSON Lines: one object a line, its checksum as the last member; lines of earlier versions have no checksum."""

    kind: type[T]
    """The type of the records, a msgspec struct."""

    def write(self, record: T) -> bytes:
        return seal(msgspec.json.encode(record)) + b"\n"

    def whole(self, data: bytes) -> int:
        return data.rfind(b"\n") + 1

    def read(self, data: bytes) -> list[T]:
        decode, found = msgspec.json.Decoder(self.kind).decode, []
        for number, line in enumerate(data.split(b"\n")[:-1], 1):
            try:
                found.append(read_sealed(line, decode))
            except GameFileError as error:
                raise GameFileError(f"line {number}: cannot be read ({error})") from None
        return found


class RecordFile(Generic[T], Closing):
    """A file of records. The folder's lock ensures that only one process at a time writes it."""

    def __init__(self, path: Path, form: Form[T]) -> None:
        """Read the file, if it exists; nothing is written before `begin`. Errors as `read_record_file`."""
        self.path = path
        self.items, self._size = _read(path, form)
        """`items` are all records of the file, `_size` is their length in bytes."""
        self._form = form
        self._ledger = Ledger(path.parent)
        self._file: GrowingFile | None = None

    def begin(self) -> None:
        """Create the file where there is none, and cut off a half-written record at its end.

        :raises OSError: the file cannot be written; names it.
        """
        self._file = GrowingFile(self.path, self._size)
        self._ledger.set_count(self.path.name, len(self.items))

    def append(self, records: Iterable[T]) -> None:
        """Append records, which are on the disk when this returns. Errors as `begin`; then none was appended."""
        new = list(records)
        if not new:
            return
        assert self._file is not None, "begin comes first"
        data = b"".join(map(self._form.write, new))
        self._file.append(data)
        try:
            self._ledger.set_count(self.path.name, len(self.items) + len(new))
        except OSError:
            self._file.take_back(len(data))
            raise
        self.items += new

    def rewrite(self, records: Iterable[T]) -> None:
        """Replace the content, whole or not at all, by some of the file's records in any order. Errors as `begin`."""
        assert self._file is not None, "begin comes first"
        left, size = list(records), self._file.size
        data = b"".join(map(self._form.write, left))
        self._ledger.set_count(self.path.name, len(left))
        self.close()
        try:
            with replacing(self.path) as stream:
                stream.write(data)
            self.items, size = left, len(data)
        finally:
            self._file = GrowingFile(self.path, size)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class Journal(RecordFile[T]):
    """A `RecordFile` in JSON Lines that is open for appending from the start."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        """Open or create the file. `kind`: the type of each line, a msgspec struct. A half line at the end is cut off.

        :raises GameFileError: a line is damaged or of another kind, or some lines are missing.
        :raises OSError: the file cannot be read or written.
        """
        super().__init__(path, JsonLines(kind))
        self.begin()


class GrowingFile:
    """An open file to which whole records are appended."""

    def __init__(self, path: Path, size: int) -> None:
        """Open or create the file. `size`: the length of its complete records in bytes; what follows them is cut off.

        :raises OSError: the file cannot be written; names it.
        """
        self._path = path
        with named(path):
            self._stream = path.open("ab", buffering=0)
            found = os.fstat(self._stream.fileno()).st_size
            self.size = min(size, found)
            """The length of the file in bytes, all of them on the disk."""
            if self.size < found:
                self._cut()

    def append(self, data: bytes) -> None:
        """Append bytes, which are on the disk when this returns.

        :raises OSError: they cannot be written, as on a full disk; names the file, which is as it was.
        """
        with named(self._path):
            try:
                rest = data
                while rest:
                    rest = rest[self._stream.write(rest) :]
                os.fsync(self._stream.fileno())
            except BaseException:
                with suppress(OSError):
                    self._cut()
                raise
        self.size += len(data)

    def take_back(self, size: int) -> None:
        """Cut off the last `size` bytes again.

        :raises OSError: that cannot be done; names the file.
        """
        self.size -= size
        with named(self._path):
            self._cut()

    def close(self) -> None:
        self._stream.close()

    def _cut(self) -> None:
        self._stream.truncate(self.size)
        os.fsync(self._stream.fileno())


def read_record_file(path: Path, form: Form[T]) -> list[T]:
    """The records of a file that another process may be writing: a half-written one at the end is left out. Empty where
    there is no file.

    :raises GameFileError: a record is damaged or of another kind, or some are missing; names the file and the record,
        and says how to go on.
    :raises OSError: the file cannot be read.
    """
    return _read(path, form)[0]


def read_journal(path: Path, kind: type[T]) -> list[T]:
    """`read_record_file` for JSON Lines. `kind`: the type of each line, a msgspec struct."""
    return read_record_file(path, JsonLines(kind))


class FollowedFile(Generic[T]):
    """A file of records that mostly grows. Where it was rewritten or cut, it is read anew from its beginning."""

    def __init__(self, path: Path, form: Form[T]) -> None:
        """The file is not opened before the first `read`."""
        self._path, self._form = path, form
        self._items: list[T] = []
        self._size, self._end, self._inode = 0, b"", -1

    def read(self) -> list[T]:
        """All complete records that the file holds by now; none where there is no file.

        :raises GameFileError: a record is damaged or none of this kind; names the file.
        :raises OSError: the file cannot be read.
        """
        try:
            with self._path.open("rb") as stream:
                inode = os.fstat(stream.fileno()).st_ino
                if not self._goes_on(stream, inode):
                    self._forget()
                stream.seek(self._size)
                data = stream.read()
        except FileNotFoundError:
            self._forget()
            return self._items
        whole = data[: self._form.whole(data)]
        try:
            new = self._form.read(whole)
        except GameFileError as error:
            self._forget()
            raise GameFileError(f"{self._path}, {error}") from None
        self._items = [*self._items, *new] if new else self._items
        self._size += len(whole)
        self._end = (self._end + whole)[-_REMEMBERED:]
        self._inode = inode
        return self._items

    def _goes_on(self, stream: BinaryIO, inode: int) -> bool:
        """Whether the file still holds what was read before, so that only the rest is to be read."""
        stream.seek(self._size - len(self._end))
        return inode == self._inode and stream.read(len(self._end)) == self._end

    def _forget(self) -> None:
        self._items = []
        self._size, self._end, self._inode = 0, b"", -1


def settled(read: Callable[[], T]) -> T:
    """The result of reading several files that another process may be rewriting one after the other. Where they do not
    match, reading is tried again after a moment.

    :raises GameFileError: the files still do not match.
    :raises FileNotFoundError: a file that another one names is still missing.
    """
    for _ in range(LOOKS - 1):
        try:
            return read()
        except (GameFileError, FileNotFoundError):
            time.sleep(BETWEEN_LOOKS)
    return read()


def _read(path: Path, form: Form[T]) -> tuple[list[T], int]:
    """The complete records of a file, and their length in bytes."""
    wanted = Ledger(path.parent).count(path.name)  # before the file: another process may append to it meanwhile
    data = path.read_bytes() if path.exists() else b""
    whole = form.whole(data)
    try:
        records = form.read(data[:whole])
    except GameFileError as error:
        raise GameFileError(f"{path}, {error}; {WAY_ON}") from None
    if len(records) < wanted:
        how = "cut short" if data else "empty" if path.exists() else "missing"
        gone = f"{wanted - len(records)} of {wanted} finished records are gone"
        raise GameFileError(f"{path}: is {how}, {gone}; {MISSING}")
    return records, whole
