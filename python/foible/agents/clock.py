"""The clocks of a game at the beginning of a turn, and the share of the remaining time that one move should take."""

from dataclasses import dataclass
from typing import Final

LOST_ON_TIME: Final = "lost on time"
"""The reason that a decision gives where the player forfeits because its time ran out."""

MOVES_TO_GO: Final = 30
"""The number of moves over which the time left is spread where the number of moves to the time control is unknown."""
_INCREMENT_SHARE: Final = 0.8
"""Share of the increment that is spent at once; the rest slowly fills the clock."""
_MOST: Final = 0.5
"""The largest share of the time left that one move may take, except the last move before the time control."""
_LAG: Final = 0.05
"""Seconds that are kept in reserve, because a search that is to end still waits for the evaluation under way."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Both sides' clocks, in seconds."""

    left: float
    """The time left of the side to move, more than 0."""
    theirs: float
    increment: float = 0.0
    """The time that each side is given after each of its moves."""
    moves_to_go: int | None = None
    """Moves until the side to move is given more time; `None` where the time left is for all the rest of the game."""

    @property
    def seconds(self) -> float:
        """Seconds to think about this move, for a player that has no time management of its own."""
        return time_for_move(max(0.0, self.left - _LAG), self.increment, self.moves_to_go)


def time_for_move(left: float, increment: float, moves_to_go: int | None) -> float:
    """The time to spend on a move: an even share of the time left and most of the increment, in the unit of both.

    :param moves_to_go: moves until the next time control; `None` where that is unknown.
    """
    moves = moves_to_go or MOVES_TO_GO
    return min(left / moves + _INCREMENT_SHARE * increment, left * (_MOST if moves > 1 else 1))
