"""Files that appear whole or not at all, and folders: what lies in them, and one process that writes."""

import fcntl
import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Literal

from foible.errors import ConfigError

Run = Literal["match", "self-play", "sweep", "training", "experts", "attune", "go training", "go match"]
INSIDE: Final[Mapping[str, Run]] = {"cells": "sweep", "checkpoints": "training", "mixtures": "experts"}
"""Folders by which some runs are known."""
KEYS: Final[Mapping[str, Run]] = {
    "generations": "go training",
    "players": "go match",
    "focal": "match",
    "senior": "attune",
    "net": "self-play",
}
"""Keys of their configurations by which the others are."""


@contextmanager
def replacing(path: Path, *, draft: str = "") -> Iterator[BinaryIO]:
    """A stream whose content takes the place of the file when the block ends without an error, whole and on the disk.

    `draft`: the name that it has until then. By default always the same: what a kill leaves is overwritten the next
    time. Where several processes write one file, each needs a name of its own.

    A link stays what it is: the file that it leads to is written.

    :raises OSError: the folder is missing, or cannot be written, or `path` is no file; names `path`.
    """
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if target.exists() and not target.is_file():
        raise IsADirectoryError(f"{path} is a {'folder' if target.is_dir() else 'device or pipe'}; expected a file")
    temporary = target.with_name(draft or f".{target.name}.new")
    try:
        with _open(temporary, path) as stream:
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


def expect_folder(path: Path) -> None:
    """Whether a folder is there or can be made.

    :raises ConfigError: a file is in its place, or in that of a folder above.
    """
    there = next(one for one in (path, *path.parents) if one.exists())
    if not there.is_dir():
        raise ConfigError(f"{there} is a file; expected a folder")


def check_folder(path: Path, run: Run | None = None) -> None:
    """Whether results may go here: as `expect_folder`, and no run of another kind lies there.

    `run`: the kind of those who ask; `None` for what is no run.

    :raises ConfigError: it is a file, or the folder of another kind of run.
    """
    expect_folder(path)
    found = kind_of_run(path)
    if found is not None and found != run:
        article = "an" if found[0] in "ae" else "a"
        raise ConfigError(f"{path} holds {article} {found} run; choose another folder")


def kind_of_run(folder: Path) -> Run | None:
    """What was done in a folder: sweeps have cells, trainings checkpoints, experts mixtures, the others a configuration
    with keys that only they have.
    """
    for inside, kind in INSIDE.items():
        if (folder / inside).is_dir():
            return kind
    try:
        keys = tomllib.loads((folder / "config.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return next((kind for key, kind in KEYS.items() if key in keys), None)


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
