"""What a run reports while its games are in progress: their boards, how busy the nets are, the time left.

    live.json       in the run folder, replaced about once a second; removed when it is over

Nothing depends on this file: it is not flushed to the disk, no run continues from it, and a full disk is ignored. A
file that a killed process left behind is recognised by its age.
"""

import os
import platform
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from foible._core import ChessPosition
from foible.games import Position
from foible.runs.files import Closing
from foible.search.speed import Speed

LIVE: Final = "live.json"
BETWEEN: Final = 1.0
"""Seconds between two writes, at least."""
RECENT: Final = 10.0
"""Seconds over which the work of the nets is averaged."""
STALE: Final = 15.0
"""The age in seconds from which a file counts as left by a process that was killed."""
MOST_GAMES: Final = 48
"""The most boards that are written to the file."""


class LiveChess(msgspec.Struct, frozen=True, kw_only=True, tag="chess"):
    """A game of chess in progress."""

    game: str
    """What it is called: its number in the run, from 1."""
    white: str
    black: str
    start: str
    """The start position as FEN."""
    moves: list[str]
    """In UCI, those of the opening included."""
    opening: int
    """How many of them are the opening's."""


class LiveGo(msgspec.Struct, frozen=True, kw_only=True, tag="go"):
    """A game of Go in progress."""

    game: str
    """What it is called: its number in the run, from 1; of a branch also its number there, as in `7.2`."""
    black: str
    white: str
    rows: list[str]
    """The board, from the top: `X` Black, `O` White, `.` empty."""
    last_move: str
    """A vertex or `pass`; empty before the first."""
    plies: int
    """The number of plies so far, those of the opening included."""
    opening: int
    """How many of them are the opening's."""
    komi: float


class LiveNet(msgspec.Struct, frozen=True, kw_only=True):
    """The work of a net in the last seconds."""

    name: str
    evaluations_per_second: float
    mean_batch: float
    """The mean number of positions in one batch."""
    busy: float
    """Share of the time in which it computed, 0 to 1."""


class LiveWorker(msgspec.Struct, frozen=True, kw_only=True):
    """A process that plays a part of a run."""

    part: str
    """The name of the part's folder; in a sweep behind that of its cell."""
    machine: str
    process: int
    done: int
    """Games of the part that are finished."""
    total: int


class Live(msgspec.Struct, frozen=True, kw_only=True):
    """A run whose games are in progress."""

    written: float
    """When this was written, in seconds since 1970."""
    process: int
    """The id of the process that plays the games."""
    machine: str = ""
    """The name of the machine on which the process runs."""
    stage: str
    """What the games are for, where a run plays several kinds; else empty."""
    done: int
    """Games of the run, or of the stage, that are finished."""
    total: int
    """Games until it ends."""
    rate: float | None
    """Games per second of this process; `None` before one has ended."""
    plies_per_second: float
    """The rate of this process."""
    seconds_left: float | None
    """Seconds to the end of the last game; `None` before one has ended."""
    in_progress: int
    games: list[LiveChess | LiveGo]
    """The first `MOST_GAMES` of those in progress."""
    nets: list[LiveNet]
    workers: list[LiveWorker] = []
    """The processes that play parts of the run, where others than this one play."""


class GameInProgress(Protocol):
    """What is shown of a game in progress."""

    @property
    def position(self) -> Position:
        """The current position."""


@dataclass(frozen=True, slots=True)
class Playing:
    """A game in progress, and who plays it."""

    name: str
    """The name of the game, as in `LiveChess.game`."""
    game: GameInProgress
    first: str
    """The player of White's pieces, or of Black's stones."""
    second: str
    opening: int
    """The number of plies of the opening, before the players' own."""

    def shown(self) -> LiveChess | LiveGo:
        """The game as it stands now, as plain values for the file."""
        position = self.game.position
        if isinstance(position, ChessPosition):
            return LiveChess(
                game=self.name,
                white=self.first,
                black=self.second,
                start=position.start_fen,
                moves=position.moves,
                opening=self.opening,
            )
        moves = position.moves
        return LiveGo(
            game=self.name,
            black=self.first,
            white=self.second,
            rows=position.board.split("\n"),
            last_move=moves[-1] if moves else "",
            plies=len(moves),
            opening=self.opening,
            komi=position.komi,
        )


class PlayProgress(Protocol):
    """What is known of any process that plays games."""

    @property
    def done(self) -> int:
        """Games that are finished, those of earlier processes included."""

    @property
    def total(self) -> int:
        """Games until it ends."""

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds to the end of the last game; `None` before one has ended."""

    @property
    def new(self) -> int:
        """Games that ended in this process."""

    @property
    def speed(self) -> Speed:
        """The speed of this process so far."""

    @property
    def playing(self) -> Sequence[Playing]:
        """The games in progress."""


@dataclass(frozen=True, slots=True)
class ProgressOfSeveral:
    """The `PlayProgress` of a run that has several matches."""

    done: int
    total: int
    seconds_left: float | None
    new: int
    speed: Speed
    playing: Sequence[Playing]


class LiveFile(Closing):
    """The file in the folder of a run that plays. Closing it removes it, and what a killed process has left of it."""

    def __init__(self, folder: Path) -> None:
        """Nothing is written before `tell`."""
        self._path, self._draft = folder / LIVE, folder / f".{LIVE}.new"
        self._next = 0.0
        # On a busy disk a write takes up to a third of a second: whoever plays on a clock must not wait for it.
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="foible-live")
        self._written: Future[None] | None = None
        self._speeds: deque[Speed] = deque()

    def tell(self, now: PlayProgress, *, stage: str = "") -> None:
        """Have written how the run stands, unless that was done a moment ago. `stage`: as in `Live`."""
        if self._is_due():
            speed = now.speed
            self._write(
                Live(
                    **_here(),
                    stage=stage,
                    done=now.done,
                    total=now.total,
                    rate=speed.per_second(now.new) if now.new else None,
                    plies_per_second=speed.per_second(speed.plies),
                    seconds_left=now.seconds_left,
                    in_progress=len(now.playing),
                    games=[game.shown() for game in now.playing[:MOST_GAMES]],
                    nets=_nets(self._recent(speed)),
                )
            )

    def tell_parts(
        self, parts: Mapping[str, Live], *, done: int, total: int, seconds_left: float | None, stage: str = ""
    ) -> None:
        """As `tell`, for a run whose parts others play. `parts`: their reports, by the names of their folders."""
        if self._is_due():
            rates = [part.rate for part in parts.values() if part.rate is not None]
            self._write(
                Live(
                    **_here(),
                    stage=stage,
                    done=done,
                    total=total,
                    rate=sum(rates) if rates else None,
                    plies_per_second=sum(part.plies_per_second for part in parts.values()),
                    seconds_left=seconds_left,
                    in_progress=sum(part.in_progress for part in parts.values()),
                    games=[game for part in parts.values() for game in part.games][:MOST_GAMES],
                    nets=_pooled([net for part in parts.values() for net in part.nets]),
                    workers=[_worker(name, part) for name, part in parts.items()],
                )
            )

    def _is_due(self) -> bool:
        due = time.monotonic() >= self._next and (self._written is None or self._written.done())
        if due:
            self._next = time.monotonic() + BETWEEN
        return due

    def _write(self, live: Live) -> None:
        with suppress(RuntimeError):  # no thread is to be had
            self._written = self._writer.submit(self._replace, msgspec.json.encode(live))

    def _replace(self, content: bytes) -> None:
        with suppress(OSError):
            self._draft.write_bytes(content)
            self._draft.replace(self._path)

    def _recent(self, speed: Speed) -> Speed:
        """The speed over the last `RECENT` seconds; all of it where the measuring began anew, as with a run's next
        match.
        """
        seen = self._speeds
        if seen and speed.seconds < seen[-1].seconds:
            seen.clear()
        seen.append(speed)
        while len(seen) > 1 and seen[1].seconds <= speed.seconds - RECENT:
            seen.popleft()
        return speed - seen[0] if len(seen) > 1 else speed

    def close(self) -> None:
        try:
            self._writer.shutdown()
        finally:
            for path in (self._path, self._draft):
                with suppress(OSError):
                    path.unlink(missing_ok=True)


def _nets(speed: Speed) -> list[LiveNet]:
    return [
        LiveNet(
            name=name,
            evaluations_per_second=speed.per_second(usage.evaluations),
            mean_batch=usage.mean_batch,
            busy=min(1.0, speed.per_second(usage.busy)),
        )
        for name, usage in speed.nets.items()
    ]


def _pooled(nets: Sequence[LiveNet]) -> list[LiveNet]:
    """What each net did in all processes together; busy is the mean over them."""
    by_name: dict[str, list[LiveNet]] = {}
    for net in nets:
        by_name.setdefault(net.name, []).append(net)
    pooled = []
    for name, works in by_name.items():
        evaluations = sum(work.evaluations_per_second for work in works)
        calls = sum(work.evaluations_per_second / work.mean_batch for work in works)
        busy = sum(work.busy for work in works) / len(works)
        mean_batch = evaluations / calls if calls else works[0].mean_batch
        pooled.append(LiveNet(name=name, evaluations_per_second=evaluations, mean_batch=mean_batch, busy=busy))
    return pooled


def _worker(name: str, part: Live) -> LiveWorker:
    return LiveWorker(part=name, machine=part.machine, process=part.process, done=part.done, total=part.total)


def _here() -> dict[str, Any]:
    """The fields common to all `Live` reports: time, process and machine."""
    return {"written": time.time(), "process": os.getpid(), "machine": platform.node()}


def read_live(folder: Path) -> Live | None:
    """What the run in a folder tells of itself; `None` where no games are in progress."""
    live = read_told(folder)
    return live if live is not None and abs(time.time() - live.written) < STALE else None


def read_told(folder: Path) -> Live | None:
    """As `read_live`, however old the report is."""
    try:
        return msgspec.json.decode((folder / LIVE).read_bytes(), type=Live)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def is_live(folder: Path) -> bool:
    """Whether games of the run in a folder are in progress; cheaper than `read_live`."""
    try:
        written = (folder / LIVE).stat().st_mtime
    except OSError:
        return False
    return abs(time.time() - written) < STALE
