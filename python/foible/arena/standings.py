"""The standings of all players of a tournament: one Elo for each, who is the stronger of each two, and whether they
beat each other in cycles.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from foible.arena.elo import superiority
from foible.arena.pairwise import EloRatings, Floats, Pairwise, Transitivity, pairwise_of, ratings, transitivity
from foible.arena.stats import Tally
from foible.errors import ConfigError
from foible.wording import signed

FEWEST: Final = 3
"""The number of players from which on standings tell more than the results of their matches."""
DRAWS: Final = 1.0
"""The number of drawn games that are added between each two players who met, so that those who won or lost all games
have a rating, too.
"""
WIDEST: Final = 10
"""The number of players up to which a table has a column for each of them."""
SHRINK: Final = 10
"""The number of pairs that count as much as all results together, in how much those of two players vary."""
HEADING: Final = "All players: Elo ± its standard error, as if one more game of each two had been drawn"


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of three players or more."""

    names: tuple[str, ...]
    """The strongest first; in the order of their matches where there are no ratings."""
    scores: Mapping[str, tuple[float, int]]
    """The points and the games of each player."""
    ratings: EloRatings | None
    """Elo, 0 on average; `None` where not all players are linked by games."""
    superior: Mapping[tuple[str, str], float]
    """The likelihood that the first is stronger than the second (LOS), 0 to 1, by the pairs of games between the two.
    """
    transitivity: Transitivity

    @property
    def heading(self) -> str:
        """What the table of `rows` shows."""
        return HEADING + (", and how likely they are stronger than the others (LOS, %)" if self._opponents else "")

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `rows`."""
        return ("place", "player", "Elo", "points", *(str(place) for place, _ in enumerate(self._opponents, 1)))

    def rows(self) -> Iterator[tuple[object, ...]]:
        """For each player place, name, Elo, points of its games, such as `12.5/20`, and with few players how likely, in
        percent, it is stronger than those of place 1, 2, ….
        """
        elo = self._elo()
        for place, name in enumerate(self.names, 1):
            beats = (self.superior.get((name, other)) for other in self._opponents)
            shown = (None if chance is None else f"{100 * chance:.1f}" for chance in beats)
            value, error = elo.get(name, (None, None))
            strength = None if value is None else f"{signed(value, 0)} ± {error:.0f}"
            points, games = self.scores[name]
            yield place, name, strength, f"{points:g}/{games}", *shown

    def lines(self, most: int = 10) -> Iterator[str]:
        """A summary of the cycles among the players, and the first `most` of them."""
        found = self.transitivity
        yield found.summary
        yield from map(str, found.cycles[:most])
        if len(found.cycles) > most:
            yield f"and {len(found.cycles) - most} more"

    def to_json(self) -> dict[str, Any]:
        """Plain values; Elo is 0 on average, errors are standard errors of the difference to that."""
        elo = {name: {"value": value, "standard_error": error} for name, (value, error) in self._elo().items()}
        superior: dict[str, dict[str, float]] = {}
        for (name, other), chance in self.superior.items():
            superior.setdefault(name, {})[other] = chance
        scores = {name: {"points": points, "games": games} for name, (points, games) in self.scores.items()}
        return {
            "elo": elo or None,
            "scores": scores,
            "superiority": superior,
            "transitivity": self.transitivity.to_json(),
        }

    @property
    def _opponents(self) -> tuple[str, ...]:
        """The players that have a column of their own."""
        return self.names if len(self.names) <= WIDEST else ()

    def _elo(self) -> dict[str, tuple[float, float]]:
        """Elo and its standard error by player."""
        if self.ratings is None:
            return {}
        found = zip(self.ratings.elo.tolist(), self.ratings.standard_errors.tolist(), strict=True)
        return dict(zip(self.ratings.names, found, strict=True))


def standings_of(met: Mapping[tuple[str, str], tuple[Tally, Tally]]) -> Standings | None:
    """The standings from all results of a tournament; `None` where fewer than three players played.

    `met`: by (first, second) player the points of the first one, game by game and pair by pair.
    """
    played = {two: (games, pairs) for two, (games, pairs) in met.items() if games.n}
    points = {two: (games.points, games.n) for two, (games, _) in played.items()}
    found = pairwise_of(points)
    found = replace(found, tosses=_tosses(found, played))
    if len(found.names) < FEWEST:
        return None
    try:
        elo = ratings(found, DRAWS)
        names = tuple(found.names[i] for i in (-elo.elo).argsort(kind="stable"))
    except ConfigError:
        elo, names = None, found.names
    superior: dict[tuple[str, str], float] = {}
    for (first, second), (_, pairs) in played.items():
        chance = superiority(pairs)
        if chance is not None:
            superior |= {(first, second): chance, (second, first): 1 - chance}
    return Standings(names, _scores(points), elo, superior, transitivity(found))


def _scores(points: Mapping[tuple[str, str], tuple[float, int]]) -> dict[str, tuple[float, int]]:
    """The points and the games of each player, from those of the first player of each two."""
    found: dict[str, tuple[float, int]] = {}
    for (first, second), (scored, games) in points.items():
        for name, more in ((first, scored), (second, games - scored)):
            had, before = found.get(name, (0.0, 0))
            found[name] = had + more, before + games
    return found


def _tosses(found: Pairwise, played: Mapping[tuple[str, str], tuple[Tally, Tally]]) -> Floats:
    """`Pairwise.tosses` of each two players, by their pairs of games: the variance of a toss over that of a game.

    Few pairs tell little of how much results vary: both variances of two players are means with those of all results,
    which count as `SHRINK` pairs.
    """
    each = {}
    for two, (_, pairs) in played.items():
        if pairs.share is not None and pairs.variance is not None:
            each[two] = pairs.n, pairs.share * (1 - pairs.share), pairs.games_each * pairs.variance
    total = sum(n for n, _, _ in each.values())
    toss = sum(n * variance for n, variance, _ in each.values())
    game = sum(n * variance for n, _, variance in each.values())
    tosses = np.ones_like(found.points)
    if not toss or not game:
        return tosses
    index = {name: i for i, name in enumerate(found.names)}
    for (first, second), (n, of_toss, of_game) in each.items():
        shrunk = (n * of_toss + SHRINK * toss / total) / (n * of_game + SHRINK * game / total)
        i, j = index[first], index[second]
        tosses[i, j] = tosses[j, i] = shrunk
    return tosses
