"""What the clocks of a game show when a turn begins, and how much of its time a move is worth."""

from dataclasses import dataclass
from typing import Final

LOST_ON_TIME: Final = "lost on time"
"""Why a decision is a forfeit whose player's time was over."""

MOVES_TO_GO: Final = 30
"""Moves that the time left is spread over where nobody says how many there are."""
_INCREMENT_SHARE: Final = 0.8
"""Share of the increment that is spent at once; the rest slowly fills the clock."""
_MOST: Final = 0.5
"""Share of the time left that one move may cost, unless the control is reached with it."""
_LAG: Final = 0.05
"""Seconds that are kept back: an evaluation under way is waited for."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Both sides' clocks, in seconds."""

    left: float
    """Time of the side to move, more than 0."""
    theirs: float
    increment: float = 0.0
    """What each side is given for every move, after it."""
    moves_to_go: int | None = None
    """Moves until the side to move is given more time; `None` where the time left is for all the rest of the game."""

    @property
    def seconds(self) -> float:
        """To think about this move, for a player without a better idea."""
        return time_for_move(max(0.0, self.left - _LAG), self.increment, self.moves_to_go)


def time_for_move(left: float, increment: float, moves_to_go: int | None) -> float:
    """An even share of the time left and most of the increment, in their unit.

    :param moves_to_go: until there is more time; `None` where nobody says.
    """
    moves = moves_to_go or MOVES_TO_GO
    return min(left / moves + _INCREMENT_SHARE * increment, left * (_MOST if moves > 1 else 1))
