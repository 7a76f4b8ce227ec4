"""How much longer moves take by the GUI's clock than they were meant to.

A busy machine, a network and an evaluation that is waited for all cost time that no plan of the engine knows of; on a
short clock they cost the game. The clock tells them: what is missing from it at the next move was spent on the last.
"""

from collections import deque
from dataclasses import dataclass
from statistics import median_low
from typing import Final

from foible.interfaces.uci.game import Game
from foible.interfaces.uci.protocol import Go

_REMEMBERED: Final = 16
"""Moves, some fewer than most games last, so that a machine that has become quiet is trusted again."""


@dataclass(frozen=True, slots=True)
class Lag:
    """In milliseconds."""

    usual: float = 0.0
    """Of a move, the median: its time is so much shorter. The first move may wait for a net, which says little of the
    others."""
    longest: float = 0.0
    """Of the moves that are remembered: so much of the clock, but at most half of it, is never planned with."""


class LagMeter:
    """Watches the clock of one side in one game after the other."""

    def __init__(self) -> None:
        self._late: deque[float] = deque(maxlen=_REMEMBERED)
        self._last: tuple[Game, int, float] | None = None
        """The game at our last move, the clock that would be shown had the move taken no time, and its time."""

    def read(self, game: Game, go: Go, *, white: bool) -> Lag:
        """What is to be reckoned with at this move. The clock of a `go` that does not continue the game, of one that
        reached a control, and of one that was never pressed, says nothing of the move before.
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
        """The move is to take so long."""
        clock = go.wtime if white else go.btime
        if clock is not None and seconds is not None:
            self._last = (game, clock + (go.winc if white else go.binc), 1000 * seconds)

    def forget(self) -> None:
        """Another game begins; the machine stays as busy as it is."""
        self._last = None
