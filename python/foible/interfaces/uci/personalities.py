"""Personalities: ways to play, each with the games that it is for; reading files of them, with every option checked at
once; and choosing the personality that plays a game.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from foible._core import ChessPosition
from foible.agents.player_builder import match_settings
from foible.agents.spec import ExploitSpec, ModelPlayerSpec, NetPolicySpec, NetSearchSpec, RandomSpec, UciSpec
from foible.errors import ConfigError, PositionError
from foible.fields import NonEmpty
from foible.games.odds import find_odds
from foible.interfaces.standard_output import described
from foible.interfaces.uci.game import Start, start_of
from foible.interfaces.uci.options import AUTO, NONE, Settings, change
from foible.interfaces.uci.protocol import Opponent, parse_opponent
from foible.interfaces.uci.strength import ratings
from foible.toml import convert, read_text, read_toml

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
        return _names_opponent([self.options, self.player])

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


def _names_opponent(value: Any) -> bool:
    """Whether `OPPONENT` stands in a value."""
    return bool(_filled(value, {OPPONENT: 0}) != value)


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


OF_THE_GAME: Final = ("personality", "uci_opponent", "opponentelo", "uci_chess960")
"""Options by which a personality is chosen: if it set them itself, that would have no effect."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    personality: NonEmpty[Personality]


def read_personalities(path: Path) -> list[Personality]:
    """The personalities in a TOML file.

    :raises ConfigError: the file cannot be read or an entry is wrong; says which and what would be right.
    """
    return parse_personalities(read_text(path), str(path))


def built_in() -> list[Personality]:
    """The personalities that come with foible."""
    folder = files("foible.interfaces.uci")
    return parse_personalities((folder / "personalities.toml").read_text("utf-8"), "personalities.toml")


def parse_personalities(text: str, source: str) -> list[Personality]:
    """The personalities in a TOML text, which errors call `source`; otherwise as `read_personalities`."""
    found: list[Personality] = convert(read_toml(text, source), _File, source).personality
    names = [personality.name for personality in found]
    for personality in found:
        where = f"{source}: personality {personality.name}"
        if personality.name in (AUTO, NONE) or names.count(personality.name) > 1:
            raise ConfigError(f"{where}: expected another name for each, and neither {AUTO} nor {NONE}")
        if personality.rating and personality.rating[0] > personality.rating[1]:
            raise ConfigError(f"{where}: rating = {list(personality.rating)}: expected the lower end first")
        try:
            _check(personality)
        except (ConfigError, PositionError) as error:
            raise ConfigError(f"{where}: {error}") from None
    return found


def _check(personality: Personality) -> None:
    for name in listed(personality.odds):
        if name != "any":
            find_odds(name)
    for start in listed(personality.start):
        if start not in ("standard", "chess960"):
            ChessPosition(start, chess960=True)
    for name in personality.options:
        if name.lower() in OF_THE_GAME:
            raise ConfigError(f"option {name} describes the game: expected options that say how it is played")
    with_options(Settings(threads=1), personality, rating=1500)
    spec = personality.spec(rating=1500, net="material")
    if isinstance(spec, NetSearchSpec):
        match_settings(spec.preset, spec.search)


def with_options(settings: Settings, personality: Personality, *, rating: int) -> Settings:
    """The settings, with the options of a personality taking precedence. `rating`: the opponent's.

    :raises ConfigError: the personality sets an unknown option, or gives an option a value that it cannot have.
    """
    for name, value in personality.options.items():
        text = str(value).lower() if isinstance(value, bool) else str(value).replace(OPPONENT, str(_imitable(rating)))
        settings = change(settings, name, text)
    return settings


def _imitable(rating: int) -> int:
    """The rating that is nearest among those of human-like nets on this machine."""
    lowest, highest = ratings()
    return min(max(rating, lowest), highest)


@dataclass(frozen=True, slots=True)
class ChosenPersonality:
    """How a game is played, and why so."""

    name: str
    """The personality's name; `none` where the search plays as the GUI's options say."""
    reason: str
    """Why this personality was chosen."""
    settings: Settings
    """The GUI's settings, with the personality's options taking precedence."""
    player: SoloSpec | None = None
    """The player that chooses the moves in place of the engine's own search."""


def choose_personality(
    personalities: Sequence[Personality], settings: Settings, position: ChessPosition
) -> ChosenPersonality:
    """How we, the side to move, play. Where the personality cannot play this opponent, the GUI's settings stay."""
    opponent = parse_opponent(settings.opponent)
    opponent = replace(opponent, rating=settings.opponent_elo or opponent.rating)
    start = start_of(position)
    gives = start.giver == ("white" if position.turn == "first" else "black")
    found = _find(personalities, settings.personality, start, opponent, gives=gives)
    if found is None:
        asked = settings.personality != AUTO
        return ChosenPersonality(NONE, "option Personality" if asked else "no personality is for this game", settings)
    rating = opponent.rating or settings.elo
    reason = _reason(found, start, opponent) if settings.personality == AUTO else "option Personality"
    if opponent.rating is None and found.asks_rating:
        reason += f", the opponent's rating is not known: UCI_Elo {rating} stands for it"
    if _names_opponent(found.options) and (level := _imitable(rating)) != rating:
        reason += f", nets play as people rated {level} at {'most' if level < rating else 'least'}"
    try:
        changed = with_options(settings, found, rating=rating)
        return ChosenPersonality(found.name, reason, changed, found.spec(rating=rating, net=changed.net))
    except ConfigError as error:
        return ChosenPersonality(found.name, f"the engine's own search plays: {described(error)}", settings)


def _find(
    personalities: Sequence[Personality], wanted: str, start: Start, opponent: Opponent, *, gives: bool
) -> Personality | None:
    """The personality with the wanted name; for `auto`, the first that fits the game."""
    if wanted != AUTO:
        return next((personality for personality in personalities if personality.name == wanted), None)
    fitting = (personality for personality in personalities if personality.auto)
    return next((personality for personality in fitting if personality.fits(start, opponent, gives=gives)), None)


def _reason(personality: Personality, start: Start, opponent: Opponent) -> str:
    reasons = []
    if personality.odds or personality.start:
        reasons.append(str(start))
    if personality.rating or personality.opponent:
        sort = [f"a {personality.opponent}"] if personality.opponent else []
        rated = [f"rated {opponent.rating}"] if personality.rating else []
        reasons.append(" ".join(["the opponent is", *sort, *rated]))
    return ", ".join(reasons) or "for any game"
