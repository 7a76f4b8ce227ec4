"""Runs that workers play: each unit writes a part, a run folder of its own inside the folder of the run; and the option
`--on`, which chooses the executor.

    RUN/parts/FIRST-LAST   a run folder with some of the run's games or shards, until they are merged

The worker that plays a unit writes its part. A part is as safe as the run itself: the worker can be killed at any
instant, all finished records are intact, and the parts of games, labels and answers state on what they were made. So
another worker continues the unit of a lost one where that stopped, and an unfinished part can be merged, too. Only the
process that holds the lock of RUN merges parts and writes there.
"""

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from foible.errors import ConfigError
from foible.runs.folder import CONFIG, LOCK, check_unchanged, lock
from foible.runs.interrupt import interruptible
from foible.scale.processes import Processes
from foible.scale.ray import Ray
from foible.scale.units import Executor, Unit

PATIENCE: Final = 30.0
"""Seconds to wait for the lock of a part: the time that a worker has to release it once its run was killed."""
PARTS: Final = "parts"
MERGED: Final = "merged"
"""The name to which a part is moved while it is removed, so that a half-removed folder is not taken for a part."""
UNITS_A_WORKER: Final = 4
"""The number of units that a run is divided into for each worker, where they do not become too large."""


@contextmanager
def open_executor(where: str) -> Iterator[Executor | None]:
    """The executor that `--on` asks for, open until the block ends: `inline`, `processes:N`, `ray`, or `ray:ADDRESS`.

    :return: `None` for `inline`: this process plays by itself.
    :raises ConfigError: `where` has none of these forms; or Ray is not installed.
    :raises WorkerError: there is no cluster at the address.
    """
    kind, colon, what = where.partition(":")
    if where == "inline":
        yield None
    elif kind == "processes" and what.isascii() and what.isdecimal() and int(what):
        with Processes(int(what)) as processes:
            yield processes
    elif kind == "ray" and bool(colon) == bool(what):
        with Ray(what or None) as ray:
            yield ray
    else:
        raise ConfigError(f"--on {where}: expected inline, processes:N with N from 1 on, ray, or ray:ADDRESS")


def parts_of(folder: Path) -> list[Path]:
    """The parts in a run folder, in order."""
    return sorted(path for path in (folder / PARTS).glob("*-*") if path.is_dir())


def unit_size(games: int, workers: int, most: int, *, together: int = 2) -> int:
    """The number of games, or whatever else a run consists of, in a unit.

    At the end of a run workers wait for the last unit, on average for half the length of one: with four units for each
    worker an eighth of the time. Smaller units would more often leave the nets with small batches, as fewer games are
    in progress at the end of each unit. In long runs `most` keeps units smaller than that, so that less waits to be
    merged. The duration of games is neither measured nor needed: all units are queued at once.

    :param most: the largest number of games in a unit.
    :param together: the number of games that belong together, such as the two of a pair: a unit has a multiple of it.
    """
    pairs = -(-games // (together * UNITS_A_WORKER * workers))
    return min(most, together * max(1, pairs))


def units_of(
    folder: Path,
    what: str,
    numbers: Sequence[int],
    size: int,
    work: Callable[..., None],
    arguments: Callable[[list[int]], tuple[Any, ...]],
) -> Iterator[Unit]:
    """Divide the games, or whatever else is to be done in a run, into units.

    :param what: the things that are numbered, in the plural, such as "games".
    :param numbers: the 0-based numbers of what is to be done, in order.
    :param size: how many of the numbers make a unit.
    :param arguments: gives the arguments of `work` for the numbers of a unit.
    """
    for first in range(0, len(numbers), size):
        own = list(numbers[first : first + size])
        begin, end = own[0] + 1, own[-1] + 1
        part = folder.absolute() / PARTS / f"{begin:06d}-{end:06d}"
        yield Unit(f"{what} {begin} to {end}", part, work, arguments(own))


def run_of(part: Path, holds: str = CONFIG) -> Path:
    """The run folder to which a part belongs: the one that holds `parts` itself, or the one above.

    :param holds: the name of a file that a run folder has from the beginning.
    :raises ConfigError: neither folder has that file on this machine.
    """
    inside = part.parent.parent
    for run in (inside, inside.parent):
        if (run / holds).exists():
            return run
    raise ConfigError(f"{inside}: is not there for all workers; expected a folder that all machines share")


def play_units(
    units: Sequence[Unit], executor: Executor, merge: Callable[[Path], object], enough: Callable[[], bool]
) -> bool:
    """Have units played, and merge the part of each when it has ended.

    :param enough: called at least every `BETWEEN_NEWS` seconds; where it is true, playing stops early.
    :return: whether all units have ended; not so after `enough`, or after a keyboard interrupt.
    :raises FoibleError, OSError: as `Executor.run` and `merge`.
    """
    stopped, left = threading.Event(), len(units)
    with interruptible(stopped.set), closing(executor.run(units)) as news:
        for ended in news:
            for unit in ended:
                merge(unit.folder)
            left -= len(ended)
            if enough() or stopped.is_set():
                break
    return left == 0


def merge_all(folder: Path, merge: Callable[[Path], object]) -> None:
    """Merge all parts in a run folder, finished or not, and finish the removal of a merged one that a kill cut short.

    Errors as `merge`.
    """
    for part in parts_of(folder):
        merge(part)
    shutil.rmtree(folder / PARTS / MERGED, ignore_errors=True)
    with suppress(OSError):  # there is no such folder, or it is not empty
        (folder / PARTS).rmdir()


@contextmanager
def taken(part: Path, held: str = LOCK) -> Iterator[None]:
    """Lock a part so that it can be merged, and remove it at the end of the block. The folder `parts` stays: a worker
    may begin another part at any instant.

    :param held: the name of the part's lock file.
    :raises ConfigError: another process is still at work in it.
    """
    with lock(part / held, PATIENCE):
        yield
    merged = part.with_name(MERGED)
    shutil.rmtree(merged, ignore_errors=True)
    part.rename(merged)
    shutil.rmtree(merged)


def check_same(ours: Mapping[str, Any], theirs: Mapping[str, Any], where: Path, may_change: Sequence[str]) -> None:
    """Check that a part was made with the configuration of this run, so that its results can be merged.

    :raises ConfigError: the players or teachers differ, or the software or hardware that runs their nets.
    """
    way_on = "--any-processor takes the work of another one, whose nets may differ in their last bits"
    check_unchanged(where, theirs, ours, may_change, way_on=way_on)
