"""Observing the parts of a run of games while others play them, and telling which games of a part are new."""

import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from foible.arena.live import STALE, Live, LiveFile, read_told
from foible.arena.match import Decided, Progress
from foible.errors import GameFileError
from foible.runs.journal import FollowedFile, Form
from foible.scale import Executor, Unit
from foible.scale.parts import parts_of, play_units
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
class Likeness(Generic[K, G]):
    """Which games of a run are one and the same."""

    identity: Callable[[G], K]
    """The key of a game, different for any two games of a run."""
    name: Callable[[G], str]
    """The name of a game in messages."""
    course: Callable[[G], Hashable]
    """The part of a game's record that does not depend on the versions that played it."""

    def those_new(self, games: Sequence[G], there: Mapping[K, G], files: tuple[Path, Path]) -> list[G]:
        """The games of a part that a run does not have yet.

        :param there: the games that the run has.
        :param files: the game files of the run and of the part, for errors.
        :raises GameFileError: a game that both have differs.
        """
        for game in games:
            other = there.get(self.identity(game))
            if other is not None and self.course(other) != self.course(game):
                both = f"{files[0]} and {files[1]}"
                raise GameFileError(f"{both}: {self.name(game)} is not the same in them; remove what is wrong")
        return [game for game in games if self.identity(game) not in there]


class Watched(Generic[K, G]):
    """Reads the finished games and the live reports of the parts of a run."""

    def __init__(self, folder: Path, records: str, form: Form[G], likeness: Likeness[K, G]) -> None:
        """`records`: the name of the file with the games of a part."""
        self.likeness = likeness
        self._folder, self._records, self._form = folder, records, form
        self._parts: dict[Path, FollowedFile[G]] = {}
        self._told: dict[Path, tuple[float, float]] = {}
        """By part, the time of its last report by its machine's clock, and the time when we first saw that, by our
        clock."""

    def look(self) -> tuple[dict[K, G], dict[str, Live]]:
        """The games that are finished in parts, and what the parts tell of themselves, by their names."""
        parts = parts_of(self._folder)
        self._parts = {part: self._parts.get(part) or self._followed(part) for part in parts}
        games: dict[K, G] = {}
        for part in self._parts.values():
            with suppress(GameFileError, OSError):  # the error is raised when the part is merged
                games |= {self.likeness.identity(game): game for game in part.read()}
        return games, {part.name: live for part in parts if (live := self._live(part)) is not None}

    def _live(self, part: Path) -> Live | None:
        """What a part tells of itself, unless it has been silent for long. Clocks of machines differ: their times are
        compared with themselves alone.
        """
        live, now = read_told(part), time.monotonic()
        if live is None:
            return None
        if self._told.get(part, (None, now))[0] != live.written:
            self._told[part] = live.written, now
        return live if now - self._told[part][1] < STALE else None

    def _followed(self, part: Path) -> FollowedFile[G]:
        return FollowedFile(part / self._records, self._form)


class Standing(Generic[K, P]):
    """How a match stands while others play its parts."""

    def __init__(
        self,
        watched: Watched[K, P],
        merged: Callable[[], Sequence[P]],
        total: int,
        live: LiveFile,
        stage: str = "",
        *,
        beside: tuple[int, int] = (0, 0),
    ) -> None:
        """`merged`: gives its games that were merged by now, in order of that. `stage`: as in `Live`.

        `beside`: games of the run's other matches that are finished, and that were asked for.
        """
        self._watched, self._merged, self._total = watched, merged, total
        self._live, self._stage, self._beside = live, stage, beside
        self.lives: Mapping[str, Live] = {}
        """The reports of the parts at the last look, by the names of the parts."""
        self._before = len(merged())
        self._begun = time.monotonic()
        self._new: Sequence[P] = ()

    def now(self) -> Progress[P]:
        """How the match stands; written to `live.json` in its folder as well while a worker is at work."""
        in_parts, self.lives = self._watched.look()
        identity = self._watched.likeness.identity
        finished = list(({identity(game): game for game in self._merged()} | in_parts).values())
        self._new = finished[self._before :]
        now = Progress(finished, self._total, len(self._new), (), 0, self.speed, workers=len(self.lives))
        done, total = len(finished) + self._beside[0], self._total + self._beside[1]
        if self.lives:
            left = now.seconds_for(total - done)
            self._live.tell_parts(self.lives, done=done, total=total, seconds_left=left, stage=self._stage)
        return now

    @property
    def speed(self) -> Speed:
        """The speed of the games that ended since it began."""
        return Speed(time.monotonic() - self._begun, sum(game.played for game in self._new), {})


def play_decided(
    units: Sequence[Unit],
    executor: Executor,
    merge: Callable[[Path], None],
    standing: Standing[Any, P],
    on_progress: Callable[[Progress[P]], None],
    decided: Decided[P],
    stopped: threading.Event | None = None,
) -> None:
    """Play a match as `play_units` does, until its games decide it. `stopped`: ends it, too, when set from anywhere."""

    def is_decided() -> bool:
        now = standing.now()
        on_progress(now)
        return decided.by(now.finished) is not None or (stopped is not None and stopped.is_set())

    play_units(units, executor, merge, is_decided)
