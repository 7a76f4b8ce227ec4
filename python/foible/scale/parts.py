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
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Final

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
PROCESSOR: Final = "resolved.processor"
"""The configuration key that records the processor on which a run last worked. A run may go on on another processor, if
that is allowed, without counting as a different run.
"""
UNITS_A_WORKER: Final = 4
"""The number of units that a run is divided into for each worker, where they do not become too large."""

Look = Callable[[], bool | None]
"""Called at least every `BETWEEN_NEWS` seconds while workers play, to report the progress; where it returns true,
playing stops early.
"""
Work = tuple[Callable[..., None], tuple[Any, ...]]
"""The function that a worker calls for a unit, and its arguments after the folder, as in `Unit`."""


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


def unit_size(games: int, workers: int, most: int, *, multiple_of: int = 2) -> int:
    """The number of games, or whatever else a run consists of, in a unit.

    At the end of a run workers wait for the last unit, on average for half the length of one: with four units for each
    worker an eighth of the time. Smaller units would more often leave the nets with small batches, as fewer games are
    in progress at the end of each unit. In long runs `most` keeps units smaller than that, so that less waits to be
    merged. The duration of games is neither measured nor needed: all units are queued at once.

    :param most: the largest number of games in a unit.
    :param multiple_of: the number of games that belong together, such as the two of a pair.
    """
    groups = -(-games // (multiple_of * UNITS_A_WORKER * workers))
    return min(most, multiple_of * max(1, groups))


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


def play_units(units: Sequence[Unit], executor: Executor, merge: Callable[[Path], object], look: Look) -> bool:
    """Have units played, and merge the part of each when it has ended.

    :return: whether all units have ended; not so where `look` stopped them, or a keyboard interrupt did.
    :raises FoibleError, OSError: as `Executor.run` and `merge`.
    """
    stopped, left = threading.Event(), len(units)
    with interruptible(stopped.set), closing(executor.run(units)) as news:
        for ended in news:
            for unit in ended:
                merge(unit.folder)
            left -= len(ended)
            if look() or stopped.is_set():
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

    :raises ConfigError: the players or teachers differ, or the software or hardware that runs their nets; where it is
        nothing but the processor, the message names the option that allows that.
    """
    way_on = "workers need the settings, files and versions of the run; remove a part that was made with others"
    check_unchanged(where, theirs, ours, [*may_change, PROCESSOR], way_on=way_on)
    way_on = "--any-processor takes the work of another one, whose nets may differ in their last bits"
    check_unchanged(where, theirs, ours, may_change, way_on=way_on)


class Parts(ABC):
    """The parts of a run whose folder is open: workers do them, and this process merges them.

    What the run consists of, such as games, is numbered from 0. A subclass says which numbers are missing, what a
    worker is ordered to do for some of them, and how the run takes over what a part holds.
    """

    noun: ClassVar[str]
    """What is numbered, in the plural, such as "games"."""
    largest_unit: int
    """The most of them in one unit."""
    multiple_of: ClassVar[int] = 1
    """As in `unit_size`."""
    lock_name: ClassVar[str] = LOCK
    """The name of a part's lock file."""

    def __init__(self, folder: Path, may_change: Sequence[str]) -> None:
        """`folder`: of the run. `may_change`: keys in which the configuration of a part, or the machine of a worker,
        may differ from those of the run.
        """
        self.folder = folder
        self.may_change = list(may_change)

    @abstractmethod
    def missing(self) -> Sequence[int]:
        """The numbers of what can be done now and is not in the run yet, in order."""

    @abstractmethod
    def work(self, numbers: list[int], workers: int) -> Work:
        """What a worker has to do for these numbers. `workers`: how many share the cores of a machine."""

    @abstractmethod
    def take(self, part: Path) -> None:
        """Add to the run what it lacks of a part, whose lock is held.

        :raises ConfigError: the part was made with another configuration, or on another processor.
        :raises GameFileError: the part is damaged, or differs from the run in what both have.
        :raises OSError: the run cannot be written.
        """

    def units(self, numbers: Sequence[int], size: int, workers: int, noun: str = "") -> list[Unit]:
        """Divide numbers among units of `size`, in order. `noun`: the one in their names, instead of the usual one."""
        units = []
        for first in range(0, len(numbers), size):
            own = list(numbers[first : first + size])
            begin, end = own[0] + 1, own[-1] + 1
            part = self.folder.absolute() / PARTS / f"{begin:06d}-{end:06d}"
            units.append(Unit(f"{noun or self.noun} {begin} to {end}", part, *self.work(own, workers)))
        return units

    def play(self, executor: Executor, look: Look = lambda: None) -> bool:
        """Have all that is missing done by the workers of an executor: in rounds, where some of it can be ordered only
        when something else is there. Parts that an earlier process has left are merged first.

        :param look: called before each round, too.
        :return: whether nothing is missing any more; not so where `look` stopped it, or a keyboard interrupt did.
        :raises FoibleError, OSError: as `Executor.run` and `take`.
        """
        self.merge_all()
        goes_on = True
        while goes_on and (missing := self.missing()):
            size = unit_size(len(missing), executor.workers, self.largest_unit, multiple_of=self.multiple_of)
            units = self.units(missing, size, executor.workers)
            goes_on = not look() and play_units(units, executor, self.merge, look)
        self.merge_all()
        return goes_on

    def merge(self, part: Path) -> None:
        """Add to the run what it lacks of a part, and remove the part; a worker that found nothing to do has made none.
        After an error the part is as it was.

        :raises ConfigError: another process is still at work in the part.
        :raises FoibleError, OSError: as `take`.
        """
        if part.exists():
            with taken(part, self.lock_name):
                self.take(part)

    def merge_all(self) -> None:
        """Merge all parts in the run's folder, as the function `merge_all`. Errors as `merge`."""
        merge_all(self.folder, self.merge)
