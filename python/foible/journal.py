"""Files of JSON lines that only grow: what was appended is on the disk; a kill costs at most a half-written line."""

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

import msgspec

from foible.errors import GameFileError

T = TypeVar("T")


class Journal(Generic[T]):
    """An open file. One process at a time: the folder's lock sees to that."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        """Open or create; `kind`: of each line, a msgspec struct. A half line at the end is cut off.

        :raises GameFileError: a line is none of this kind.
        :raises OSError: the file cannot be read or written.
        """
        self.items: list[T] = []
        """All that it holds."""
        data = path.read_bytes() if path.exists() else b""
        self.items += _decoded(data, path, kind)
        self._stream = path.open("ab", buffering=0)
        if (whole := _whole(data)) < len(data):
            self._stream.truncate(whole)

    def append(self, items: Iterable[T]) -> None:
        """They are on the disk when this returns."""
        new = list(items)
        if not new:
            return
        data = b"".join(msgspec.json.encode(item) + b"\n" for item in new)
        while data:
            data = data[self._stream.write(data) :]
        os.fsync(self._stream.fileno())
        self.items += new

    def close(self) -> None:
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_journal(path: Path, kind: type[T]) -> list[T]:
    """What a file holds that another process may be writing: a half line at the end does not count. Nothing where there
    is no file.

    :raises GameFileError: a line is none of this kind.
    :raises OSError: the file cannot be read.
    """
    return _decoded(path.read_bytes(), path, kind) if path.exists() else []


def _whole(data: bytes) -> int:
    """Up to where there are whole lines."""
    return data.rfind(b"\n") + 1


def _decoded(data: bytes, path: Path, kind: type[T]) -> list[T]:
    decode, found = msgspec.json.Decoder(kind).decode, []
    for number, line in enumerate(data[: _whole(data)].splitlines(), 1):
        try:
            found.append(decode(line))
        except msgspec.MsgspecError as error:
            raise GameFileError(f"{path}, line {number}: cannot be read ({error})") from None
    return found
