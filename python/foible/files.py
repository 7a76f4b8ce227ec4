"""Files that appear whole or not at all, and folders in which one process writes."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from foible.errors import ConfigError


@contextmanager
def replacing(path: Path, *, draft: str = "") -> Iterator[BinaryIO]:
    """A stream whose content takes the place of the file when the block ends without an error, whole and on the disk.

    `draft`: the name that it has until then. By default always the same: what a kill leaves is overwritten the next
    time. Where several processes write one file, each needs a name of its own.

    :raises OSError: the folder is missing, or cannot be written; names `path`.
    """
    temporary = path.with_name(draft or f".{path.name}.new")
    try:
        with _open(temporary, path) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _open(temporary: Path, path: Path) -> BinaryIO:
    try:
        return temporary.open("wb")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that at any instant either the old or the new one is there. Errors as `replacing`."""
    with replacing(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


def replace_file(path: Path, data: bytes) -> None:
    """The same for a file that others may be writing too, in a folder that may not exist yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, draft=f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}") as stream:
        stream.write(data)


def lock(path: Path) -> int:
    """Hold the file's lock until the handle that is returned is closed; the system does so when the process ends.

    :raises ConfigError: another process holds it.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise ConfigError(
            f"{path.parent}: another process is at work here; wait for it, or choose another folder"
        ) from None
    return handle
