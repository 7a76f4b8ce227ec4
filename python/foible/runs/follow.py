"""Reading runs while other processes write them: no lock is taken, and nothing is written.

A file of records is read in full once; after that only what was appended is read. A half-written record is left out.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final, Generic, TypeVar

from foible.errors import GameFileError
from foible.runs.journal import Form

T = TypeVar("T")

LOOKS: Final = 4
"""The number of times that `settled` tries to read."""
BETWEEN_LOOKS: Final = 0.05
"""Seconds between two tries."""
_REMEMBERED: Final = 64
"""The number of last bytes read that are kept, to recognise whether the file was appended to or rewritten."""


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
