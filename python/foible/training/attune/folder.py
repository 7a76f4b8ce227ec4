"""The folder of a run, made for one configuration and written by one process at a time; and the progress of the run."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from foible.runs.folder import CONFIG, RunFolder, check_unchanged, read_recorded
from foible.training.attune.config import option

RESOLVED: Final = "resolved."
BEGINS_WITH: Final = ("games", "data.pgn")
"""The first things that a run makes in its folder: a match of its own, or a file with the games of another match."""


@contextmanager
def run_folder(
    folder: Path,
    config: Mapping[str, Any],
    may_change: Collection[str] = (),
    named: Callable[[str], str] = option,
) -> Iterator[None]:
    """Hold the folder of a run, which is new or was made for this configuration. The configuration is written into it,
    and removed at the end where there are no games yet.

    `may_change`: dotted keys whose value may differ from that of an earlier run. `named`: gives the name of a key in
    errors, such as its option.

    :raises ConfigError: the path is no folder, the folder holds another run, or another process is at work in it.
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
class AttuneProgress:
    """The progress of the stage under way."""

    stage: Stage
    done: int
    total: int
    """`done` and `total` count games, or steps of the tuning."""
    note: str = ""
    """The speed, and the results so far."""
    cell: str = ""
    """The name of the cell in a grid of trainings; empty where there is no grid."""
    left: float | None = None
    """Seconds to the end, where more is known than the rate of `done`: games side by side end late."""


OnProgress = Callable[[AttuneProgress], None]
