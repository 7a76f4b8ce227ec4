"""The clocks of a match: time for so many moves or for a whole game, with what is added for every move."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from foible.agents.base import LOST_ON_TIME, Agent, Clock, Decision, Player, Turn, decision_of, thinks_by
from foible.errors import ConfigError

_NUMBER: Final = r"\d{1,6}(?:\.\d{1,6})?"
_CONTROL: Final = re.compile(rf"(?:(\d{{1,3}})/)?(?:(\d{{1,4}}):)?({_NUMBER})(?:\+({_NUMBER}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time the players have."""

    seconds: float
    """Seconds at the beginning of the game, and again after every `moves` moves."""
    increment: float = 0.0
    """Seconds that a side is given for every move, after it."""
    moves: int | None = None
    """`None`: `seconds` are for the whole game."""

    @classmethod
    def read(cls, text: str) -> "TimeControl":
        """`MOVES/SECONDS+INCREMENT`, of which the seconds alone must be there, and may have minutes before them.

        >>> TimeControl.read("40/1:30+0.5")
        TimeControl(seconds=90.0, increment=0.5, moves=40)

        :raises ConfigError: it is not such a text, or there is no time.
        """
        match = _CONTROL.fullmatch(text.replace(" ", ""))
        if match is None:
            raise ConfigError(f"clock = {text!r}: expected seconds, as in 60+0.6, 5:00, 40/60+0.6")
        moves, minutes, seconds, increment = match.groups()
        control = cls(60 * int(minutes or 0) + float(seconds), float(increment or 0), int(moves) if moves else None)
        if control.seconds <= 0 or control.moves == 0:
            raise ConfigError(f"clock = {text!r}: there must be some time, for 1 move at least")
        return control

    def __str__(self) -> str:
        """As the PGN tag `TimeControl` has it: `40/90+0.5`."""
        moves = "" if self.moves is None else f"{self.moves}/"
        seconds, increment = (f"{number:.6f}".rstrip("0").rstrip(".") for number in (self.seconds, self.increment))
        return f"{moves}{seconds}" + (f"+{increment}" if self.increment else "")


@dataclass(slots=True)
class _Side:
    left: float
    moves: int = 0
    """The number of moves made so far."""


@dataclass(slots=True)
class Clocks:
    """The clocks of all games of a match."""

    control: TimeControl
    margin: float = 0.0
    """Seconds that a move may take more than there are, as lag."""
    now: Callable[[], float] = time.monotonic
    """Seconds by any clock."""
    _games: dict[int, tuple[_Side, _Side]] = field(default_factory=dict)
    """By the number of a game, the clocks of White and Black."""

    def show(self, game: int, *, white: bool) -> Clock:
        """What a player sees when its turn begins."""
        own, other = self._sides(game, white=white)
        control = self.control
        moves = None if control.moves is None else control.moves - own.moves % control.moves
        return Clock(max(own.left, 1e-3), max(other.left, 1e-3), control.increment, moves)

    def press(self, game: int, seconds: float, *, white: bool) -> float | None:
        """Stop a side's clock after a move that took so long: the seconds left, or `None` where its time has
        run out.
        """
        own, _ = self._sides(game, white=white)
        if seconds > own.left + self.margin:
            return None
        own.left = max(0.0, own.left - seconds) + self.control.increment
        own.moves += 1
        if self.control.moves and own.moves % self.control.moves == 0:
            own.left += self.control.seconds
        return own.left

    def forget(self, game: int) -> None:
        """Drop the clocks of a game that is over."""
        self._games.pop(game, None)

    def _sides(self, game: int, *, white: bool) -> tuple[_Side, _Side]:
        """The clock of the player, and that of its opponent."""
        first, second = self._games.setdefault(game, (_Side(self.control.seconds), _Side(self.control.seconds)))
        return (first, second) if white else (second, first)


class Timed(Player):
    """A player put on the clock: its moves use up time, and it forfeits a game in which its time runs out.

    `info` of a decision has `clock`, the seconds left after the move. Closing this closes the player.
    """

    def __init__(self, player: Agent, clocks: Clocks) -> None:
        """
        :param clocks: those of the match, which its other team shares.
        :raises ConfigError: the player keeps to no time.
        """
        self.name, self.obeys = player.name, player.obeys
        if not {"clock", "seconds"} & player.obeys:
            how = thinks_by(player) or "what its judge is told"
            raise ConfigError(f"clock: {player.name} cannot keep to one: it thinks by {how}")
        self._player, self._clocks = player, clocks

    async def choose(self, turn: Turn) -> Decision:
        clocks, white = self._clocks, turn.position.turn == "first"
        shown = clocks.show(turn.game, white=white)
        by_clock = "clock" in self.obeys
        limits = replace(turn.limits, clock=shown) if by_clock else replace(turn.limits, seconds=shown.seconds)
        began = clocks.now()
        decision = await decision_of(self._player, replace(turn, limits=limits))
        info = dict(decision.info)
        took = info.pop("thought", clocks.now() - began)
        if decision.ends_game:
            return replace(decision, info=info)
        left = clocks.press(turn.game, took, white=white)
        if left is None:
            return Decision("", info={"forfeit": LOST_ON_TIME})
        return replace(decision, info={**info, "clock": left})

    def forget(self, game: int) -> None:
        self._clocks.forget(game)
        self._player.forget(game)

    def close(self) -> None:
        self._player.close()
