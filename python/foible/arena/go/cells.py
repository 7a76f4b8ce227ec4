"""What the matches of two players have shown: a row of the report."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from foible.arena.go.endings import forfeits, resignations
from foible.arena.go.record import GoRecord
from foible.arena.go.stats import Statistics, statistics

COLUMNS = (
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
"""Columns that may be left out for want of room."""


@dataclass(frozen=True)
class Cell:
    """The finished games of two players."""

    focal: str
    """The player under test."""
    opponent: str
    games: tuple[GoRecord, ...]
    """From its view."""

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
        """The cells of `COLUMNS`."""
        found = self.statistics
        _, draws, wins = found.games.counts
        elo = str(found.elo) if self.games else None
        share = percent(found.share.value, found.share.error)
        margins = (str(found.margin), str(found.margin_won))
        counts = (found.games.n, found.different, wins, draws)
        return self.focal, self.opponent, *counts, share, elo, *margins, self.not_counted


def cell_of(focal: str, opponent: str, games: Iterable[GoRecord]) -> Cell:
    """Those of the games that are of these two, whichever of them was under test when they were played, in the order of
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
