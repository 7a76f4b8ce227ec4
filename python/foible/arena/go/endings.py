"""Games that were not counted on the board: who gave them up, and why."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from foible.arena.go.record import GoRecord


@dataclass(frozen=True, slots=True)
class Forfeits:
    """The games that one player forfeited."""

    games: int
    reason: str
    """The reason of the first of them."""


def forfeits(games: Iterable[GoRecord]) -> dict[str, Forfeits]:
    """By player; of those alone who forfeited a game."""
    reasons: dict[str, list[str]] = {}
    for game in games:
        if game.loser is not None and game.forfeit is not None:
            reasons.setdefault(game.loser, []).append(game.forfeit)
    return {name: Forfeits(len(found), found[0]) for name, found in reasons.items()}


def resignations(games: Iterable[GoRecord]) -> dict[str, int]:
    """By player how many games they resigned; of those alone who resigned one."""
    return dict(Counter(game.loser for game in games if game.loser is not None and game.resigned))


def remarks(games: Sequence[GoRecord]) -> Iterator[str]:
    """What a reader of margins and win shares has to know of such games: a line for each player and kind of ending."""
    played = Counter(name for game in games for name in (game.focal, game.opponent))
    for name, found in forfeits(games).items():
        yield f"{name} forfeited {found.games} of {played[name]} games; first reason: {found.reason}"
    for name, count in resignations(games).items():
        yield f"{name} resigned {count} of {played[name]} games, which have no margin"
