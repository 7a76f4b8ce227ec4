"""Looking at runs while others write them: no lock is taken, and nothing is written.

A file of records is read once; after that only what has been added to it. A record that is half written does not count.
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
BETWEEN_LOOKS: Final = 0.05
"""Seconds."""
_REMEMBERED: Final = 64
"""Bytes of the end of what was read, by which it is seen that the file goes on from there."""


class FollowedFile(Generic[T]):
    """A file of records that only grows, most of the time: what was rewritten or cut back is read anew."""

    def __init__(self, path: Path, form: Form[T]) -> None:
        """Nothing is read before `read`."""
        self._path, self._form = path, form
        self._items: list[T] = []
        self._size, self._end, self._inode = 0, b"", -1

    def read(self) -> list[T]:
        """All whole records by now; none where there is no file.

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
        """Whether what was read before still stands there."""
        stream.seek(self._size - len(self._end))
        return inode == self._inode and stream.read(len(self._end)) == self._end

    def _forget(self) -> None:
        self._items = []
        self._size, self._end, self._inode = 0, b"", -1


def settled(read: Callable[[], T]) -> T:
    """What is read of files that another process is rewriting, one after the other: where they do not fit together, it
    is tried again in a moment.

    :raises GameFileError: they still do not.
    :raises FileNotFoundError: one that is named elsewhere is still missing.
    """
    for _ in range(LOOKS - 1):
        try:
            return read()
        except (GameFileError, FileNotFoundError):
            time.sleep(BETWEEN_LOOKS)
    return read()
