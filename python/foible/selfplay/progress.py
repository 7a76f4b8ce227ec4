"""Where self-play stands, of chess or of Go, played here or by workers, and how long it still takes."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Container, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import msgspec

from foible.arena.live import LiveFile, Playing
from foible.arena.parts_progress import PartsReader
from foible.arena.progress import GameLengths
from foible.search.speed import Speed

BETWEEN_REPORTS = 0.5
"""Seconds between two reports of progress."""


class Ended(Protocol):
    """A finished game."""

    @property
    def decisive(self) -> bool:
        """Whether somebody won."""

    @property
    def played(self) -> int:
        """The plies of the players: those of an opening, and those before a branch, do not count."""


K = TypeVar("K", bound=Hashable)
G = TypeVar("G", bound=Ended)


class SelfplayTally(msgspec.Struct, frozen=True):
    """A count of finished games, kept while they end: a run may have millions."""

    draws: int = 0
    lengths: Counter[int] = msgspec.field(default_factory=Counter)
    """The number of games by their plies, without those before the players' own."""

    @classmethod
    def of(cls, games: Collection[Ended]) -> "SelfplayTally":
        """The tally of these games."""
        return cls(sum(not game.decisive for game in games), Counter(game.played for game in games))

    @property
    def games(self) -> int:
        """The number of games."""
        return self.lengths.total()

    @property
    def played(self) -> int:
        """Their plies, without those before the players' own."""
        return sum(plies * games for plies, games in self.lengths.items())

    def __add__(self, other: "SelfplayTally") -> "SelfplayTally":
        return SelfplayTally(self.draws + other.draws, self.lengths + other.lengths)

    def __sub__(self, other: "SelfplayTally") -> "SelfplayTally":
        return SelfplayTally(self.draws - other.draws, self.lengths - other.lengths)


@dataclass(frozen=True, slots=True)
class SelfplayProgress:
    """The progress of a run."""

    finished: SelfplayTally
    """All finished games, those of earlier processes included."""
    total: int
    """The number of games in the whole run, or of the finished ones where these are more than were asked for."""
    new: int
    """The number of games finished since this process began, by itself or its workers."""
    under_way: Sequence[int]
    """Plies played so far in each of the games in progress, those played by earlier processes included."""
    playing: Sequence[Playing]
    """The games in progress, those that began first before the others."""
    speed: Speed
    """The speed of this process so far."""
    workers: int = 1
    """The number of processes that play."""

    @property
    def done(self) -> int:
        """The number of finished games."""
        return self.finished.games

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds until the run ends, by the lengths of all finished games; `None` before one is finished."""
        not_begun = self.total - self.done - len(self.under_way)
        plies = GameLengths(self.finished.lengths).to_come(self.under_way, not_begun)
        return None if plies is None else self.speed.seconds_for(plies)


class SelfplayByWorkers(Generic[K, G]):
    """The progress of a run while workers play its parts."""

    def __init__(
        self,
        reader: PartsReader[K, G],
        merged: Callable[[], Container[K]],
        tally: Callable[[], SelfplayTally],
        games: int,
        live: LiveFile,
        stage: str = "",
    ) -> None:
        """`merged` and `tally`: tell which games are merged, and count them. `games`: the number asked for.

        `stage`: as in `Live`.
        """
        self._reader, self._merged, self._tally = reader, merged, tally
        self._games, self._live, self._stage = games, live, stage
        self._before = tally()
        self._begun = time.monotonic()

    def now(self) -> SelfplayProgress:
        """The progress now, which is written to the live file of the run's folder as well."""
        in_parts, lives = self._reader.look()
        merged = self._merged()
        finished = self._tally() + SelfplayTally.of([game for key, game in in_parts.items() if key not in merged])
        new = finished - self._before
        speed = Speed(time.monotonic() - self._begun, new.played, {})
        total = max(self._games, finished.games)
        now = SelfplayProgress(finished, total, new.games, (), (), speed, workers=len(lives))
        self._live.tell_parts(lives, done=finished.games, total=total, seconds_left=now.seconds_left, stage=self._stage)
        return now
