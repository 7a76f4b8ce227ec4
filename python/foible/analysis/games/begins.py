"""How games began, and how those fared that began alike."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from foible.analysis.games.facts import GameFacts


@dataclass(frozen=True, slots=True)
class Beginning:
    """Games that began alike."""

    key: str
    """An ECO code, or first moves; empty where unknown."""
    name: str
    """Of the opening, empty where unknown; of several for one code, the one that most of the games bear."""
    games: int
    white: int
    """Games that White won."""
    draws: int
    black: int


def by_opening(games: Sequence[GameFacts]) -> list[Beginning]:
    """By ECO code, or by name where there is no code; the commonest first."""
    names: dict[str, Counter[str]] = {}
    for game in games:
        names.setdefault(game.opening.eco, Counter())[game.opening.name] += bool(game.opening.name)
    of_code = {eco: _commonest(counts) for eco, counts in names.items() if eco}
    return _beginnings(games, [(eco, of_code.get(eco, name)) for eco, name in (game.opening for game in games)])


def by_first_moves(games: Sequence[GameFacts]) -> list[Beginning]:
    """By the first two full moves, the commonest first."""
    return _beginnings(games, [(game.first_moves, "") for game in games])


def _beginnings(games: Sequence[GameFacts], keys: Sequence[tuple[str, str]]) -> list[Beginning]:
    """`keys`: `key` and `name` of each game's beginning."""
    results: dict[tuple[str, str], Counter[str]] = {}
    for game, key in zip(games, keys, strict=True):
        results.setdefault(key, Counter())[game.result] += 1
    found = [
        Beginning(*key, count.total(), count["1-0"], count["1/2-1/2"], count["0-1"]) for key, count in results.items()
    ]
    return sorted(found, key=lambda one: (-one.games, one.key, one.name))


def _commonest(names: Counter[str]) -> str:
    return max(sorted(names), key=names.__getitem__)
