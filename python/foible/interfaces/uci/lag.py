"""How much longer moves take by the GUI's clock than they were meant to.

A busy machine, a network and the wait for an evaluation all cost time that the engine did not plan for; on a short
clock they cost the game. The clock tells how much: what is missing from it at the next move was spent on the last.
"""

from collections import deque
from dataclasses import dataclass
from statistics import median_low
from typing import Final

from foible.interfaces.uci.game import Game
from foible.interfaces.uci.protocol import Go

_REMEMBERED: Final = 16
"""The number of latest moves whose lag is remembered: few, so that a machine that has become quiet is trusted again."""


@dataclass(frozen=True, slots=True)
class Lag:
    """By how much moves take longer than planned, in milliseconds."""

    usual: float = 0.0
    """The median lag of a move, by which its time to think is shortened. A median, because the first move may wait for
    a net to be opened, which says little of the others."""
    longest: float = 0.0
    """The longest lag of the remembered moves: so much of the clock, but at most half of it, is kept in reserve."""


class LagMeter:
    """Watches the clock of one side in one game after the other."""

    def __init__(self) -> None:
        self._late: deque[float] = deque(maxlen=_REMEMBERED)
        self._last: tuple[Game, int, float] | None = None
        """The game at our last move, the clock that would be shown had the move taken no time, and its planned time."""

    def read(self, game: Game, go: Go, *, white: bool) -> Lag:
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

    def plan(self, game: Game, go: Go, seconds: float | None, *, white: bool) -> None:
        """Note how many seconds are planned for the move."""
        clock = go.wtime if white else go.btime
        if clock is not None and seconds is not None:
            self._last = (game, clock + (go.winc if white else go.binc), 1000 * seconds)

    def forget(self) -> None:
        """Forget the last move, as another game begins; the lags stay, since the machine is as busy as before."""
        self._last = None
