"""What a sweep has shown: a row for every cell, and the standings of all players."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from foible.arena.elo import Elo
from foible.arena.report import Failures, MatchReport, commonest_first
from foible.arena.standings import Standings, standings_of
from foible.arena.stats import NO_PAIRS, Tally
from foible.arena.sweep.config import Cell
from foible.runs.files import csv_text

NO_GAME = Tally.of_games(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Result:
    """The finished games of a cell, from the view of the player under test."""

    cell: Cell
    report: MatchReport | None
    """`None` without a game."""

    @property
    def tally(self) -> Tally:
        return self.report.games if self.report else NO_GAME

    @property
    def sample(self) -> Tally:
        """As that of `MatchReport`."""
        return self.report.sample if self.report else NO_PAIRS

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
        """Games that are not the repetition of another, move for move."""
        return self.report.different if self.report else 0

    @property
    def percent(self) -> str:
        """The share ± its error, in percent; without an error where the pairs of games tell none."""
        return self.report.percent if self.report else "–"

    @property
    def standard_error(self) -> float | None:
        """As that of `MatchReport`."""
        return self.report.standard_error if self.report else None

    @property
    def independent_error(self) -> float | None:
        """As that of `MatchReport`."""
        return self.report.independent_error if self.report else None

    @property
    def elo(self) -> Elo | None:
        """As that of `MatchReport`."""
        return self.report.elo if self.report else None

    @property
    def failures(self) -> tuple[Failures, ...]:
        """The failures of either side, under the names of the sweep's tables."""
        if self.report is None:
            return ()
        names = {self.report.focal: self.cell.players[0], self.report.alter: self.cell.players[1]}
        return tuple(replace(one, team=names[one.team]) for one in self.report.failures)

    def to_json(self) -> dict[str, Any]:
        """Plain values; shares are 0 to 1, Elo has its 95 % interval. Names as in reports of matches."""
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
            "standard_error": self.standard_error,
            "independent_error": self.independent_error,
            "elo": asdict(self.elo) if self.elo else None,
            "mean_plies": self.report.mean_plies if self.report else None,
            "different": self.different,
            "failures": [one.to_json() for one in self.failures],
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
        del row["failures"]
        elo = row.pop("elo") or {}
        rows.append(row | {"elo": elo.get("value"), "elo_low": elo.get("low"), "elo_high": elo.get("high")})
    return csv_text(rows)


def failures(results: Sequence[Result]) -> list[Failures]:
    """The failures of each player in all its games; players without any are left out."""
    restarts: dict[str, Counter[str]] = {}
    forfeits: dict[str, Counter[str]] = {}
    for one in (one for result in results for one in result.failures):
        restarts.setdefault(one.team, Counter()).update(one.restarts)
        forfeits.setdefault(one.team, Counter()).update(one.forfeits)
    return [Failures(name, commonest_first(restarts[name]), commonest_first(forfeits[name])) for name in restarts]


def standings(results: Sequence[Result]) -> Standings | None:
    """The standings from all results; `None` where fewer than three players played."""
    return standings_of({result.cell.players: (result.tally, result.sample) for result in results})
