"""Where all players of a sweep stand: one Elo for each, and who is the stronger of each two."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from foible.arena.elo import superiority
from foible.arena.pairwise import Ratings, pairwise, ratings
from foible.arena.sweep.results import Result
from foible.errors import ConfigError

FEWEST = 3
"""Players of whom more can be said than how two of them did."""
DRAWS = 1.0
"""Games that are added as drawn between each two that met, so that who won or lost all games has a rating, too."""


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of three players or more."""

    ratings: Ratings
    superior: dict[tuple[str, str], float]
    """How likely the first is stronger than the second (LOS), 0 to 1, by the pairs of their own match."""

    @property
    def order(self) -> list[str]:
        """The strongest first."""
        elo = dict(zip(self.ratings.names, self.ratings.elo, strict=True))
        return sorted(elo, key=lambda name: -elo[name])

    def rows(self) -> Iterator[tuple[object, ...]]:
        """For each player place, name, Elo, and in percent how likely it is stronger than those of place 1, 2, …."""
        elo = {name: (e, s) for name, e, s in zip(*self._columns(), strict=True)}
        for place, name in enumerate(self.order, 1):
            beats = (self.superior.get((name, other)) for other in self.order)
            shown = (None if chance is None else f"{100 * chance:.1f}" for chance in beats)
            yield place, name, f"{elo[name][0]:+.0f} ± {elo[name][1]:.0f}", *shown

    def to_json(self) -> dict[str, Any]:
        """Plain values; Elo is 0 on average, errors are standard errors of the difference to that."""
        elo = {name: {"value": value, "error": error} for name, value, error in zip(*self._columns(), strict=True)}
        superior: dict[str, dict[str, float]] = {}
        for (name, other), chance in self.superior.items():
            superior.setdefault(name, {})[other] = chance
        return {"elo": elo, "superiority": superior}

    def _columns(self) -> tuple[tuple[str, ...], list[float], list[float]]:
        return self.ratings.names, self.ratings.elo.tolist(), self.ratings.errors.tolist()


def standings(results: Sequence[Result]) -> Standings | None:
    """From all results; `None` where fewer than three players played, or not all are linked by games."""
    played = [result for result in results if result.games]
    met = {result.cell.players: result for result in played}
    found = pairwise({two: ((result.tally.share or 0.0) * result.games, result.games) for two, result in met.items()})
    if len(found.names) < FEWEST:
        return None
    try:
        elo = ratings(found, DRAWS)
    except ConfigError:
        return None
    superior: dict[tuple[str, str], float] = {}
    for (first, second), result in met.items():
        chance = superiority(result.report.pairs) if result.report else None
        if chance is not None:
            superior |= {(first, second): chance, (second, first): 1 - chance}
    return Standings(elo, superior)
