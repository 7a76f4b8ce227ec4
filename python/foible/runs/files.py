"""Files that appear whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


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
    try:
        with named(path, temporary):
            with temporary.open("wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


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


def replace_file(path: Path, data: bytes) -> None:
    """The same for a file that others may be writing too, in a folder that may not exist yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, draft=f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}") as stream:
        stream.write(data)
