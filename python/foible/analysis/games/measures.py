"""Means over games, and shares of games, each with its error."""

import math

import numpy as np
from numpy.typing import ArrayLike

from foible.analysis.estimates import Estimate


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


def percent(share: Estimate) -> Estimate:
    """A share in percent."""
    value, error = (None if one is None else 100 * one for one in (share.value, share.se))
    return Estimate(share.n, share.clusters, value, error, None)
