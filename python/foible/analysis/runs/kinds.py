"""The contents and progress of a run folder, whichever kind of run it holds.

All that differs between the kinds is in `KINDS`. Runs may be under way: no lock is taken, nothing is written, and
records that are only half written do not count.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import msgspec

from foible.analysis.runs.go import (
    GoMatchReader,
    GoMatchRun,
    GoTrainingReader,
    GoTrainingRun,
    go_match_standing,
    go_training_standing,
)
from foible.analysis.runs.learning import (
    ImproveReader,
    ImproveRun,
    TrainingReader,
    TrainingRun,
    improve_standing,
    training_standing,
)
from foible.analysis.runs.matches import MatchReader, MatchRun, match_standing
from foible.analysis.runs.run_progress import Standing
from foible.analysis.runs.sweeps import SweepReader, SweepRun, sweep_standing
from foible.analysis.runs.training_data import (
    LabelsReader,
    LabelsRun,
    SelfplayReader,
    SelfplayRun,
    labels_standing,
    selfplay_standing,
)
from foible.errors import ConfigError
from foible.runs.folder import CONFIG, KIND, Run, kind_of_run
from foible.runs.journal import settled
from foible.runs.ledger import LEDGER
from foible.toml import AnyPath, expand

CONFIGURATIONS: Final = (CONFIG, "experts.toml")
REPORTS: Final = ("report.json", "experts.json", "grid.json", "sweep.json", "result.json")
LONGEST: Final = 100_000
"""The most characters of a configuration or a report; a longer text is cut."""


class OtherRun(msgspec.Struct, frozen=True, tag="other"):
    """A run of a kind that has no description beyond its configuration, report and parts."""


Content = (
    MatchRun | GoMatchRun | SweepRun | SelfplayRun | TrainingRun | GoTrainingRun | LabelsRun | ImproveRun | OtherRun
)


class RunDescription(msgspec.Struct, frozen=True, kw_only=True):
    """The current state of a run."""

    kind: Run
    standing: Standing | None
    """The progress; `None` for kinds that have no count."""
    changed: float
    """The time of the last change, in seconds since 1970."""
    configuration: str
    """The text of the configuration file, TOML; empty where there is none."""
    report: str
    """The text of the report file, JSON; empty where there is none yet."""
    content: Content


class Reader(Protocol):
    """Reads one run folder repeatedly, each time only what is new."""

    def read(self) -> Content:
        """The content by now. Errors as `describe_run`."""


class _Other:
    def __init__(self, _: Path) -> None:
        pass

    def read(self) -> OtherRun:
        return OtherRun()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of run."""

    reader: Callable[[Path], Reader]
    standing: Callable[[Path], Standing] | None
    """A cheap function for the progress, for lists of many runs; `None` for kinds that have no count."""
    files: tuple[str, ...]
    """Patterns of the files whose change shows progress of the run."""
    parts: tuple[str, ...] = ()
    """Patterns of the folders in the run that are runs themselves."""


OTHER: Final = Kind(_Other, None, ())
"""The kind of a run whose kind this version cannot recognise."""
KINDS: Final[Mapping[Run, Kind]] = {
    "match": Kind(MatchReader, match_standing, ("games.pgn", "report.json")),
    "go match": Kind(GoMatchReader, go_match_standing, ("games.jsonl", "report.json")),
    "sweep": Kind(SweepReader, sweep_standing, ("sweep.json", "cells/*/games.pgn"), ("cells/*",)),
    "self-play": Kind(SelfplayReader, selfplay_standing, ("journal.jsonl", "games.pgn", "report.json")),
    "puzzles": Kind(_Other, None, ("journal.jsonl", "looked.jsonl")),
    "labels": Kind(LabelsReader, labels_standing, ("report.json",)),
    "training": Kind(TrainingReader, training_standing, ("log.jsonl", "result.json")),
    "go training": Kind(GoTrainingReader, go_training_standing, ("generations.jsonl", "gen-*/games.jsonl")),
    "improvement": Kind(
        ImproveReader,
        improve_standing,
        ("report.json", "round-*/labels/finished.json", "round-*/net/log.jsonl", "round-*/match/games.pgn"),
        ("round-*/labels", "round-*/net", "round-*/match"),
    ),
    "experts": Kind(_Other, None, ("experts.json", "nets/*/*/log.jsonl"), ("nets/*/*", "matches")),
    "attune": Kind(
        _Other,
        None,
        ("report.json", "grid.json", "*/games.pgn", "net/log.jsonl", "nets/*/net/log.jsonl"),
        ("games", "net", "test", "alone", "nets/*/net", "nets/*/test"),
    ),
}
ALWAYS: Final = (KIND, *CONFIGURATIONS, LEDGER)
"""The files whose change shows progress, in runs of every kind."""

Stamp = Mapping[Path, tuple[int, int]]
"""The size of each file and the time of its last change, in nanoseconds since 1970."""


def describe_run(folder: AnyPath) -> RunDescription:
    """Describe the run in a folder, finished or under way.

    :raises ConfigError: there is no run, or its configuration is damaged.
    :raises GameFileError: the run's records are damaged.
    :raises OSError: a file cannot be read.
    """
    return FollowedRun(expand(folder)).read()


class FollowedRun:
    """A run folder that is looked at repeatedly."""

    def __init__(self, folder: Path) -> None:
        """:raises ConfigError: there is no run."""
        kind = kind_of_run(folder)
        if kind is None:
            raise ConfigError(f"{folder}: no run folder")
        self.folder, self.kind = folder, kind
        self._kind = KINDS[kind]
        self._reader = self._kind.reader(folder)

    def stamp(self) -> Stamp:
        """A value that changes whenever something has been written in the folder."""
        return stamp(self.folder, self._kind)

    def standing(self) -> Standing | None:
        """The progress; cheap to compute. Errors as `describe_run`."""
        count = self._kind.standing
        return count and settled(lambda: count(self.folder))

    def read(self) -> RunDescription:
        """The current description. Errors as `describe_run`."""
        return RunDescription(
            kind=self.kind,
            standing=self.standing(),
            changed=changed(self.stamp()),
            configuration=_text(self.folder, CONFIGURATIONS),
            report=_text(self.folder, REPORTS),
            content=settled(self._reader.read),
        )


def stamp(folder: Path, kind: Kind) -> Stamp:
    """See `FollowedRun.stamp`."""
    found = {}
    for pattern in (*ALWAYS, *kind.files):
        for path in folder.glob(pattern):
            try:
                status = path.stat()
            except FileNotFoundError:
                continue
            found[path] = (status.st_size, status.st_mtime_ns)
    return found


def changed(stamp: Stamp) -> float:
    """The time of the last change, in seconds since 1970; 0 where there are no files."""
    return max((when for _, when in stamp.values()), default=0) / 1e9


def _text(folder: Path, names: tuple[str, ...]) -> str:
    """The text of the first of these files that exists."""
    path = next((path for name in names if (path := folder / name).is_file()), None)
    if path is None:
        return ""
    with path.open(encoding="utf-8", errors="replace") as stream:
        text = stream.read(LONGEST + 1)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n…"
