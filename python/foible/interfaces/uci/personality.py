"""Personalities: ways to play, each with the games that it is for."""

from functools import reduce
from typing import Annotated, Any, Final, Literal

import msgspec

from foible.agents.spec import ExploitSpec, ModelPlayerSpec, NetPolicySpec, NetSearchSpec, RandomSpec, UciSpec
from foible.interfaces.uci.game import Start
from foible.interfaces.uci.protocol import Opponent
from foible.toml import convert

OPPONENT: Final = "{opponent}"
"""Stands for the opponent's rating, or where that is unknown for the value of the option `UCI_Elo`; also inside a text,
such as the name of a net: `maia3-5m:{opponent}-1900`.
"""
NET: Final = "{net}"
"""Stands for the value of the option `Net`."""

SoloSpec = ExploitSpec | NetPolicySpec | NetSearchSpec | UciSpec | ModelPlayerSpec | RandomSpec
"""Players that can play a game alone."""

Rating = Annotated[int, msgspec.Meta(ge=0, le=9999)]


class Personality(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of a file of personalities: when it is taken, and how it plays. An absent condition fits any game."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]*\Z")]
    odds: str | list[str] = []
    """Names of the odds that we give in the game, or `any`."""
    start: str | list[str] = []
    """`standard`, `chess960`, or FENs, of which only the placement of the pieces is compared."""
    rating: tuple[Rating, Rating] | None = None
    """The range of the opponent's rating, both ends included. An unknown rating does not fit."""
    opponent: Literal["human", "computer"] | None = None
    auto: bool = True
    """Whether it may be taken automatically; if not, only the option `Personality` can choose it, by name."""
    options: dict[str, str | int | float | bool] = {}
    """Options of the engine, which replace what the GUI has set."""
    player: dict[str, Any] | None = None
    """The player that replaces the engine's own search, described as in the configuration of a match."""

    def fits(self, start: Start, opponent: Opponent, *, gives: bool) -> bool:
        """Whether the personality is for a game. `gives`: whether we give the odds."""
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
        """Whether the way it plays depends on the opponent's rating."""
        said = [self.options, self.player]
        return bool(_filled(said, {OPPONENT: 0}) != said)

    def spec(self, *, rating: int, net: str) -> SoloSpec | None:
        """The player, with `OPPONENT` and `NET` replaced by their values; `None` for the engine's own search.

        :raises ConfigError: the table does not describe a player.
        """
        if self.player is None:
            return None
        spec: SoloSpec = convert(_filled(self.player, {OPPONENT: rating, NET: net}), SoloSpec, "player")
        return spec


def listed(value: str | list[str]) -> list[str]:
    """One text or a list of texts, as a list."""
    return [value] if isinstance(value, str) else value


def runs_engines(spec: SoloSpec) -> bool:
    """Whether the player, its judge or its opponent model runs another program, such as a UCI engine."""
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
