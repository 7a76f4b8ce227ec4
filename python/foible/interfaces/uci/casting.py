"""Which personality plays a game, and what becomes of the settings with it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.interfaces.uci.opponent import Opponent, parse_opponent
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.personalities import dressed
from foible.interfaces.uci.personality import AUTO, NONE, Personality, SoloSpec
from foible.interfaces.uci.protocol import described
from foible.interfaces.uci.start import Start, start_of


@dataclass(frozen=True, slots=True)
class Role:
    """How a game is played."""

    name: str
    """The personality's; `none` for the search as its options say."""
    reason: str
    """Why this one."""
    settings: Settings
    """Those of the GUI with the personality's put over them."""
    player: SoloSpec | None = None
    """Who plays in place of the search."""


def cast(personalities: Sequence[Personality], settings: Settings, position: ChessPosition) -> Role:
    """The role of the side to move: us. A personality that cannot play this opponent leaves the settings alone."""
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
    """The personality of the name that is wanted; for `auto` the first that fits."""
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
