"""Reading files of personalities, with every option checked at once, and choosing the personality that plays a game."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec

from foible._core import ChessPosition
from foible.agents.spec import NetSearchSpec
from foible.agents.workshop import match_settings
from foible.errors import ConfigError, PositionError
from foible.fields import NonEmpty
from foible.games.odds import find_odds
from foible.interfaces.uci.game import Start, start_of
from foible.interfaces.uci.options import AUTO, NONE, Settings, change
from foible.interfaces.uci.personality import OPPONENT, Personality, SoloSpec, listed
from foible.interfaces.uci.protocol import Opponent, described, parse_opponent
from foible.interfaces.uci.strength import ratings
from foible.toml import convert, read_text, read_toml

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
    dressed(Settings(threads=1), personality, rating=1500)
    spec = personality.spec(rating=1500, net="material")
    if isinstance(spec, NetSearchSpec):
        match_settings(spec.preset, spec.search)


def dressed(settings: Settings, personality: Personality, *, rating: int) -> Settings:
    """The settings, with the options of a personality taking precedence. `rating`: the opponent's.

    :raises ConfigError: the personality sets an unknown option, or gives an option a value that it cannot have.
    """
    lowest, highest = ratings()
    level = min(max(rating, lowest), highest)
    for name, value in personality.options.items():
        text = str(value).lower() if isinstance(value, bool) else str(value).replace(OPPONENT, str(level))
        settings = change(settings, name, text)
    return settings


@dataclass(frozen=True, slots=True)
class Role:
    """How a game is played."""

    name: str
    """The personality's name; `none` where the search plays as the GUI's options say."""
    reason: str
    """Why this personality was chosen."""
    settings: Settings
    """The GUI's settings, with the personality's options taking precedence."""
    player: SoloSpec | None = None
    """The player that chooses the moves in place of the engine's own search."""


def cast(personalities: Sequence[Personality], settings: Settings, position: ChessPosition) -> Role:
    """How we, the side to move, play. Where the personality cannot play this opponent, the GUI's settings stay."""
    opponent = parse_opponent(settings.opponent)
    opponent = replace(opponent, rating=settings.opponent_elo or opponent.rating)
    start = start_of(position)
    gives = start.giver == ("white" if position.turn == "first" else "black")
    found = _find(personalities, settings.personality, start, opponent, gives=gives)
    if found is None:
        asked = settings.personality != AUTO
        return Role(NONE, "option Personality" if asked else "no personality is for this game", settings)
    rating = opponent.rating or settings.elo
    reason = _reason(found, start, opponent) if settings.personality == AUTO else "option Personality"
    if opponent.rating is None and found.asks_rating:
        reason += f", the opponent's rating is not known: UCI_Elo {rating} stands for it"
    try:
        worn = dressed(settings, found, rating=rating)
        return Role(found.name, reason, worn, found.spec(rating=rating, net=worn.net))
    except ConfigError as error:
        return Role(found.name, f"the engine's own search plays: {described(error)}", settings)


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
