"""What lasts from command to command."""

import random
from collections.abc import Callable
from dataclasses import replace

from foible.errors import ConfigError
from foible.interfaces.gtp.clock import Clock
from foible.interfaces.gtp.game import Game
from foible.interfaces.gtp.move_choice import Thought
from foible.interfaces.gtp.net import Net
from foible.interfaces.gtp.protocol import Call, CommandError, described
from foible.interfaces.gtp.settings import Settings
from foible.interfaces.gtp.tree import SearchTree

DEFAULT_SIZE = 7
"""Of the board until the controller says another."""


class Session:
    """The game, the clocks, the settings and the search of an engine. Commands come one after the other."""

    def __init__(self, net: Net, settings: Settings, log: Callable[[str], None], waiting: Callable[[], bool]) -> None:
        """`log` takes a line for whoever watches; `waiting` says whether the controller has sent something new.

        :raises ConfigError: the settings ask for what the net does not know.
        """
        self.net, self.log, self.waiting = net, log, waiting
        self.settings = _possible(net, settings)
        self.game = Game.new(net.size or DEFAULT_SIZE, settings.komi_on(net.size or DEFAULT_SIZE), settings.rules)
        self.clock = Clock()
        self.thought: Thought | None = None
        """The last one that led to a move."""
        self.rng = random.Random(settings.seed)
        self.tree = SearchTree(net, self.rng)

    def begin(self, size: int) -> None:
        """A new game on an empty board; komi and rules stay.

        :raises CommandError: the net does not play on such a board.
        """
        if size != (self.net.size or size) or not 1 <= size <= 19:
            raise CommandError("unacceptable size")
        self.change_game(Game.new(size, self.settings.komi_on(size), self.settings.rules))
        self.clock.restart()
        self.thought = None

    def change_game(self, game: Game) -> None:
        """The game goes on otherwise than by a move: what is in the tree is of no use."""
        self.game = game
        self.tree.forget()

    def set_komi(self, komi: float) -> None:
        """:raises CommandError: no multiple of ½, or the net knows but one komi."""
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
        """:raises ConfigError: they ask for what the net does not know."""
        self.settings = _possible(self.net, settings)


def _possible(net: Net, settings: Settings) -> Settings:
    """:raises ConfigError: the settings ask for what the net does not know."""
    if not net.judges_margins and not settings.plain:
        raise ConfigError(f"{net.evaluator.name} knows no margins: lambda and mu must be 0")
    return settings


Action = Callable[[Session, Call], str]
"""Carries a command out. What it returns is the text of the answer, or its last line where it has begun one.

:raises FoibleError: it fails; nothing has changed.
"""
