"""Means over games, shares, and the ratio of decided games to draws, each with its error."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from foible.analysis.estimates import Estimate
from foible.arena.elo import Z95


def mean_of(sums: ArrayLike, counts: ArrayLike | None = None) -> Estimate:
    """Σ sums / Σ counts over games, one value for each; a game counts once where `counts` is absent.

    Plies of one game are alike, so the error is that of a ratio estimator over games:
    SE² = G / (G − 1) · Σ (s − m·n)² / N², which is s / √G for a mean of games. `None` below two games.
    """
    s = np.asarray(sums, np.float64)
    n = np.ones_like(s) if counts is None else np.asarray(counts, np.float64)
    s, n = s[n > 0], n[n > 0]
    games, total = len(n), float(n.sum())
    if not games:
        return Estimate(0, 0, None, None, None)
    mean = float(s.sum()) / total
    error = math.sqrt(games / (games - 1) * float(((s - mean * n) ** 2).sum())) / total if games > 1 else None
    return Estimate(round(total), games, mean, error, None)


def share_of(count: int, games: int) -> Estimate:
    """The share of games, 0 to 1: the mean of ones and zeros, and its error √(p (1 − p) / (G − 1))."""
    if not games:
        return Estimate(0, 0, None, None, None)
    p = count / games
    return Estimate(games, games, p, math.sqrt(p * (1 - p) / (games - 1)) if games > 1 else None, None)


@dataclass(frozen=True, slots=True)
class DecisiveRatio:
    """(w + l) / d with its 95 % interval; `None` stands for no bound, and for a value that does not exist."""

    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.low is None:
            return "–"
        value, high = ("∞" if number is None else f"{number:.3f}" for number in (self.value, self.high))
        return f"{value} [{self.low:.3f}, {high}]"


def decisive_ratio(decisive: int, draws: int) -> DecisiveRatio:
    """The ratio of decided games to draws (search-contempt §4).

    It is the odds of the share p of decided games, so the interval is Wilson's for p, its ends carried over by
    p / (1 − p). Without draws neither the ratio nor the upper end exist; without games nothing does.
    """
    n = decisive + draws
    if not n:
        return DecisiveRatio(None, None, None)
    p, z2 = decisive / n, Z95**2
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    low = max(0.0, middle - half) if decisive else 0.0
    if not draws:
        return DecisiveRatio(None, low / (1 - low), None)
    high = middle + half
    return DecisiveRatio(decisive / draws, low / (1 - low), high / (1 - high))
