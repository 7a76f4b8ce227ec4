"""What lasts from command to command: the game, the time that is left, the settings and the search."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from foible.errors import ConfigError
from foible.games.go import Colour
from foible.interfaces.gtp.game import GtpGame
from foible.interfaces.gtp.move_choice import Thought
from foible.interfaces.gtp.protocol import Call, CommandError
from foible.interfaces.gtp.settings import Settings
from foible.interfaces.gtp.tree import Net, SearchTree
from foible.interfaces.standard_output import described

_PLIES: Final = 0.8
"""The assumed length of a game, in plies per point of the board, over which the time is spread."""
_RESERVE: Final = 1 / 8
"""The fewest moves that a player is always assumed to have left, per point of the board."""
DEFAULT_SIZE = 7
"""The size of the board until the controller sets another."""


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """Main time and the byo-yomi period after it, in seconds. With a period of 0 there is no byo-yomi."""

    main: float = 0.0
    period: float = 0.0
    stones: int = 0
    """The stones to play in each byo-yomi period; the number of periods is unlimited."""
    counts_periods: bool = False
    """Whether a clock in byo-yomi tells how many periods are left, in each of which one stone is played."""

    @property
    def endless(self) -> bool:
        """Whether there is no limit: neither time is set, or no stones need to be played in a period."""
        return not self.stones if self.period else not self.main


@dataclass(frozen=True, slots=True)
class _Left:
    """What one player has left."""

    seconds: float
    stones: int = 0
    """The stones to play in this byo-yomi period; 0 in main time."""


class ReportedClocks:
    """Both players' clocks, as the controller reports them; in between our own moves are subtracted."""

    def __init__(self, settings: TimeSettings | None = None) -> None:
        self.settings = settings or TimeSettings()
        self._left: dict[Colour, _Left] = {}
        self.restart()

    def restart(self) -> None:
        """Reset both clocks for a new game."""
        self._left = {} if self.settings.endless else {"black": self._full(), "white": self._full()}

    def tell(self, colour: Colour, seconds: float, stones: int) -> None:
        """Set a clock as the controller reports it; no time and no stones mean that main time is over."""
        over = not seconds and not stones and self.settings.period
        if self.settings.counts_periods:
            stones = min(stones, 1)
        self._left[colour] = self._byoyomi() if over else _Left(seconds, stones)

    def spend(self, colour: Colour, seconds: float) -> None:
        """Subtract the time of a move from a player's clock."""
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


class Session:
    """The game, the clocks, the settings and the search of an engine. Commands come one after the other."""

    def __init__(self, net: Net, settings: Settings, log: Callable[[str], None], waiting: Callable[[], bool]) -> None:
        """`log` takes a line for whoever watches; `waiting` says whether the controller has sent something new.

        :raises ConfigError: the settings ask for something that the net cannot do.
        """
        self.net, self.log, self.waiting = net, log, waiting
        self.settings = _possible(net, settings)
        self.game = GtpGame.new(net.size or DEFAULT_SIZE, settings.komi_on(net.size or DEFAULT_SIZE), settings.rules)
        self.clock = ReportedClocks()
        self.thought: Thought | None = None
        """The last search of ours that led to a move, and its move."""
        self.rng = random.Random(settings.seed)
        self.tree = SearchTree(net, self.rng)

    def begin(self, size: int) -> None:
        """A new game on an empty board; komi and rules stay.

        :raises CommandError: the net does not play on such a board.
        """
        if size != (self.net.size or size) or not 1 <= size <= 19:
            raise CommandError("unacceptable size")
        self.change_game(GtpGame.new(size, self.settings.komi_on(size), self.settings.rules))
        self.clock.restart()

    def change_game(self, game: GtpGame) -> None:
        """Replace the game otherwise than by a move: the search tree and the last thought are of no use any more."""
        self.game = game
        self.thought = None
        self.tree.forget()

    def set_komi(self, komi: float) -> None:
        """:raises CommandError: the komi is no multiple of ½, or the net knows only another komi."""
        own = self.settings.komi_on(self.game.position.size)
        if not self.net.judges_margins and komi != own:
            raise CommandError(f"the net knows no komi but {own:g}; start it with --komi for another")
        try:
            game = self.game.with_komi(komi)
        except ValueError as error:
            raise CommandError(described(error)) from None
        self.settings = replace(self.settings, komi=komi)
        if komi != self.game.komi:
            self.change_game(game)

    def change_settings(self, settings: Settings) -> None:
        """:raises ConfigError: they ask for something that the net cannot do."""
        self.settings = _possible(self.net, settings)


def _possible(net: Net, settings: Settings) -> Settings:
    """The settings, checked.

    :raises ConfigError: they ask for something that the net cannot do.
    """
    if not net.judges_margins and not settings.plain:
        raise ConfigError(f"{net.evaluator.name} knows no margins: lambda and mu must be 0")
    return settings


Action = Callable[[Session, Call], str]
"""Carries out a command; returns the text of the answer, or only its last line where it has begun the answer itself.

:raises FoibleError: the command fails; nothing has changed.
"""
