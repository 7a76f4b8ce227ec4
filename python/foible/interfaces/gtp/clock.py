"""The time that is left, and how long to think about a move."""

from dataclasses import dataclass
from typing import Final

from foible.games.go import Colour

_PLIES: Final = 0.8
"""Of a game, for each point of the board: what the time is spread over."""
_RESERVE: Final = 1 / 8
"""Moves of ours for each point of the board that are always reckoned with."""


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """Main time and what follows it, in seconds. Without a period nothing does."""

    main: float = 0.0
    period: float = 0.0
    stones: int = 0
    """To be played in each period, of which there is no end."""

    @property
    def endless(self) -> bool:
        """Without a limit: no time at all, or a period in which nothing needs to be played."""
        return not self.stones if self.period else not self.main


@dataclass(frozen=True, slots=True)
class _Left:
    """What one player has left."""

    seconds: float
    stones: int = 0
    """To be played in this period; 0 in main time."""


class Clock:
    """Both players' clocks. Controllers tell them, or they run by our own thinking."""

    def __init__(self, settings: TimeSettings | None = None) -> None:
        self.settings = settings or TimeSettings()
        self._left: dict[Colour, _Left] = {}
        self.restart()

    def restart(self) -> None:
        """A new game begins."""
        self._left = {} if self.settings.endless else {"black": self._full(), "white": self._full()}

    def tell(self, colour: Colour, seconds: float, stones: int) -> None:
        """What the controller says; no time and no stones are the end of main time."""
        over = not seconds and not stones and self.settings.period
        self._left[colour] = self._byoyomi() if over else _Left(seconds, stones)

    def spend(self, colour: Colour, seconds: float) -> None:
        """A move was made after so long."""
        left = self._left.get(colour)
        if left is None:
            return
        rest = left.seconds - seconds
        if not left.stones:
            self._left[colour] = self._byoyomi() if rest <= 0 and self.settings.period else _Left(max(0.0, rest))
        else:
            done = left.stones == 1
            self._left[colour] = self._byoyomi() if done else _Left(max(0.0, rest), left.stones - 1)

    def seconds_for(self, colour: Colour, *, plies: int, points: int, lag: float) -> float | None:
        """Seconds to think about this move, `None` without a limit.

        Main time is spread over the moves that a game on a board with so many points still has, and what each move gets
        in byo-yomi comes on top. `lag` seconds are kept back for the way to the controller and back.
        """
        left = self._left.get(colour)
        if left is None:
            return None
        share = self._share(left, plies, points)
        return max(share - lag, share / 2)

    def _share(self, left: _Left, plies: int, points: int) -> float:
        settings = self.settings
        if left.stones:
            return left.seconds / left.stones
        moves = max(1.0, _RESERVE * points, (_PLIES * points - plies) / 2)
        return left.seconds / moves + (settings.period / settings.stones if settings.stones else 0.0)

    def _full(self) -> _Left:
        return _Left(self.settings.main) if self.settings.main else self._byoyomi()

    def _byoyomi(self) -> _Left:
        return _Left(self.settings.period, self.settings.stones)
