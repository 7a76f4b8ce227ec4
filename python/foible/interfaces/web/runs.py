"""What a page asks of the run folders: which there are, what is in one, which games are in progress. All of it is told
again whenever it changes.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Annotated, Final

import msgspec

from foible.analysis.runs import FollowedRun, Pace, RunDescription, RunEntry, RunList, live_part, one_line, run_named
from foible.analysis.runs.kinds import Stamp
from foible.analysis.runs.learning import LossCurve, TrainingRun
from foible.arena.live import Live
from foible.errors import ConfigError, FoibleError
from foible.interfaces.web.asking import Question, Reply, changes
from foible.interfaces.web.shared import Shared

MOST_POINTS: Final = 1_000
"""The points of a curve: more are not seen."""

RunName = Annotated[str, msgspec.Meta(max_length=1000)]
"""A folder below that of the runs, as the list has it."""


class Runs(Reply, frozen=True, kw_only=True):
    """All runs, the one that changed last first."""

    folder: str
    runs: list[RunEntry]


class ListRuns(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="list_runs"):
    """Which runs there are, and how far they are, whenever that changes."""

    async def answer(self, shared: Shared) -> AsyncGenerator[Runs, None]:
        """Without end."""
        runs = RunList(shared.runs)
        async with aclosing(changes(runs.read)) as found:
            async for entries in found:
                yield Runs(folder=str(shared.runs), runs=entries)


class RunShown(Reply, frozen=True, kw_only=True):
    """A run as it is now."""

    name: str
    run: RunDescription | None
    """`None` where it cannot be read."""
    problem: str | None
    """Why, in one line."""
    rate: float | None
    """Per second, what its standing counts, as far as this page has seen it grow."""
    seconds_left: float | None
    """At that rate."""


class WatchRun(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="watch_run"):
    """What is in a run folder, whenever that changes."""

    name: RunName

    async def answer(self, shared: Shared) -> AsyncGenerator[RunShown, None]:
        """Until the folder is gone.

        :raises ConfigError: no run is called so; or its folder is gone.
        """
        folder = await asyncio.to_thread(run_named, shared.runs, self.name)
        async with aclosing(changes(_Watched(self.name, folder).look)) as found:
            async for shown in found:
                yield shown


class _Watched:
    """A run that a page looks at."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._folder = name, folder
        self._run: FollowedRun | None = None
        self._pace = Pace()
        self._stamp: Stamp | None = None
        self._shown = RunShown(name=name, run=None, problem=None, rate=None, seconds_left=None)

    def look(self) -> RunShown:
        """The same as before where nothing has happened.

        :raises ConfigError: the folder is gone.
        """
        if not self._folder.is_dir():
            raise ConfigError(f"{self._name}: the folder is gone")
        try:
            self._run = self._run or FollowedRun(self._folder)
            stamp = self._run.stamp()
            if stamp != self._stamp:
                self._shown = self._with_pace(self._run.read())
                self._stamp = stamp
        except (FoibleError, OSError) as error:
            self._stamp = None
            problem = one_line(error, self._folder)
            self._shown = RunShown(name=self._name, run=None, problem=problem, rate=None, seconds_left=None)
        return self._shown

    def _with_pace(self, run: RunDescription) -> RunShown:
        if run.standing:
            self._pace.look(time.monotonic(), run.standing.done)
        return RunShown(
            name=self._name,
            run=_thinned(run),
            problem=None,
            rate=self._pace.rate,
            seconds_left=self._pace.left(run.standing) if run.standing else None,
        )


class RunLive(Reply, frozen=True, kw_only=True):
    """The games of a run that are in progress."""

    part: str
    """The part of the run in which they are played; empty where in none."""
    live: Live | None
    """`None` where no game is in progress."""


class WatchLive(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="watch_live"):
    """Which games of a run are in progress, and how busy the nets are, about once a second."""

    name: RunName

    async def answer(self, shared: Shared) -> AsyncGenerator[RunLive, None]:
        """Without end.

        :raises ConfigError: no run is called so, or its folder is gone.
        """
        folder = await asyncio.to_thread(run_named, shared.runs, self.name)
        async with aclosing(changes(lambda: live_part(folder))) as found:
            async for now in found:
                part, live = now or ("", None)
                yield RunLive(part=part, live=live)


def _thinned(run: RunDescription) -> RunDescription:
    """The same with no more points of a curve than are seen."""
    content = run.content
    if not isinstance(content, TrainingRun):
        return run
    curves = {"training": _points(content.training), "validation": _points(content.validation)}
    return msgspec.structs.replace(run, content=msgspec.structs.replace(content, **curves))


def _points(curve: LossCurve) -> LossCurve:
    """Every so many, the last one among them."""
    step = -(-len(curve.steps) // MOST_POINTS) or 1
    return LossCurve(steps=curve.steps[::-step][::-1], losses=curve.losses[::-step][::-1])
