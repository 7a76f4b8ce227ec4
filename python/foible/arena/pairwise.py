"""The results of a set of players against each other, and Elo ratings estimated from them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foible.errors import ConfigError

Floats = NDArray[np.float64]

SCALE = 400 / math.log(10)
"""Elo per unit of log-odds."""
STEPS = 100


@dataclass(frozen=True, slots=True)
class Pairwise:
    """The points that each of N players won from each of the others."""

    names: tuple[str, ...]
    points: Floats
    """`[N, N]`: entry i, j is the number of points that i won from j; a draw gives half a point to both."""

    @property
    def games(self) -> Floats:
        """`[N, N]`: the number of games between i and j."""
        return self.points + self.points.T

    @property
    def shares(self) -> Floats:
        """`[N, N]`: the share of the points that i won from j, 0 to 1; NaN where they did not meet."""
        games = self.games
        return np.divide(self.points, games, out=np.full_like(games, np.nan), where=games > 0)


def pairwise(results: Mapping[tuple[str, str], tuple[float, int]]) -> Pairwise:
    """The table of results, from a mapping of (first, second) player to the first one's points and the number
    of games.
    """
    names = tuple(dict.fromkeys(name for two in results for name in two))
    index = {name: i for i, name in enumerate(names)}
    points = np.zeros((len(names), len(names)))
    for (first, second), (won, games) in results.items():
        points[index[first], index[second]] += won
        points[index[second], index[first]] += games - won
    return Pairwise(names, points)


@dataclass(frozen=True, slots=True)
class Ratings:
    """Elo ratings of N players. The zero of the scale is the mean of all, or the rating of one of them."""

    names: tuple[str, ...]
    elo: Floats
    """`[N]`: the rating of each player."""
    errors: Floats
    """`[N]`: the standard error of each player's difference to the zero of the scale."""


def ratings(results: Pairwise, draws: float = 0.0, *, zero: str | None = None) -> Ratings:
    """Elo by maximum likelihood, P(i beats j) = 1 / (1 + 10^((Rⱼ − Rᵢ) / 400)) (SAI, §6).

    A draw is half a win and half a loss. Elo knows one dimension: where players beat each other in cycles it is a poor
    summary (`foible.arena.go.nontransitive`).

    `draws`: the number of drawn games added between any two players who met. With 0 there are ratings only where a
    chain of wins, or draws, leads from everybody to everybody else; with 1 they are finite wherever games link all
    players.

    `zero`: the player whose rating is 0; when absent, the mean of all ratings is 0.

    :raises ConfigError: the ratings are not finite; names two players without a chain of wins between them.
    """
    points = results.points + np.where(results.games > 0, draws / 2, 0.0)
    _check_reach(results.names, points)
    games, won = points + points.T, points.sum(axis=1)
    strength = np.zeros(len(results.names))
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        gradient = won - (games * expected).sum(axis=1)
        step = np.linalg.pinv(_information(games, expected), hermitian=True) @ gradient
        # Newton's steps may overshoot where somebody won nearly all games.
        strength = strength + step * min(1.0, 2.0 / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < 1e-10:
            break
    expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    covariance = np.linalg.pinv(_information(games, expected), hermitian=True)
    variance = np.diag(covariance)
    if zero is None:
        return Ratings(results.names, SCALE * (strength - strength.mean()), SCALE * np.sqrt(variance))
    i = results.names.index(zero)
    variance = np.maximum(variance + variance[i] - 2 * covariance[i], 0.0)
    return Ratings(results.names, SCALE * (strength - strength[i]), SCALE * np.sqrt(variance))


def _information(games: Floats, expected: Floats) -> Floats:
    """`[N, N]`: the Fisher information of the strengths in log-odds; singular, since shifting all strengths changes
    nothing.
    """
    weights = games * expected * (1 - expected)
    found: Floats = np.diag(weights.sum(axis=1)) - weights
    return found


def _check_reach(names: tuple[str, ...], points: Floats) -> None:
    """Check that everybody won points from everybody else, directly or through others (Ford, 1957)."""
    reach = np.eye(len(names), dtype=bool) | (points > 0)
    for _ in range(max(len(names), 2).bit_length()):
        reach = reach @ reach
    if not reach.all():
        i, j = np.argwhere(~reach)[0]
        raise ConfigError(
            f"no Elo: no chain of wins leads from {names[i]} to {names[j]}, so that their distance is endless"
        )
