"""One `go` command: what it asks, how long to think, when the answer is due, and the thread that gives it; and how much
longer moves take by the GUI's clock than they were meant to.

A busy machine, a network and the wait for an evaluation all cost time that the engine did not plan for; on a short
clock they cost the game. The clock tells how much: what is missing from it at the next move was spent on the last.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median_low
from typing import Final, Protocol

from foible._core import ChessPosition
from foible.agents.base import time_for_move
from foible.interfaces.standard_output import described
from foible.interfaces.uci.game import UciGame
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.protocol import Go, Send

_REMEMBERED: Final = 16
"""The number of latest moves whose lag is remembered: few, so that a machine that has become quiet is trusted again."""


@dataclass(frozen=True, slots=True)
class Lag:
    """By how much moves take longer than planned, in milliseconds."""

    usual: float = 0.0
    """The median lag of a move, by which its time to think is shortened. A median, because the first move may wait for
    a net to be opened, which says little of the others."""
    longest: float = 0.0
    """The longest lag of the remembered moves: it is part of what is kept in reserve, at most half of the clock."""


NO_LAG: Final = Lag()

_SPELL: Final = 5
"""The moves in a row for which a machine may be so busy that even a single evaluation costs more than the increment."""


def seconds_for(go: Go, *, white: bool, overhead: int, lag: Lag = NO_LAG) -> float | None:
    """Seconds to think about this move, `None` where no time limit is set.

    A fixed `movetime` is used up but for `overhead` milliseconds, the way to the GUI and back. Of a clock, a move gets
    what `time_for_move` gives, less the usual lag, which the move costs too. Kept back are the overhead, the longest
    lag that was seen, and the usual one of `_SPELL` moves. The result may be 0: then one evaluation must do.
    """
    limits = []
    if go.movetime is not None:
        limits.append(max(go.movetime - overhead, go.movetime / 2))
    clock = go.wtime if white else go.btime
    if clock is not None:
        increment = go.winc if white else go.binc
        kept = min(lag.longest + _SPELL * lag.usual, clock / 2)
        given = time_for_move(max(0, clock - overhead - kept), increment, go.movestogo)
        limits.append(max(0, given - lag.usual))
    return min(limits) / 1000 if limits else None


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be thought about, and how."""

    game: UciGame
    go: Go
    settings: Settings
    started: float
    """When `go` was read, by the monotonic clock."""
    searchmoves: tuple[str, ...]
    """The legal moves of `go searchmoves`, as the position names them; empty: all moves."""
    lag: Lag = NO_LAG

    @property
    def position(self) -> ChessPosition:
        return self.game.position

    @property
    def moves(self) -> tuple[str, ...] | list[str]:
        """The moves that may be played."""
        return self.searchmoves or self.position.legal_moves

    @property
    def max_nodes(self) -> int | None:
        """The most visits for this move; `None` where there is no such limit."""
        return min((n for n in (self.go.nodes, self.settings.max_nodes) if n), default=None)

    @property
    def white(self) -> bool:
        """Whether White is to move, so that White's clock counts."""
        return self.position.turn == "first"

    @property
    def seconds(self) -> float | None:
        """Seconds to think, `None` where no time limit is set."""
        return seconds_for(self.go, white=self.white, overhead=self.settings.move_overhead, lag=self.lag)

    def deadline(self, now: float) -> float | None:
        """When the answer is due if the clock runs from `now` on."""
        seconds = self.seconds
        return None if seconds is None else now + seconds


class Call:
    """A task until it is answered. The GUI may end it or start its clock at any time, from another thread."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._changed = threading.Condition()
        self._pondering = task.go.ponder
        self.stopped = False
        self.deadline = None if task.go.ponder else task.deadline(task.started)
        """When the answer is due, by the monotonic clock; `None` while no clock runs."""

    def stop(self) -> None:
        """Answer now."""
        with self._changed:
            self.stopped = True
            self._changed.notify_all()

    def ponderhit(self) -> None:
        """The expected move was played: from now on the clock counts."""
        with self._changed:
            if self._pondering:
                self._pondering = False
                self.deadline = self.task.deadline(time.monotonic())
                self._changed.notify_all()

    @property
    def endless(self) -> bool:
        """Whether the answer must wait for `stop` or `ponderhit`, whatever has been found."""
        return self.task.go.infinite or self._pondering

    def due(self) -> bool:
        """Whether the answer may not wait any longer."""
        if self.stopped:
            return True
        return not self.endless and self.deadline is not None and time.monotonic() >= self.deadline

    def notify(self) -> None:
        """Wake the threads that wait, as something was found."""
        with self._changed:
            self._changed.notify_all()

    def sleep(self, seconds: float, unless: Callable[[], bool]) -> None:
        """Sleep until something changes, at most so long; not at all where the call is stopped or `unless()` holds."""
        with self._changed:
            if not self.stopped and not unless():
                self._changed.wait(max(0.0, seconds))

    def wait(self, found: Callable[[], bool]) -> None:
        """Wait until `found()` holds, however long that takes."""
        with self._changed:
            self._changed.wait_for(found)

    def wait_or_due(self, found: Callable[[], bool]) -> None:
        """Wait until `found()` holds or the answer is due."""
        with self._changed:
            while not found() and not self.due():
                clock = None if self.endless else self.deadline
                self._changed.wait(None if clock is None else max(0.0, clock - time.monotonic()))

    def wait_until_asked(self) -> None:
        """Wait for `stop` or `ponderhit` where the search is endless; else return at once."""
        with self._changed:
            self._changed.wait_for(lambda: self.stopped or not self.endless)


class MoveFinder(Protocol):
    """What finds the move for one call, such as a tree search or a player."""

    def think(self) -> tuple[str | None, str | None]:
        """The move to play, which is legal, and the reply to ponder on; either may be missing.

        It returns as soon as the call is due, with the best that was found by then.
        """

    def rest(self) -> None:
        """Wait until nothing is computed any more. The call has been stopped."""


class Search:
    """A call under way. It always ends in one `bestmove`, whatever fails."""

    def __init__(self, call: Call, thought: MoveFinder, send: Send) -> None:
        self._call, self._thought, self._send = call, thought, send
        self._answered = False
        self._thread = threading.Thread(target=self._answer, name="search", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Answer now."""
        self._call.stop()

    def ponderhit(self) -> None:
        """The expected move was played: from now on the clock counts."""
        self._call.ponderhit()

    def wait(self) -> None:
        """Wait until the answer is out and nothing is computed any more."""
        self._thread.join()

    @property
    def answered(self) -> bool:
        """Whether the answer is out. The last batch of the search may still be computed."""
        return self._answered

    def _answer(self) -> None:
        task = self._call.task
        move = reply = None
        try:
            if task.position.legal_moves:
                move, reply = self._thought.think()
            else:
                self._send(f"info depth 0 score {'mate' if task.position.is_check else 'cp'} 0")
        except BaseException as error:  # also a panic of the core: a GUI that gets no answer waits for ever
            self._send(f"info string {described(error)}")
        self._call.wait_until_asked()
        move = move or next(iter(task.moves), "(none)")
        self._answered = True  # before the GUI, which may speak at once, can know
        self._send(f"bestmove {move}" + f" ponder {reply}" * (reply is not None))
        self._call.stop()
        self._thought.rest()


class LagMeter:
    """Watches the clock of one side in one game after the other."""

    def __init__(self) -> None:
        self._late: deque[float] = deque(maxlen=_REMEMBERED)
        self._last: tuple[UciGame, int, float] | None = None
        """The game at our last move, the clock that would be shown had the move taken no time, and its planned time."""

    def read(self, game: UciGame, go: Go, *, white: bool) -> Lag:
        """The lag to allow for at this move. A clock tells nothing of our last move where the game does not continue by
        our move and one reply, or where the clock has risen because a time control was reached.
        """
        clock = go.wtime if white else go.btime
        if self._last is not None and clock is not None:
            before, most, planned = self._last
            moves = before.then(game)
            if moves is not None and len(moves) == 2 and 0 <= most - clock <= most:
                self._late.append(max(0.0, most - clock - planned))
        self._last = None
        if not self._late:
            return Lag()
        return Lag(median_low(self._late), max(self._late))

    def plan(self, game: UciGame, go: Go, seconds: float | None, *, white: bool) -> None:
        """Note how many seconds are planned for the move."""
        clock = go.wtime if white else go.btime
        if clock is not None and seconds is not None:
            self._last = (game, clock + (go.winc if white else go.binc), 1000 * seconds)

    def forget(self) -> None:
        """Forget the last move, as another game begins; the lags stay, since the machine is as busy as before."""
        self._last = None
