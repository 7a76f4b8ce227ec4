"""Measuring how fast a piece of work is, and how busy the nets are meanwhile."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from foible.loop import wait
from foible.search.batcher import Usage
from foible.search.scheduler import scheduler
from foible.wording import percent

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Speed:
    """The time that a piece of work took, and what was done in it."""

    seconds: float
    plies: int
    nets: Mapping[str, Usage]
    """The usage of each net that was called, by the net's name."""
    end: "Speed | None" = None
    """The last part of the work, when fewer games were left than could be played at once: calls are smaller then."""

    @property
    def evaluations(self) -> int:
        """The number of positions that all nets together evaluated."""
        return self.pooled.evaluations

    @property
    def pooled(self) -> Usage:
        """The usage of all nets together."""
        return Usage(
            sum((usage.sizes for usage in self.nets.values()), Counter()), sum(u.busy for u in self.nets.values())
        )

    @property
    def busy(self) -> float:
        """Share of the time in which a net computed, 0 to 1."""
        return min(1.0, self.per_second(self.pooled.busy))

    def per_second(self, count: float) -> float:
        """`count` divided by the seconds; 0 where no time has passed."""
        return count / self.seconds if self.seconds else 0.0

    def seconds_for(self, plies: float) -> float | None:
        """The seconds that so many more plies take at this speed; `None` where none was played yet."""
        return max(0.0, plies) * self.seconds / self.plies if self.plies else None

    def __str__(self) -> str:
        """Rates and how busy the nets were: `47 plies/s, 5310 evaluations/s, net busy 93 % (batch 118)`."""
        rates = [f"{self.per_second(self.plies):.0f} plies/s"]
        if self.nets:
            rates += [f"{self.per_second(self.evaluations):.0f} evaluations/s", self.note]
        return ", ".join(rates)

    @property
    def note(self) -> str:
        """How busy the nets were, in a few words: `net busy 93 % (batch 118)`."""
        return f"net busy {percent(self.busy, digits=0)} (batch {self.pooled.mean_batch:.0f})"

    def __sub__(self, part: "Speed") -> "Speed":
        """The speed of the work without a part of it."""
        return Speed(self.seconds - part.seconds, self.plies - part.plies, _since(self.nets, part.nets))

    def to_json(self) -> dict[str, Any]:
        """Plain values for JSON: `busy` is a share of the time; `median_batch` as in `Usage`."""
        nets = {
            name: {
                "evaluations": usage.evaluations,
                "batches": usage.batches,
                "mean_batch": round(usage.mean_batch, 1),
                "median_batch": usage.median_batch,
                "busy": round(self.per_second(usage.busy), 3),
            }
            for name, usage in self.nets.items()
        }
        found = {
            "seconds": round(self.seconds, 3),
            "plies": self.plies,
            "plies_per_s": round(self.per_second(self.plies), 1),
            "evaluations_per_s": round(self.per_second(self.evaluations), 1),
            "nets": nets,
        }
        return found | ({"end": self.end.to_json()} if self.end else {})


class SpeedMeter:
    """Measures the speed of work on the running event loop, from `begin` on."""

    def __init__(self) -> None:
        self.plies = 0
        self._start: tuple[float, Mapping[str, Usage]] | None = None
        self._end: tuple[float, int, Mapping[str, Usage]] | None = None
        self._usage: Callable[[], Mapping[str, Usage]] = dict

    def begin(self) -> None:
        """Note that the work begins."""
        here = scheduler()
        self._usage = lambda: here.usage
        self._start = time.perf_counter(), here.usage

    def end_begins(self) -> None:
        """Note that from now on fewer games are in progress than could be. Only the first call counts."""
        if self._end is None:
            self._end = time.perf_counter(), self.plies, self._usage()

    def speed(self) -> Speed:
        """The speed so far."""
        if self._start is None:
            return Speed(0.0, self.plies, {})
        now, usage = time.perf_counter(), self._usage()
        began, before = self._start
        end = None
        if self._end is not None:
            then, plies, earlier = self._end
            end = Speed(now - then, self.plies - plies, _since(usage, earlier))
        return Speed(now - began, self.plies, _since(usage, before), end)


def speed_of(work: Callable[[], T]) -> tuple[T, Speed]:
    """Do work that uses nets by way of `foible.wait`: its result, and its speed, which counts no plies."""
    before, began = wait(_usage()), time.perf_counter()
    found = work()
    return found, Speed(time.perf_counter() - began, 0, _since(wait(_usage()), before))


def credit(nets: Mapping[str, Usage]) -> None:
    """Count what nets did for this process in others, by their names, so that `speed_of` has it too."""
    wait(_credit(nets))


class _Report(msgspec.Struct):
    speed: dict[str, Any] | None = None


def recorded_speed(report: Path) -> dict[str, Any] | None:
    """The speed in the report of an earlier call, as `Speed.to_json` wrote it, for a call that has nothing left to do;
    `None` where there is none.
    """
    try:
        return msgspec.json.decode(report.read_bytes(), type=_Report).speed
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


async def _credit(nets: Mapping[str, Usage]) -> None:
    scheduler().credit(nets)


async def _usage() -> Mapping[str, Usage]:
    return scheduler().usage


def _since(now: Mapping[str, Usage], before: Mapping[str, Usage]) -> dict[str, Usage]:
    found = {name: usage - before[name] if name in before else usage for name, usage in now.items()}
    return {name: usage for name, usage in found.items() if usage.batches}
