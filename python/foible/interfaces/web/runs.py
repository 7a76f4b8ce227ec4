"""Questions on run folders: list them, show one, show games in progress. A new reply follows each change."""

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
from foible.interfaces.web.protocol import PageQuestion, PageReply, changes
from foible.interfaces.web.shared import Shared

MOST_POINTS: Final = 1_000
"""The most points of a curve that are sent: more could not be told apart."""

RunName = Annotated[str, msgspec.Meta(max_length=1000)]
"""The path of a run below the folder of runs, as in the list."""


class Runs(PageReply, frozen=True, kw_only=True):
    """All runs, the one that changed last first."""

    folder: str
    runs: list[RunEntry]


class ListRuns(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="list_runs"):
    """List the runs and their progress, now and whenever that changes."""

    async def answer(self, shared: Shared) -> AsyncGenerator[Runs, None]:
        """The stream of replies has no end."""
        runs = RunList(shared.runs)
        async with aclosing(changes(runs.read)) as found:
            async for entries in found:
                yield Runs(folder=str(shared.runs), runs=entries)


class RunShown(PageReply, frozen=True, kw_only=True):
    """A run as it is now."""

    name: str
    run: RunDescription | None
    """The content of the run; `None` where it cannot be read."""
    problem: str | None
    """Why the run cannot be read, in one line."""
    rate: float | None
    """How many of the items that its progress counts are done per second, since this page began to watch."""
    seconds_left: float | None
    """The seconds until the run ends, at that rate."""


class WatchRun(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="watch_run"):
    """Show the content of a run folder, now and whenever it changes."""

    name: RunName

    async def answer(self, shared: Shared) -> AsyncGenerator[RunShown, None]:
        """Replies follow until the folder is removed.

        :raises ConfigError: there is no run of this name, or its folder was removed.
        """
        folder = await asyncio.to_thread(run_named, shared.runs, self.name)
        async with aclosing(changes(_Watched(self.name, folder).look)) as found:
            async for shown in found:
                yield shown


class _Watched:
    """A run that a page watches."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._folder = name, folder
        self._run: FollowedRun | None = None
        self._pace = Pace()
        self._stamp: Stamp | None = None
        self._shown = RunShown(name=name, run=None, problem=None, rate=None, seconds_left=None)

    def look(self) -> RunShown:
        """The run as it is now; the same object as before where nothing has changed.

        :raises ConfigError: the folder was removed.
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


class RunLive(PageReply, frozen=True, kw_only=True):
    """The games of a run that are in progress."""

    part: str
    """The part of the run in which the games are played; empty where they are played in no part of it."""
    live: Live | None
    """`None` where no game is in progress."""


class WatchLive(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="watch_live"):
    """Show the games of a run that are in progress, and how busy the nets are, about once a second."""

    name: RunName

    async def answer(self, shared: Shared) -> AsyncGenerator[RunLive, None]:
        """The stream of replies has no end.

        :raises ConfigError: there is no run of this name, or its folder was removed.
        """
        folder = await asyncio.to_thread(run_named, shared.runs, self.name)
        async with aclosing(changes(lambda: live_part(folder))) as found:
            async for now in found:
                part, live = now or ("", None)
                yield RunLive(part=part, live=live)


def _thinned(run: RunDescription) -> RunDescription:
    """A run with at most about `MOST_POINTS` points in each curve."""
    content = run.content
    if not isinstance(content, TrainingRun):
        return run
    curves = {"training": _points(content.training), "validation": _points(content.validation)}
    return msgspec.structs.replace(run, content=msgspec.structs.replace(content, **curves))


def _points(curve: LossCurve) -> LossCurve:
    """A curve thinned to every k-th point, counted from the last, so that this is kept."""
    step = -(-len(curve.steps) // MOST_POINTS) or 1
    return LossCurve(steps=curve.steps[::-step][::-1], losses=curve.losses[::-step][::-1])
