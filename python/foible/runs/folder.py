"""Run folders: the kind of run that each holds, its frozen configuration, and the lock for the one process that writes.

run.json      which kind of run it is
config.toml   the resolved configuration, with its checksum; a run is not resumed with a different one
run.lock      held by the process that writes
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import msgspec
import tomli_w

from foible.errors import ConfigError, GameFileError
from foible.mistakes import in_toml
from foible.runs.files import Closing, has_seal, read_sealed, seal, seal_toml, unseal_file, write_atomically
from foible.toml import AnyPath, expand, without_none

if TYPE_CHECKING:
    from filelock import BaseFileLock

Run = Literal[
    "match",
    "self-play",
    "puzzles",
    "labels",
    "improvement",
    "sweep",
    "training",
    "experts",
    "attune",
    "go training",
    "go match",
]
RUNS: Final[tuple[Run, ...]] = get_args(Run)
KIND, LOCK = "run.json", "run.lock"
CONFIG: Final = "config.toml"
WAY_ON: Final = f"put back a copy of {CONFIG}, or choose another folder"
_LOOK_SECONDS: Final = 0.1
"""How often one who waits for a lock is asked whether to go on."""


class _Kind(msgspec.Struct, frozen=True):
    kind: str


class RunFolder(Closing):
    """An open run folder. Closing it, or the end of the process, releases its lock.

    On closing, a folder that was newly made and never got a configuration is removed.
    """

    def __init__(self, path: AnyPath, run: Run) -> None:
        """Open or create a folder; nothing but the lock is written before `settle` or `freeze`.

        :raises ConfigError: the path is no folder, holds another kind of run, or another process is at work in it.
        """
        path = check_folder(path, run)
        self._made = [place for place in (path, *path.parents) if not place.exists()]
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._run: Run = run
        self._lock = lock(path / LOCK)

    def expect_config(self, records: str) -> None:
        """Check that there is a configuration where the file named `records` holds what was finished with it.

        :raises ConfigError: there is none.
        """
        path = self.path / records
        if path.exists() and path.stat().st_size and not (self.path / CONFIG).exists():
            way_on = WAY_ON if _is_sealed(self.path) else "choose another folder"
            raise ConfigError(f"{self.path}: holds {records} without {CONFIG}; {way_on}")

    def settle(self, config: Mapping[str, Any], may_change: Sequence[str], *, begun: bool) -> None:
        """Freeze the configuration; a run that has `begun` must have been made with the same one.

        `may_change`: dotted keys whose value may differ from the frozen one.

        :raises ConfigError: the run was made with another configuration.
        """
        path = self.path / CONFIG
        if begun and path.exists():
            check_unchanged(self.path, read_recorded(path), config, may_change)
        self.freeze(config)

    def freeze(self, config: Mapping[str, Any]) -> None:
        """Write the configuration and the kind of the run to the folder."""
        declare(self.path, self._run)
        write_config(self.path, config)

    def close(self) -> None:
        if self._made and not (self.path / CONFIG).exists():
            self._remove()
        self._lock.release()

    def _remove(self) -> None:
        """Remove the two files below, and then the folders that were made for the run, unless they hold other files."""
        with suppress(OSError):  # a folder with other files in it stays, and on Windows one whose lock is held
            for name in (KIND, LOCK):
                (self.path / name).unlink(missing_ok=True)
            for place in self._made:
                place.rmdir()


def expect_folder(path: Path) -> None:
    """Check that no file keeps a folder from being made.

    :raises ConfigError: a file is in its place, or in that of a folder above.
    """
    there = next(place for place in (path, *path.parents) if place.exists())
    if not there.is_dir():
        raise ConfigError(f"{there} is a file; expected a folder")


def check_folder(path: AnyPath, run: Run | None = None) -> Path:
    """Check that results may be written to a folder, which may not exist yet, and return its path: it must not hold a
    run of another kind.

    `run`: the kind of run that is to be written; `None` for results that are no run.

    :raises ConfigError: the path is a file, or the folder of another kind of run.
    """
    path = expand(path)
    expect_folder(path)
    kind = kind_of_run(path)
    if kind is not None and kind != run:
        article = "an" if kind[0] in "aei" else "a"
        raise ConfigError(f"{path} holds {article} {kind} run; choose another folder")
    return path


def named_run(config: Path, out: Path | None, run: Run, file: str = CONFIG) -> tuple[Path, Path]:
    """The paths of a run's configuration file and of its folder.

    :param config: a configuration file; or, to resume a run, its folder.
    :param out: the folder that the user asked for, if any.
    :param file: the name of the configuration file in a run folder.
    :raises ConfigError: the folder holds a run of another kind; or its `config.toml` is damaged, or was edited after a
        run that is to go on had begun.
    """
    if not config.is_dir():
        return config, out or Path("runs") / config.stem
    check_folder(config, run)
    if out is None and (config / CONFIG).exists():
        _recorded_text(config / CONFIG)
    return config / file, out or config


def declare(folder: Path, run: Run) -> None:
    """Write the kind of a run to its folder."""
    write_atomically(folder / KIND, seal(msgspec.json.encode(_Kind(run))) + b"\n")


def kind_of_run(folder: Path) -> Run | None:
    """The kind of the run in a folder, as its `run.json` states it; `None` where there is no run.

    :raises ConfigError: that file is damaged, or of another version.
    """
    path = folder / KIND
    data = path.read_bytes() if path.is_file() else b""
    if not data:
        return _kind_of_old_run(folder)
    try:
        kind = read_sealed(data, msgspec.json.Decoder(_Kind).decode).kind
    except GameFileError as error:
        raise ConfigError(f"{path}: cannot be read ({error}); remove it, and the same command makes it anew") from None
    for run in RUNS:
        if run == kind:
            return run
    raise ConfigError(f"{path}: a run of kind {kind!r}, which this version does not know; choose another folder")


def write_config(folder: Path, config: Mapping[str, Any]) -> None:
    """Write the frozen configuration of a run to its folder. Keys whose value is `None` are left out."""
    write_atomically(folder / CONFIG, seal_toml(tomli_w.dumps(without_none(config)).rstrip("\n")))


def read_recorded(path: Path) -> dict[str, Any]:
    """The configuration that a run was made with.

    :raises ConfigError: the file is damaged, or was edited after the run had begun.
    """
    text = _recorded_text(path)
    try:
        return tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not a configuration ({error})") from None


def _recorded_text(path: Path) -> bytes:
    """The configuration that a run was made with, in TOML. Errors as `read_recorded`."""
    data = path.read_bytes()
    try:
        text = unseal_file(data)
    except GameFileError:
        raise ConfigError(
            f"{path}: was changed after the run began with it; undo the change, or give it to a new run with --out"
        ) from None
    if text == data and _is_sealed(path.parent):
        raise ConfigError(f"{path}: damaged: {'its checksum is gone' if data else 'it is empty'}; {WAY_ON}")
    return text


def _is_sealed(folder: Path) -> bool:
    """Whether the files of a run have checksums, as `run.json` has: those of early versions do not."""
    path = folder / KIND
    return path.is_file() and has_seal(path.read_bytes())


def recorded_value(folder: Path, key: str) -> Any:
    """The value of a key in the configuration of a run, not validated; `None` where key or readable file is missing."""
    try:
        return read_recorded(folder / CONFIG).get(key)
    except (OSError, ConfigError):
        return None


def check_unchanged(
    folder: Path,
    before: Mapping[str, Any],
    now: Mapping[str, Any],
    may_change: Collection[str] = (),
    named: Callable[[str], str] = str,
    way_on: str = "choose another folder",
) -> None:
    """Check that a run may be resumed in its folder.

    `before`: the configuration that the run was made with, as TOML has it. `now`: the one that it is to go on with.
    `may_change`: dotted keys whose value may differ. `named`: what messages call a dotted key. `way_on`: the advice
    at the end of the error message.

    :raises ConfigError: another key differs; the first three are named.
    """
    made, asked = dict(_flat(before)), dict(_flat(tomllib.loads(tomli_w.dumps(without_none(now)))))
    changed = [key for key in made | asked if made.get(key) != asked.get(key) and key not in may_change]
    if changed:
        differences = ", ".join(_difference(key, named(key), made, asked) for key in changed[:3])
        raise ConfigError(f"{folder}: made with {differences}; {way_on}")


def _difference(key: str, name: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    was = f"{name} = {in_toml(before[key])}" if key in before else f"no {name}"
    return f"{was} (now {in_toml(now[key]) if key in now else 'absent'})"


def _flat(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def lock(path: Path, patience: float = 0.0) -> "BaseFileLock":
    """Take the lock of a file, and hold it until it is released or the process ends.

    `patience`: how many seconds to wait for another process to release it.

    :raises ConfigError: another process holds it.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - slow to import, and only needed where a folder is opened

    held = FileLock(path, timeout=patience, thread_local=False)
    try:
        held.acquire()
    except Timeout:
        raise ConfigError(
            f"{path.parent}: another process is at work here; wait for it, or choose another folder"
        ) from None
    return held


@contextmanager
def taking_turns(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of a file in this block, and wait until no other thread or process holds it.

    `waiting` is called again and again meanwhile; an exception from it ends the wait.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - slow to import, and only needed where several meet

    held = FileLock(path, timeout=_LOOK_SECONDS, thread_local=False)
    while not held.is_locked:
        try:
            held.acquire()
        except Timeout:
            waiting()
    try:
        yield
    finally:
        held.release()


_INSIDE: Final[Mapping[str, Run]] = {"cells": "sweep", "checkpoints": "training", "mixtures": "experts"}
_KEYS: Final[Mapping[str, Run]] = {
    "generations": "go training",
    "players": "go match",
    "focal": "match",
    "senior": "attune",
    "net": "self-play",
}


def _kind_of_old_run(folder: Path) -> Run | None:
    """The kind of an earlier version's run, which has no `run.json`: told by a folder in it or a configuration key."""
    for inside, run in _INSIDE.items():
        if (folder / inside).is_dir():
            return run
    try:
        keys = tomllib.loads((folder / CONFIG).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return next((run for key, run in _KEYS.items() if key in keys), None)


def slug(name: str) -> str:
    """A form of a name for use in the names of files and folders; that of a player must differ from the others'."""
    return re.sub(r"[^\w.]+", "-", name.lower()).strip("-.") or "unnamed"
