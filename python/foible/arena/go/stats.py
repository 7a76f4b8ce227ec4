"""What the games of two players say: win share, Elo, margin of victory, each with its error.

The two games of a pair share an opening, so that they hang together: pairs are the units of all errors.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from foible.arena.elo import Elo, estimate_elo
from foible.arena.go.record import GoRecord
from foible.arena.stats import Tally, clustered_error


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over games."""

    games: int
    value: float | None
    """`None` without games."""
    error: float | None
    """Standard error; `None` where pairs do not tell it: there are fewer than two, or all have the same mean."""

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        return f"{self.value:.2f}" if self.error is None else f"{self.value:.2f} ± {self.error:.2f}"


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
    """Games that are not the repetition of another, move for move; the errors take all pairs for independent."""

    @property
    def tally(self) -> Tally:
        """The pairs where no game is without its other one, else the games."""
        return self.pairs if self.pairs.n > 1 and 2 * self.pairs.n == self.games.n else self.games

    @property
    def elo(self) -> Elo:
        """The Elo of `tally`; there is an interval even where the share has no error."""
        return estimate_elo(self.tally)


def statistics(games: Sequence[GoRecord]) -> Statistics:
    """The statistics of the games of two players. Those that were resigned or forfeited have no margin."""
    counted = [(game, game.focal_margin) for game in games if game.focal_margin is not None]
    scores = [game.focal_score for game in games]
    tally = Tally.of_games(wins=scores.count(1.0), draws=scores.count(0.5), losses=scores.count(0.0))
    return Statistics(
        games=tally,
        pairs=_pairs(games),
        share=_mean([(game.pair, game.focal_score) for game in games]),
        margin=_mean([(game.pair, margin) for game, margin in counted]),
        margin_won=_mean([(game.pair, margin) for game, margin in counted if game.focal_score == 1.0]),
        different=len({game.moves for game in games}),
    )


def _pairs(games: Sequence[GoRecord]) -> Tally:
    found: dict[int, list[float]] = {}
    for game in games:
        found.setdefault(game.pair, []).append(game.focal_score)
    return Tally.of_pairs((scores[0], scores[1]) for scores in found.values() if len(scores) == 2)


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
