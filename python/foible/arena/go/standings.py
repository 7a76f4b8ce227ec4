"""Where all players of a run stand: Elo, and how far to trust it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from foible.arena.go.cells import Cell
from foible.arena.go.nontransitive import Transitivity, transitivity
from foible.arena.pairwise import Ratings, pairwise, ratings
from foible.errors import ConfigError

FEWEST = 3
"""Players of whom more can be said than how two of them did."""
DRAWS = 1.0
"""Games that are added as drawn between each two that met, so that who won or lost all games has a rating, too."""
COLUMNS = ("player", "Elo")


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of three players or more."""

    ratings: Ratings | None
    """`None` where not all are linked by games."""
    transitivity: Transitivity

    def rows(self) -> Iterator[tuple[object, ...]]:
        """The cells of `COLUMNS`, the strongest first."""
        if self.ratings is not None:
            found = zip(self.ratings.names, self.ratings.elo, self.ratings.errors, strict=True)
            for name, elo, error in sorted(found, key=lambda row: -row[1]):
                yield name, f"{elo:+.0f} ± {error:.0f}"

    def lines(self, most: int = 10) -> Iterator[str]:
        """What is to say of cycles, of which the first `most` are shown."""
        found = self.transitivity
        yield found.summary
        yield from map(str, found.cycles[:most])
        if len(found.cycles) > most:
            yield f"and {len(found.cycles) - most} more"

    def to_json(self) -> dict[str, Any]:
        """Plain values; Elo is 0 on average, errors are standard errors of the difference to that."""
        elo = None
        if self.ratings is not None:
            values = zip(self.ratings.names, self.ratings.elo.tolist(), self.ratings.errors.tolist(), strict=True)
            elo = {name: {"value": value, "error": error} for name, value, error in values}
        return {"elo": elo, "transitivity": self.transitivity.to_json()}


def standings(cells: Sequence[Cell]) -> Standings | None:
    """From all results of a run; `None` where fewer than three players played."""
    played = [cell for cell in cells if cell.games]
    results = pairwise(
        {
            (cell.focal, cell.opponent): (sum(game.focal_score for game in cell.games), len(cell.games))
            for cell in played
        }
    )
    if len(results.names) < FEWEST:
        return None
    try:
        elo = ratings(results, DRAWS)
    except ConfigError:
        elo = None
    return Standings(elo, transitivity(results))
