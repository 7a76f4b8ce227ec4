"""The results of the matches of a run as one document: a row for each two players, and the Elo of all players, with a
test whether they beat each other in cycles.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from foible.arena.go.config import GoMatchConfig, NetPlayer
from foible.arena.go.nontransitive import Transitivity, transitivity
from foible.arena.go.record import GoRecord, forfeits, resignations
from foible.arena.go.stats import Statistics, statistics
from foible.arena.pairwise import Ratings, pairwise, ratings
from foible.errors import ConfigError

CELL_COLUMNS = (
    "player",
    "opponent",
    "games",
    "different",
    "wins",
    "draws",
    "win share",
    "Elo [95 %]",
    "margin",
    "margin of victory",
    "not counted",
)

SPARE = ("different", "draws", "not counted", "wins", "margin")
"""Columns that may be left out where the table is too wide."""


@dataclass(frozen=True)
class Cell:
    """The finished games of two players."""

    focal: str
    """The player under test."""
    opponent: str
    games: tuple[GoRecord, ...]
    """The games, from the view of the player under test."""

    @cached_property
    def statistics(self) -> Statistics:
        return statistics(self.games)

    @property
    def not_counted(self) -> int:
        """Games that were resigned or forfeited, so that nobody knows by how much they were won."""
        return len(self.games) - self.statistics.margin.games

    def to_json(self) -> dict[str, Any]:
        """Plain values: shares are 0 to 1, margins points, errors standard ones by pairs, `None` where pairs
        do not tell them; Elo has its 95 % interval.
        """
        found = self.statistics
        losses, draws, wins = found.games.counts
        return {
            "player": self.focal,
            "opponent": self.opponent,
            "games": found.games.n,
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "pentanomial": list(found.pairs.counts),
            "share": asdict(found.share),
            "elo": asdict(found.elo),
            "margin": asdict(found.margin),
            "margin_won": asdict(found.margin_won),
            "different": found.different,
            "not_counted": self.not_counted,
            "forfeits": {name: asdict(lost) for name, lost in forfeits(self.games).items()},
            "resignations": resignations(self.games),
        }

    def row(self) -> tuple[object, ...]:
        """The cells of `CELL_COLUMNS`."""
        found = self.statistics
        _, draws, wins = found.games.counts
        elo = str(found.elo) if self.games else None
        share = percent(found.share.value, found.share.error)
        margins = (str(found.margin), str(found.margin_won))
        counts = (found.games.n, found.different, wins, draws)
        return self.focal, self.opponent, *counts, share, elo, *margins, self.not_counted


def cell_of(focal: str, opponent: str, games: Iterable[GoRecord]) -> Cell:
    """Select the games of these two players, whichever of them was under test when they were played, in the order of
    their numbers.
    """
    ordered = sorted(games, key=lambda game: game.number)
    own = [game for game in ordered if (game.focal, game.opponent) == (focal, opponent)]
    others = [game.swapped() for game in ordered if (game.focal, game.opponent) == (opponent, focal)]
    return Cell(focal, opponent, tuple(own or others))


def percent(value: float | None, error: float | None) -> str | None:
    """`61.5 ± 4.9 %`."""
    if value is None:
        return None
    return f"{100 * value:.1f} %" if error is None else f"{100 * value:.1f} ± {100 * error:.1f} %"


FEWEST = 3
"""Players of whom more can be said than how two of them did."""
DRAWS = 1.0
"""Games that are added as drawn between each two that met, so that who won or lost all games has a rating, too."""
STANDINGS_COLUMNS = ("player", "Elo")


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of three players or more."""

    ratings: Ratings | None
    """`None` where not all are linked by games."""
    transitivity: Transitivity

    def rows(self) -> Iterator[tuple[object, ...]]:
        """The cells of `STANDINGS_COLUMNS`, the strongest first."""
        if self.ratings is not None:
            found = zip(self.ratings.names, self.ratings.elo, self.ratings.errors, strict=True)
            for name, elo, error in sorted(found, key=lambda row: -row[1]):
                yield name, f"{elo:+.0f} ± {error:.0f}"

    def lines(self, most: int = 10) -> Iterator[str]:
        """A summary of the cycles among the players, and the first `most` of them."""
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
    """The standings from all results of a run; `None` where fewer than three players played."""
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


def to_json(cells: Sequence[Cell], config: GoMatchConfig) -> dict[str, Any]:
    """Plain values: each two players, with `lambda` and `mu` of those that have them, of several the first; and where
    all players stand, `None` of fewer than three.
    """
    rows = []
    for cell in cells:
        player = config.players[cell.focal]
        weights = {"lambda": player.lambdas[0], "mu": player.mus[0]} if isinstance(player, NetPlayer) else {}
        rows.append({**cell.to_json(), **weights})
    found = standings(cells)
    return {"size": config.size, "komi": config.komi, "cells": rows, "standings": found and found.to_json()}
