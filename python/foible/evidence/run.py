"""What is to be run for the claims, by the plan: which experiments, with which share of the papers' visits, how many
games; block by block, each filed as it ends.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.errors import ConfigError, FoibleError
from foible.evidence.experiments import experiments
from foible.evidence.kept import Filed, file_block, filed
from foible.evidence.kinds import FinishedBlock, Kind, Planned, Workplace
from foible.extras import advice
from foible.mistakes import near
from foible.toml import AnyPath, convert, read_text, read_toml

FILE = "plan.toml"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    usual: dict[str, Any]
    """Keys of every experiment that does not set them itself."""
    experiments: dict[str, dict[str, Any]]


Plan = Mapping[str, Planned]
"""How each experiment is to be run, by name, the most important first."""


def read_plan(path: AnyPath) -> Plan:
    """Read from a TOML file which experiments of the papers are played, with how many games and with what changes.

    :raises ConfigError: it cannot be read, or names an experiment that there is not; says where.
    """
    found: _File = convert(read_toml(read_text(path), str(path)), _File, str(path))
    for name in found.experiments:
        if name not in experiments():
            raise ConfigError(f"{path}: experiments.{name}: {near(name, experiments())}")
    return {
        name: _planned({**found.usual, **own}, experiments()[name].games, f"{path}: experiments.{name}")
        for name, own in found.experiments.items()
    }


def _planned(table: dict[str, Any], unit: int, where: str) -> Planned:
    planned: Planned = convert(table, Planned, where)
    for key in ("games", "block"):
        if (number := getattr(planned, key)) % unit:
            raise ConfigError(f"{where}: {key} = {number}: expected a multiple of {unit}")
    return planned


HOUR = 3600.0
LONG: Final = 600.0
"""Seconds beyond which no block grows, on machines as those that filed the others: a machine may not come back."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The next block of an experiment."""

    experiment: str
    planned: Planned
    units: range
    unit: str
    """A plural noun for the units, such as `pairs`."""
    seconds: float | None
    """The time that it is likely to take: as the quickest block so far, or as the plan thinks; `None` where neither
    tells.
    """
    filed: int
    """The number of blocks filed so far."""
    hours: float | None
    """The estimated hours for all missing units; `None` where nothing tells."""

    cost: float
    """Seconds for as much news as a first block brings: later units narrow an error less. 0 where nothing tells: then a
    block is to tell it.
    """


def missing(folder: Path, plan: Plan, names: Sequence[str] = ()) -> list[Missing]:
    """The next block of every planned experiment that is not whole, the cheapest information first.

    :param names: only these experiments; all of the plan when empty.
    """
    kinds = experiments()
    found = [
        _next(name, kinds[name], planned, folder / name) for name, planned in plan.items() if not names or name in names
    ]
    return sorted((one for one in found if one is not None), key=lambda one: one.cost)


def of_plan(kept: Sequence[Filed], kind: Kind, planned: Planned) -> Filed | None:
    """The kept blocks that the plan asks for, the latest where there are several."""
    return next((one for one in reversed(kept) if kind.follows(one.config, planned)), None)


def _next(name: str, kind: Kind, planned: Planned, folder: Path) -> Missing | None:
    kept = of_plan(filed(folder), kind, planned)
    there = {unit for block in kept.blocks for unit in block.units} if kept else set[int]()
    total = planned.games // kind.games
    absent = [unit for unit in range(total) if unit not in there]
    if not absent:
        return None
    first = absent[0]
    following = min((unit for unit in there if unit > first), default=total)
    each = seconds_of_unit(kept, planned, total)
    block = planned.block // kind.games
    usual = (kept.seconds if kept else None) or each
    units = range(first, min(first + _size(block, len(there), usual), following, total))
    return Missing(
        name,
        planned,
        units,
        kind.unit,
        None if each is None else each * len(units),
        len(kept.blocks) if kept else 0,
        None if each is None else each * len(absent) / HOUR,
        (each or 0.0) * (len(there) + block),
    )


def _size(block: int, there: int, usual: float | None) -> int:
    """The units of the next block: as many as there are already, as far as that does not take long. So the looks at a
    figure become fewer as it becomes sure, and more games at once fill the nets' batches.

    :param block: those of the plan, at least.
    :param there: those that are filed.
    :param usual: the seconds that one takes on the mean.
    """
    return max(block, min(there, int(LONG / usual))) if usual else block


def seconds_of_unit(kept: Filed | None, planned: Planned, total: int) -> float | None:
    """The seconds that one unit takes on a machine without other work; `None` where nothing tells.

    :param total: the number of all planned units.
    """
    if kept and kept.quickest is not None:
        return kept.quickest
    return None if planned.hours is None else planned.hours * HOUR / total


def run(
    folder: Path, plan: Plan, workplace: Workplace, names: Sequence[str] = (), *, seconds: float
) -> Iterator[tuple[Missing, Path | FoibleError | None]]:
    """Run and file one block after the other: each with the place where it was filed, or with what is missing here, a
    player, a judge or a file. An experiment of which a block cannot be run is passed over from then on.

    An interrupt from the keyboard ends it after the current move: then `None` comes with the block, as the last. What
    was run of the block stays in its run folder, and the same call goes on with it.

    :param folder: the folder of the evidence.
    :param names: only these experiments; all of the plan when empty.
    :param seconds: the time after which no further block is begun.
    :raises GameFileError: what is filed cannot be read.
    :raises OSError: a block cannot be written.
    """
    begun, tried, passed_over = time.monotonic(), set[tuple[str, int]](), set[str]()
    while time.monotonic() - begun < seconds:
        waiting = [
            one
            for one in missing(folder, plan, names)
            if (one.experiment, one.units.start) not in tried and one.experiment not in passed_over
        ]
        if not waiting:
            return
        following = waiting[0]
        tried.add((following.experiment, following.units.start))
        try:
            done = _run(following, workplace)
        except FoibleError as error:
            passed_over.add(following.experiment)
            yield following, error
            continue
        if done is None:
            yield following, None
            return
        yield following, file_block(folder / following.experiment, done.config, done.block)


def _run(block: Missing, workplace: Workplace) -> FinishedBlock | None:
    """As `Kind.run`; that a package is not installed is one of its errors."""
    try:
        return experiments()[block.experiment].run(block.planned, block.units, workplace)
    except ModuleNotFoundError as error:
        if not (said := advice(error.name or "")):
            raise
        raise ConfigError(said) from None
