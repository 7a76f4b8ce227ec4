"""The results of the matches of a run as one document: a row for each two players, with win share, Elo and margin of
victory, each with its error; and the standings of all.

The two games of a pair share an opening, so that they hang together: pairs are the units of all errors.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from foible.arena.elo import Elo, estimate_elo
from foible.arena.go.config import GoMatchConfig, NetPlayer
from foible.arena.go.record import GoRecord, forfeits, resignations
from foible.arena.standings import Standings, standings_of
from foible.arena.stats import Tally, clustered_error, tally_games, tally_pairs
from foible.search.speed import Speed
from foible.wording import percent


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over games."""

    games: int
    value: float | None
    """`None` without games."""
    standard_error: float | None
    """Standard error; `None` where pairs do not tell it: there are fewer than two, or all have the same mean."""

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        return f"{self.value:.2f}" if self.standard_error is None else f"{self.value:.2f} ± {self.standard_error:.2f}"


@dataclass(frozen=True, slots=True)
class Statistics:
    """From the view of the player under test."""

    games: Tally
    pairs: Tally
    """The pentanomial of the pairs of which both games are finished."""
    share: Mean
    """Points per game, 0 to 1, a draw half of one."""
    margin: Mean
    """Points after komi, negative where it lost, of the games that were counted on the board."""
    margin_won: Mean
    """The mean margin of the games that it won: the margin of victory."""
    different: int
    """Games that are not the repetition of another, move for move."""

    @property
    def tally(self) -> Tally:
        """The pairs where no game is without its other one, else the games."""
        return self.pairs if self.pairs.n > 1 and 2 * self.pairs.n == self.games.n else self.games

    @property
    def elo(self) -> Elo | None:
        """Elo with its 95 % interval, by pairs: there is one even where the share has no error; `None` below two."""
        return estimate_elo(self.pairs) if self.pairs.n > 1 else None


def statistics(games: Sequence[GoRecord]) -> Statistics:
    """The statistics of the games of two players. Those that were resigned or forfeited have no margin."""
    counted = [(game, game.focal_margin) for game in games if game.focal_margin is not None]
    return Statistics(
        games=tally_games(games),
        pairs=tally_pairs(games),
        share=_mean([(game.pair, game.focal_score) for game in games]),
        margin=_mean([(game.pair, margin) for game, margin in counted]),
        margin_won=_mean([(game.pair, margin) for game, margin in counted if game.focal_score == 1.0]),
        different=len({game.moves for game in games}),
    )


def _mean(values: Sequence[tuple[int, float]]) -> Mean:
    """The mean of values that come with the number of their pair.

    The error is clustered by pair, of which some have one value. Where all have two it is that of the mean over pairs.
    """
    n = len(values)
    if not n:
        return Mean(0, None, None)
    mean = math.fsum(value for _, value in values) / n
    residues: dict[int, float] = {}
    for pair, value in values:
        residues[pair] = residues.get(pair, 0.0) + value - mean
    squares = math.fsum(residue**2 for residue in residues.values())
    # Where all residues are zero, the formula would give an error of zero, which too few games do not justify.
    return Mean(n, mean, clustered_error(squares, len(residues), n) if squares else None)


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
    speed: Speed | None = field(default=None, compare=False)
    """The speed of the call that ended the match of the two, `None` where nothing was played."""

    @cached_property
    def statistics(self) -> Statistics:
        """The statistics of these games."""
        return statistics(self.games)

    @property
    def not_counted(self) -> int:
        """Games that were resigned or forfeited, so that nobody knows by how much they were won."""
        return len(self.games) - self.statistics.margin.games

    def to_json(self) -> dict[str, Any]:
        """Plain values: shares are 0 to 1, margins points, errors standard ones by pairs, `None` where pairs
        do not tell them; Elo has its 95 % interval.
        """
        statistics = self.statistics
        losses, draws, wins = statistics.games.counts
        return {
            "player": self.focal,
            "opponent": self.opponent,
            "games": statistics.games.n,
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "pentanomial": list(statistics.pairs.counts),
            "share": asdict(statistics.share),
            "elo": asdict(statistics.elo) if statistics.elo else None,
            "margin": asdict(statistics.margin),
            "margin_won": asdict(statistics.margin_won),
            "different": statistics.different,
            "not_counted": self.not_counted,
            "forfeits": {name: asdict(lost) for name, lost in forfeits(self.games).items()},
            "resignations": resignations(self.games),
        }

    def row(self) -> tuple[object, ...]:
        """The cells of `CELL_COLUMNS`."""
        statistics = self.statistics
        _, draws, wins = statistics.games.counts
        elo = statistics.elo and str(statistics.elo)
        share = percent(statistics.share.value, statistics.share.standard_error)
        margins = (str(statistics.margin), str(statistics.margin_won))
        counts = (statistics.games.n, statistics.different, wins, draws)
        return self.focal, self.opponent, *counts, share, elo, *margins, self.not_counted


def cell_of(focal: str, opponent: str, games: Iterable[GoRecord], speed: Speed | None = None) -> Cell:
    """Select the games of these two players, whichever of them was under test when they were played, in the order of
    their numbers.
    """
    ordered = sorted(games, key=lambda game: game.number)
    own = [game for game in ordered if (game.focal, game.opponent) == (focal, opponent)]
    others = [game.swapped() for game in ordered if (game.focal, game.opponent) == (opponent, focal)]
    return Cell(focal, opponent, tuple(own or others), speed)


def standings(cells: Sequence[Cell]) -> Standings | None:
    """The standings from all results of a run; `None` where fewer than three players played."""
    return standings_of({(cell.focal, cell.opponent): (cell.statistics.games, cell.statistics.pairs) for cell in cells})


def to_json(cells: Sequence[Cell], config: GoMatchConfig) -> dict[str, Any]:
    """Plain values: each two players, with `lambda` and `mu` of those that have them, of several the first, and the
    speed, the only part in which two runs of one configuration differ; and where all players stand, `None` of fewer
    than three.
    """
    rows = []
    for cell in cells:
        player = config.players[cell.focal]
        weights = {"lambda": player.lambdas[0], "mu": player.mus[0]} if isinstance(player, NetPlayer) else {}
        rows.append({**cell.to_json(), **weights, "speed": cell.speed and cell.speed.to_json()})
    found = standings(cells)
    return {"size": config.size, "komi": config.komi, "cells": rows, "standings": found and found.to_json()}
