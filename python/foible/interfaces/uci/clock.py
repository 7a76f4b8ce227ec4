"""How long to think about a move."""

from typing import Final

from foible.interfaces.uci.protocol import Go

MOVES_TO_GO: Final = 30
"""Moves that the time left is spread over where the GUI does not say how many there are."""
_INCREMENT_SHARE: Final = 0.8
"""Share of the increment that is spent at once; the rest slowly fills the clock."""
_MOST: Final = 0.5
"""Share of the time left that one move may cost, unless the control is reached with it."""


def seconds_for(go: Go, *, white: bool, overhead: int) -> float | None:
    """Seconds to think about this move, `None` where no time limit is set.

    A fixed `movetime` is used up; of a clock each move gets its even share of the time left and most of the
    increment. `overhead` milliseconds are kept back for the way to the GUI and back. May be 0: then one evaluation
    must do.
    """
    limits = []
    if go.movetime is not None:
        limits.append(max(go.movetime - overhead, go.movetime / 2))
    time = go.wtime if white else go.btime
    if time is not None:
        increment = go.winc if white else go.binc
        left = max(0, time - overhead)
        moves = go.movestogo or MOVES_TO_GO
        share = left / moves + _INCREMENT_SHARE * increment
        limits.append(min(share, left * (_MOST if moves > 1 else 1)))
    return min(limits) / 1000 if limits else None
