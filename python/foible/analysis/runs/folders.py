"""All run folders below a folder, with their progress."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from foible.analysis.runs.kinds import KINDS, OTHER, FollowedRun, Kind, Stamp, changed
from foible.analysis.runs.run_progress import Standing
from foible.arena.live import Live, is_live, read_live
from foible.errors import ConfigError, FoibleError
from foible.runs.folder import Run, kind_of_run
from foible.toml import AnyPath, expand

DEEPEST: Final = 4
"""The most levels of folders between the searched folder and a run."""
MOST_FOLDERS: Final = 5_000
"""The most folders that are searched for runs."""
MOST_RUNS: Final = 1_000
"""The most runs that are listed, parts included."""


class RunEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A run in a list."""

    name: str
    """The folder, relative to the one that was searched, with `/`."""
    kind: Run | None
    """`None` where this version cannot recognise the kind from the folder: then `problem` says why."""
    part_of: str | None
    """The run that this one is a part of, as a match may be of a sweep."""
    standing: Standing | None
    live: bool
    """Whether games of the run, or of a part of it, are in progress."""
    changed: float
    """The time of the last change, in seconds since 1970."""
    problem: str | None
    """Why the run cannot be read, in one line."""


class RunList:
    """The runs below a folder, for repeated reading: only what has changed is read anew."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, tuple[Stamp, RunEntry]] = {}

    def read(self) -> list[RunEntry]:
        """All current runs, the last changed first; none where there is no folder.

        Links are not followed; folders deeper than `DEEPEST`, or beyond the first `MOST_FOLDERS`, are not searched.
        """
        entries: dict[str, tuple[Stamp, RunEntry]] = {}
        live: set[str | None] = set()
        for path, whole in islice(_run_folders(self._folder), MOST_RUNS):
            name, part_of = _name(path, self._folder), None if whole is None else _name(whole, self._folder)
            entries[name] = self._entry(name, path, part_of)
            if is_live(path):
                live |= {name, part_of}
        self._known = entries
        listed = [msgspec.structs.replace(entry, live=entry.name in live) for _, entry in entries.values()]
        return sorted(listed, key=lambda entry: -entry.changed)

    def _entry(self, name: str, path: Path, part_of: str | None) -> tuple[Stamp, RunEntry]:
        stamp: Stamp = {}
        kind: Run | None = None
        try:
            run = FollowedRun(path)
            kind, stamp = run.kind, run.stamp()
            if name in self._known and self._known[name][0] == stamp:
                return self._known[name]
            standing, problem = run.standing(), None
        except (FoibleError, OSError) as error:
            standing, problem = None, one_line(error, path)
        entry = RunEntry(
            name=name,
            kind=kind,
            part_of=part_of,
            standing=standing,
            live=False,
            changed=changed(stamp),
            problem=problem,
        )
        return stamp, entry


def find_runs(folder: AnyPath) -> list[RunEntry]:
    """The runs below a folder, as `RunList.read` gives them."""
    return RunList(expand(folder)).read()


def run_named(folder: Path, name: str) -> Path:
    """The folder of a run by its name in the list.

    :raises ConfigError: none of the runs below the folder has this name.
    """
    for path, _ in _run_folders(folder):
        if _name(path, folder) == name:
            return path
    raise ConfigError(f"no run is called {name!r}; the list of runs has the names")


def live_part(folder: AnyPath) -> tuple[str, Live] | None:
    """The name of the part of a run that has games in progress, and these games; the name is empty for the run itself.

    `None` where no game is in progress.

    :raises ConfigError: there is no run, or this version cannot recognise its kind.
    """
    folder = expand(folder)
    kind = kind_of_run(folder)
    if kind is None:
        raise ConfigError(f"{folder}: no run folder")
    for path in (folder, *(part for part, _ in _parts(folder, KINDS[kind]))):
        live = read_live(path)
        if live is not None:
            return "" if path == folder else _name(path, folder), live
    return None


def one_line(error: Exception, folder: Path) -> str:
    """The message of an error on one line, with paths relative to the run's folder."""
    where = getattr(error, "filename", None) or folder
    text = str(error) if isinstance(error, FoibleError) else f"{where}: {getattr(error, 'strerror', None) or error}"
    return " ".join(text.replace(f"{folder}{os.sep}", "").split())


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _run_folders(folder: Path) -> Iterator[tuple[Path, Path | None]]:
    """Each run with the run that it is a part of, if any, which comes before it; the folder itself may be a run."""
    waiting: list[tuple[Path, int]] = [(folder, 0)]
    looked = 0
    while waiting and looked < MOST_FOLDERS:
        path, depth = waiting.pop(0)
        looked += 1
        kind = _kind(path)
        if kind is not None:
            yield path, None
            yield from _parts(path, kind)
        elif depth <= DEEPEST:
            waiting += [(below, depth + 1) for below in _folders(path)]


def _parts(run: Path, kind: Kind) -> Iterator[tuple[Path, Path]]:
    for pattern in kind.parts:
        for path in sorted(run.glob(pattern)):
            found = None if path.is_symlink() else _kind(path)
            if found is not None:
                yield path, run
                yield from ((part, run) for part, _ in _parts(path, found))


def _kind(path: Path) -> Kind | None:
    """The kind of the run in a folder; `None` where there is no run."""
    try:
        found = kind_of_run(path)
    except (ConfigError, OSError):
        return OTHER
    return found and KINDS[found]


def _folders(path: Path) -> list[Path]:
    """The folders in a folder that may hold runs, without hidden ones and links."""
    try:
        with os.scandir(path) as scan:
            names = sorted(
                entry.name for entry in scan if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
            )
    except OSError:
        return []
    return [path / name for name in names]
