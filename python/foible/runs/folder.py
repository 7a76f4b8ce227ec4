"""Run folders: of which kind they are, and one process that writes.

run.json      which kind of run it is
config.toml   the resolved configuration; another one is refused
run.lock      held by the process that writes
"""

import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import msgspec

from foible.errors import ConfigError, GameFileError
from foible.runs.configuration import CONFIG, check_unchanged, read_recorded, write_config
from foible.runs.files import Closing, read_sealed, seal, write_atomically

if TYPE_CHECKING:
    from filelock import BaseFileLock

Run = Literal[
    "match", "self-play", "labels", "improvement", "sweep", "training", "experts", "attune", "go training", "go match"
]
RUNS: Final[tuple[Run, ...]] = get_args(Run)
KIND, LOCK = "run.json", "run.lock"


class _Kind(msgspec.Struct, frozen=True):
    kind: str


class RunFolder(Closing):
    """An open run folder. Closing it, or the end of the process, releases its lock.

    A folder that was made for it and never got a configuration is removed.
    """

    def __init__(self, path: Path, run: Run) -> None:
        """Open or create a folder; nothing but the lock is written before `settle` or `freeze`.

        :raises ConfigError: it is no folder, holds another kind of run, or another process is at work in it.
        """
        check_folder(path, run)
        self._made = [one for one in (path, *path.parents) if not one.exists()]
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._run: Run = run
        self._lock = lock(path / LOCK)

    def expect_config(self, records: str) -> None:
        """Whether finished games, if there are any in this file, have a configuration beside them.

        :raises ConfigError: they have none.
        """
        games = self.path / records
        if games.exists() and games.stat().st_size and not (self.path / CONFIG).exists():
            raise ConfigError(f"{self.path}: holds {records} without {CONFIG}; choose another folder")

    def settle(self, config: Mapping[str, Any], may_change: Sequence[str], *, begun: bool) -> None:
        """Take a configuration: the one that the run was made with, unless nothing has begun.

        `may_change`: dotted keys whose value may differ from that of an earlier run.

        :raises ConfigError: the folder was made with another.
        """
        path = self.path / CONFIG
        if begun and path.exists():
            check_unchanged(self.path, read_recorded(path), config, may_change)
        self.freeze(config)

    def freeze(self, config: Mapping[str, Any]) -> None:
        """Write down the configuration and the kind of the run."""
        declare(self.path, self._run)
        write_config(self.path, config)

    def close(self) -> None:
        if self._made and not (self.path / CONFIG).exists():
            self._remove()
        self._lock.release()

    def _remove(self) -> None:
        """The folder, if nothing but these two is in it, and those above that were made for it."""
        for name in (KIND, LOCK):
            (self.path / name).unlink(missing_ok=True)
        with suppress(OSError):  # where somebody else has put something
            for one in self._made:
                one.rmdir()


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
        article = "an" if found[0] in "aei" else "a"
        raise ConfigError(f"{path} holds {article} {found} run; choose another folder")


def named_run(config: Path, out: Path | None, run: Run, file: str = CONFIG) -> tuple[Path, Path]:
    """The file of a configuration, and the folder of its run: of a run that is gone on with that folder alone is named.

    :param out: another folder, where one was asked for.
    :param file: what the configuration is called in a folder.
    :raises ConfigError: the folder holds a run of another kind.
    """
    if not config.is_dir():
        return config, out or Path("runs") / config.stem
    check_folder(config, run)
    return config / file, out or config


def declare(folder: Path, run: Run) -> None:
    """Write down of which kind the run in a folder is."""
    write_atomically(folder / KIND, seal(msgspec.json.encode(_Kind(run))) + b"\n")


def kind_of_run(folder: Path) -> Run | None:
    """What was done in a folder: what it says itself; `None` where there is no run.

    :raises ConfigError: what it says is damaged, or of another version.
    """
    path = folder / KIND
    data = path.read_bytes() if path.is_file() else b""
    if not data:
        return _kind_of_old_run(folder)
    try:
        said = read_sealed(data, msgspec.json.Decoder(_Kind).decode).kind
    except GameFileError as error:
        raise ConfigError(f"{path}: cannot be read ({error}); remove it, and the same command makes it anew") from None
    for run in RUNS:
        if run == said:
            return run
    raise ConfigError(f"{path}: a run of kind {said!r}, which this version does not know; choose another folder")


def lock(path: Path, patience: float = 0.0) -> "BaseFileLock":
    """Hold the file's lock until it is released, or the process ends.

    `patience`: seconds that another process has to let go of it.

    :raises ConfigError: another process holds it.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - no command waits for it that opens no folder

    held = FileLock(path, timeout=patience, thread_local=False)
    try:
        held.acquire()
    except Timeout:
        raise ConfigError(
            f"{path.parent}: another process is at work here; wait for it, or choose another folder"
        ) from None
    return held


_INSIDE: Final[Mapping[str, Run]] = {"cells": "sweep", "checkpoints": "training", "mixtures": "experts"}
_KEYS: Final[Mapping[str, Run]] = {
    "generations": "go training",
    "players": "go match",
    "focal": "match",
    "senior": "attune",
    "net": "self-play",
}


def _kind_of_old_run(folder: Path) -> Run | None:
    """The kind of an earlier version's run, which does not say it: by a folder in it, or a key of its configuration."""
    for inside, run in _INSIDE.items():
        if (folder / inside).is_dir():
            return run
    try:
        keys = tomllib.loads((folder / CONFIG).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return next((run for key, run in _KEYS.items() if key in keys), None)
