"""Reading the parts of a run of games while workers play them, and finding the games of a part that are new."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from foible.arena.live import STALE, Live, LiveFile, read_told
from foible.arena.match import Decided
from foible.arena.progress import GameLengths, MatchProgress
from foible.arena.store import check_once
from foible.errors import GameFileError
from foible.runs.journal import FollowedFile, Form, read_record_file
from foible.scale.parts import parts_of
from foible.search.batcher import Usage
from foible.search.speed import Speed


class Played(Protocol):
    """A finished game."""

    @property
    def number(self) -> int:
        """In the match, from 0."""

    @property
    def played(self) -> int:
        """Plies of the players, without the opening's."""


G = TypeVar("G")
K = TypeVar("K", bound=Hashable)
P = TypeVar("P", bound=Played)


@dataclass(frozen=True, slots=True)
class GameFile(Generic[K, G]):
    """A file of finished games, which a run and each of its parts have."""

    name: str
    form: Form[G]
    identity: Callable[[G], K]
    """The key of a game, different for any two games of a run."""
    title: Callable[[G], str]
    """What a game is called in messages."""
    course: Callable[[G], Hashable]
    """The part of a game's record that does not depend on the versions that played it."""

    def read(self, folder: Path) -> list[G]:
        """The games of a run or a part, over or under way; nothing in its folder is touched.

        :raises GameFileError: some are damaged or gone, or one stands there twice.
        :raises OSError: they cannot be read.
        """
        games = read_record_file(folder / self.name, self.form)
        check_once(folder / self.name, [self.identity(game) for game in games])
        return games

    def new_games(self, games: Sequence[G], part: Path, merged: Iterable[G], ours: Path) -> list[G]:
        """The games of a part that its run does not have yet.

        :param merged: the games that the run has, and `ours` where they stand, for errors.
        :raises GameFileError: a game that both have differs.
        """
        there = {self.identity(game): game for game in merged}
        for game in games:
            other = there.get(self.identity(game))
            if other is not None and self.course(other) != self.course(game):
                both = f"{ours} and {part / self.name}"
                raise GameFileError(f"{both}: {self.title(game)} is not the same in them; remove what is wrong")
        return [game for game in games if self.identity(game) not in there]


class PartsReader(Generic[K, G]):
    """Reads the finished games and the live reports of the parts of a run."""

    def __init__(self, folder: Path, file: GameFile[K, G]) -> None:
        """`file`: with the games of a part."""
        self.file = file
        self._folder = folder
        self._parts: dict[Path, FollowedFile[G]] = {}
        self._told: dict[Path, tuple[float, float]] = {}
        """By part, the time of its last report by its machine's clock, and the time when we first saw that, by our
        clock."""

    def look(self) -> tuple[dict[K, G], dict[str, Live]]:
        """The games that are finished in parts, and the live reports of the parts, by the names of the parts."""
        parts = parts_of(self._folder)
        self._parts = {
            part: self._parts.get(part) or FollowedFile(part / self.file.name, self.file.form) for part in parts
        }
        games: dict[K, G] = {}
        for part in self._parts.values():
            with suppress(GameFileError, OSError):  # the error is raised when the part is merged
                games |= {self.file.identity(game): game for game in part.read()}
        return games, {part.name: live for part in parts if (live := self._live(part)) is not None}

    def _live(self, part: Path) -> Live | None:
        """The live report of a part, or `None` where it is stale. Clocks of machines differ, so the time of a report is
        only compared with that of an earlier report of the same part.
        """
        live, now = read_told(part), time.monotonic()
        if live is None:
            return None
        if self._told.get(part, (None, now))[0] != live.written:
            self._told[part] = live.written, now
        return live if now - self._told[part][1] < STALE else None


class PartsProgress(Generic[K, P]):
    """The progress of a match while workers play its parts."""

    def __init__(
        self,
        reader: PartsReader[K, P],
        merged: Callable[[], Sequence[P]],
        total: int,
        live: LiveFile,
        stage: str = "",
        *,
        beside: tuple[int, int] = (0, 0),
    ) -> None:
        """`merged`: returns the merged games of the match, in the order of merging. `stage`: as in `Live`.

        `beside`: of the run's other matches, the number of games that are finished, and the number wanted.
        """
        self._reader, self._merged, self._total = reader, merged, total
        self._live, self._stage, self._beside = live, stage, beside
        self.lives: Mapping[str, Live] = {}
        """The reports of the parts at the last look, by the names of the parts."""
        self._before = len(merged())
        self._begun = time.monotonic()
        self._new: Sequence[P] = ()

    def now(self) -> MatchProgress[P]:
        """The progress now; while a worker is at work it is written to `live.json` in the folder of the run as well."""
        in_parts, self.lives = self._reader.look()
        identity = self._reader.file.identity
        finished = list(({identity(game): game for game in self._merged()} | in_parts).values())
        self._new = finished[self._before :]
        speed = self.speed
        speed = replace(speed, nets=work_of_nets(self.lives.values(), speed.seconds))
        lengths = GameLengths(game.played for game in self._new)
        workers = len(self.lives)
        now = MatchProgress(finished, self._total, len(self._new), (), (), lengths, speed, workers=workers)
        done, total = len(finished) + self._beside[0], self._total + self._beside[1]
        if self.lives:
            left = now.seconds_for(total - done)
            self._live.tell_parts(self.lives, done=done, total=total, seconds_left=left, stage=self._stage)
        return now

    @property
    def speed(self) -> Speed:
        """The speed since this object was made, without the nets: workers tell of their last seconds alone."""
        return Speed(time.monotonic() - self._begun, sum(game.played for game in self._new), {})


def work_of_nets(lives: Collection[Live], seconds: float) -> dict[str, Usage]:
    """What the nets of workers would have done in so many seconds if all of them had been like the last. How busy a net
    is, is the mean over the workers.
    """
    usage: dict[str, Usage] = {}
    for net in (net for live in lives for net in live.nets if net.mean_batch):
        calls = Counter({round(net.mean_batch): round(seconds * net.evaluations_per_second / net.mean_batch)})
        usage[net.name] = usage.get(net.name, Usage()) + Usage(calls, net.busy * seconds / len(lives))
    return usage


def until_decided(
    progress: PartsProgress[Any, P],
    on_progress: Callable[[MatchProgress[P]], None],
    decided: Decided[P],
    stopped: threading.Event,
) -> Callable[[], bool]:
    """The function that `Parts.play` asks whether to stop: it reports the progress, and is true once the games of a
    match decide it, or `stopped` is set.
    """

    def enough() -> bool:
        now = progress.now()
        on_progress(now)
        return decided.by(now.finished) is not None or stopped.is_set()

    return enough
