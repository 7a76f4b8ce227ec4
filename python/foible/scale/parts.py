"""Runs that others play: each unit leaves a part, in a run folder of its own inside the run's.

    RUN/parts/FIRST-LAST   a run folder with some of the run's games or shards, until they are merged

The worker that has the unit writes its part. A part is as safe as the run itself: it can be killed at any instant, all
that is in it is whole, and those of games, labels and answers say on what they were made. So a lost worker's unit goes
on where it stood, and half a part is good as well. Whoever holds the lock of RUN merges the parts, and alone writes
there.
"""

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from foible.errors import ConfigError
from foible.runs.configuration import CONFIG, check_unchanged
from foible.runs.folder import LOCK, lock
from foible.runs.interrupt import interruptible
from foible.scale.executor import Executor
from foible.scale.units import Unit

PATIENCE: Final = 30.0
"""Seconds that a worker whose run was killed has to let go of its part."""
PARTS: Final = "parts"
MERGED: Final = "merged"
"""What a part is called, beside the others, while it is removed: half of it is no part."""
UNITS_A_WORKER: Final = 4


def parts_of(folder: Path) -> list[Path]:
    """The parts in a run folder, in order."""
    return sorted(path for path in (folder / PARTS).glob("*-*") if path.is_dir())


def unit_size(games: int, workers: int, most: int, *, together: int = 2) -> int:
    """Games, or whatever else a run consists of, of a unit.

    At the end workers wait for the last unit, half of one each on average: with four for each worker an eighth of the
    time. Smaller ones would empty the batches of the nets more often, as at the end of each unit fewer games go on. In
    long runs they are shorter, so that less waits to be merged. How long a game takes does not matter to that: no
    time is measured, and all units are given out at once.

    :param most: games of a unit at most.
    :param together: so many belong together, as the two games of a pair do: a unit has a multiple of them.
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
    """What is to be done in a run, cut into units.

    :param what: the numbers are of, in the plural.
    :param numbers: 0-based, in order.
    :param size: numbers of a unit.
    :param arguments: of `work`, by the numbers of a unit.
    """
    for first in range(0, len(numbers), size):
        own = list(numbers[first : first + size])
        begin, end = own[0] + 1, own[-1] + 1
        part = folder.absolute() / PARTS / f"{begin:06d}-{end:06d}"
        yield Unit(f"{what} {begin} to {end}", part, work, arguments(own))


def run_of(part: Path, holds: str = CONFIG) -> Path:
    """The run folder that a part is in, or in a folder of which it is.

    :param holds: a file that is there from the beginning.
    :raises ConfigError: it is not there on this machine.
    """
    inside = part.parent.parent
    for run in (inside, inside.parent):
        if (run / holds).exists():
            return run
    raise ConfigError(f"{inside}: is not there for all workers; expected a folder that all machines share")


def play_units(
    units: Sequence[Unit], executor: Executor, merge: Callable[[Path], object], enough: Callable[[], bool]
) -> bool:
    """Have units played, and their parts merged as they end.

    :param enough: asked again and again, at least every `BETWEEN_NEWS` seconds, whether to end before all have.
    :return: whether all have ended; an interrupt from the keyboard comes before that, too.
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
    """Merge the parts that there are in a run folder, finished or not, and remove what a kill has left of merged ones.

    Errors as `merge`.
    """
    for part in parts_of(folder):
        merge(part)
    shutil.rmtree(folder / PARTS / MERGED, ignore_errors=True)
    with suppress(OSError):  # there is none
        (folder / PARTS).rmdir()


@contextmanager
def taken(part: Path, held: str = LOCK) -> Iterator[None]:
    """A part while it is merged: nobody writes it, and at the end of the block it is removed. The folder of the parts
    stays: at any instant a worker may begin with another one.

    :param held: the name of its lock.
    :raises ConfigError: another process is still at work in it.
    """
    with lock(part / held, PATIENCE):
        yield
    merged = part.with_name(MERGED)
    shutil.rmtree(merged, ignore_errors=True)
    part.rename(merged)
    shutil.rmtree(merged)


def check_same(ours: Mapping[str, Any], theirs: Mapping[str, Any], where: Path, may_change: Sequence[str]) -> None:
    """That what was made with a configuration is what ours would make.

    :raises ConfigError: its players or teachers are others, or what runs their nets is.
    """
    way_on = "--any-processor takes the work of another one, whose nets may differ in their last bits"
    check_unchanged(where, theirs, ours, may_change, way_on=way_on)
