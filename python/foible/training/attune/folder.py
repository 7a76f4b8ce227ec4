"""A run: its folder, made for one configuration, written by one process at a time; and where it stands."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from foible.runs.configuration import CONFIG, check_unchanged, read_recorded
from foible.runs.folder import RunFolder
from foible.training.attune.config import option

RESOLVED: Final = "resolved."
BEGINS_WITH: Final = ("games", "data.pgn")
"""A match, or the games of another."""


@contextmanager
def run_folder(
    folder: Path,
    config: Mapping[str, Any],
    may_change: Collection[str] = (),
    named: Callable[[str], str] = option,
) -> Iterator[None]:
    """Hold the folder, new or made for this configuration, which is written into it, and stays once there are games.

    `may_change`: dotted keys whose value may be another than in an earlier run. `named`: the option of a key.

    :raises ConfigError: it is no folder, holds another run, or another process is at work in it.
    """

    def name(key: str) -> str:
        return key.removeprefix(RESOLVED) if key.startswith(RESOLVED) else named(key)

    path = folder / CONFIG
    with RunFolder(folder, "attune") as run:
        if path.exists():
            check_unchanged(folder, read_recorded(path), config, may_change, name)
        run.freeze(config)
        try:
            yield
        finally:
            if not any((folder / one).exists() for one in BEGINS_WITH):
                path.unlink(missing_ok=True)


Stage = Literal["games", "tuning", "test", "alone"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The stage under way."""

    stage: Stage
    done: int
    total: int
    """Games, or steps of the tuning."""
    note: str = ""
    """How fast it goes, and what is known so far."""
    cell: str = ""
    """The name of a cell of a grid."""


OnProgress = Callable[[Progress], None]
