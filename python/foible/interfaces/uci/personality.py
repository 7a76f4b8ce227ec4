"""Personalities: ways to play, each with the games that it is for."""

from functools import reduce
from typing import Annotated, Any, Final, Literal

import msgspec

from foible.agents.spec import ExploitSpec, ModelPlayerSpec, NetPolicySpec, NetSearchSpec, RandomSpec, UciSpec
from foible.interfaces.uci.game import Start
from foible.interfaces.uci.protocol import Opponent
from foible.toml import convert

OPPONENT: Final = "{opponent}"
"""Stands for the opponent's rating, where that is not known for the option `UCI_Elo`; also inside a text, such as the
name of a net: `maia3-5m:{opponent}-1900`.
"""
NET: Final = "{net}"
"""Stands for the option `Net`."""

SoloSpec = ExploitSpec | NetPolicySpec | NetSearchSpec | UciSpec | ModelPlayerSpec | RandomSpec
"""Players that can play a game alone."""

Rating = Annotated[int, msgspec.Meta(ge=0, le=9999)]


class Personality(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of a file of personalities: when it is taken, and how it plays. What is absent fits any game."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]*\Z")]
    odds: str | list[str] = []
    """Names of odds that we give, or `any`."""
    start: str | list[str] = []
    """`standard`, `chess960`, or FENs, of which the pieces are compared."""
    rating: tuple[Rating, Rating] | None = None
    """The opponent's, both ends included. One that is not known does not fit."""
    opponent: Literal["human", "computer"] | None = None
    auto: bool = True
    """Whether it is taken unasked; one that is not can be chosen by the option `Personality`."""
    options: dict[str, str | int | float | bool] = {}
    """Options of the engine, which replace what the GUI has set."""
    player: dict[str, Any] | None = None
    """Who plays in place of the engine's own search: a table as in a match."""

    def fits(self, start: Start, opponent: Opponent, *, gives: bool) -> bool:
        """Whether a game is one of those that it is for. `gives`: we are the giver of the odds."""
        odds, starts = listed(self.odds), listed(self.start)
        if odds and not (gives and ("any" in odds or start.odds in odds)):
            return False
        if starts and start.kind not in starts and start.placement not in {text.split()[0] for text in starts}:
            return False
        if self.rating and not (opponent.rating is not None and self.rating[0] <= opponent.rating <= self.rating[1]):
            return False
        return self.opponent is None or opponent.human is (self.opponent == "human")

    @property
    def asks_rating(self) -> bool:
        """Whether the opponent's rating decides how it plays."""
        said = [self.options, self.player]
        return bool(_filled(said, {OPPONENT: 0}) != said)

    def spec(self, *, rating: int, net: str) -> SoloSpec | None:
        """The player, with the words that stand for something replaced.

        :raises ConfigError: the table does not describe a player.
        """
        if self.player is None:
            return None
        spec: SoloSpec = convert(_filled(self.player, {OPPONENT: rating, NET: net}), SoloSpec, "player")
        return spec


def listed(value: str | list[str]) -> list[str]:
    """One or several, as several."""
    return [value] if isinstance(value, str) else value


def runs_engines(spec: SoloSpec) -> bool:
    """Whether other programs think for the player, its judge or its model."""
    return _mentions(msgspec.to_builtins(spec), "command")


def _mentions(value: Any, word: str) -> bool:
    match value:
        case dict():
            return word in value or any(_mentions(inner, word) for inner in value.values())
        case list():
            return any(_mentions(inner, word) for inner in value)
        case _:
            return bool(value == word)


def _filled(value: Any, words: dict[str, Any]) -> Any:
    match value:
        case str() if value in words:
            return words[value]
        case str():
            return reduce(lambda text, word: text.replace(word, str(words[word])), words, value)
        case dict():
            return {key: _filled(inner, words) for key, inner in value.items()}
        case list():
            return [_filled(inner, words) for inner in value]
        case _:
            return value
