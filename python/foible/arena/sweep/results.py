"""What a sweep has shown: a row for every cell, and the standings of all players."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from foible.arena.elo import Elo, estimate_elo
from foible.arena.report import MatchReport
from foible.arena.standings import Standings
from foible.arena.standings import standings as standings_of
from foible.arena.stats import Tally
from foible.arena.sweep.config import Cell
from foible.runs.files import csv_text

_elo = lru_cache(maxsize=1 << 14)(estimate_elo)
"""The tables are written after every match, and few of their lines are new: there is room for those of all cells."""

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
    def pairs(self) -> Tally:
        return self.report.pairs if self.report else NO_GAME

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
    return csv_text(rows)


def standings(results: Sequence[Result]) -> Standings | None:
    """The standings from all results; `None` where fewer than three players played."""
    return standings_of({result.cell.players: (result.tally, result.pairs) for result in results})
