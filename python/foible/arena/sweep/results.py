"""What a sweep has shown: a row for every cell; one Elo for each player, and who is the stronger of each two."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from foible.arena.elo import Elo, estimate_elo, superiority
from foible.arena.pairwise import Ratings, pairwise, ratings
from foible.arena.report import Report
from foible.arena.stats import Tally
from foible.arena.sweep.config import Cell
from foible.errors import ConfigError

_elo = lru_cache(estimate_elo)
"""The tables are written after every match, and few of their lines are new."""

NO_GAME = Tally.of_games(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Result:
    """The finished games of a cell, from the view of the player under test."""

    cell: Cell
    report: Report | None
    """`None` without a game."""

    @property
    def tally(self) -> Tally:
        return self.report.games if self.report else NO_GAME

    @property
    def games(self) -> int:
        return self.tally.n

    @property
    def over(self) -> bool:
        """Whether all games are finished, or a sequential test is decided."""
        decided = self.report is not None and self.report.sprt is not None and self.report.sprt.decided
        return decided or self.games >= 2 * self.cell.config.pairs

    @property
    def different(self) -> int:
        """Games that are not the repetition of another, move for move; errors and Elo take all for independent."""
        return self.report.different if self.report else 0

    @property
    def elo(self) -> Elo:
        return _elo(self.tally)

    def to_json(self) -> dict[str, Any]:
        """Plain values; shares are 0 to 1, Elo has its 95 % interval."""
        losses, draws, wins = self.tally.counts
        return {
            "opponent": self.cell.opponent,
            "player": self.cell.player,
            "nodes": self.cell.nodes,
            "games": self.games,
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "share": self.tally.share,
            "standard_error": self.tally.standard_error,
            "elo": asdict(self.elo),
            "mean_plies": self.report.mean_plies if self.report else None,
            "different": self.different,
            "folder": f"cells/{self.cell.folder}",
        }


def title(results: Sequence[Result]) -> str:
    """What was played, as reports of single matches call it."""
    return next((result.report.framework for result in results if result.report), results[0].cell.config.framework)


def to_json(results: Sequence[Result], standings: Mapping[str, Any] | None = None) -> str:
    """All cells as one document. `standings`: those of all players, where they are known."""
    said: dict[str, Any] = {"cells": [result.to_json() for result in results]}
    return json.dumps(said | ({"standings": standings} if standings else {}), indent=2, allow_nan=False) + "\n"


def to_csv(results: Sequence[Result]) -> str:
    """A line for every cell, with a header."""
    rows = []
    for result in results:
        row = result.to_json()
        elo = row.pop("elo")
        rows.append({**row, "elo": elo["value"], "elo_low": elo["low"], "elo_high": elo["high"]})
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


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
    """The standings from all results; `None` where fewer than three players played, or not all are linked by games."""
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
