"""The sequential probability ratio test: when a match has shown enough.

The log-likelihood ratio is the generalised one (Li, Liu, Ying: Generalized Sequential Probability Ratio Test,
2014) as Stockfish's fishtest computes it: each hypothesis is the multinomial that fits the results best among
those with the hypothesis' Elo (Van den Bergh: *Comments on Normalized Elo*, and his notes on maximum
likelihood for multinomials). Three classes give the trinomial test on games, five the pentanomial test on
pairs.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from foible.arena.elo import NORMALISED_ELO_UNIT, share_of_elo
from foible.arena.stats import Tally
from foible.errors import ConfigError

Floats = NDArray[np.float64]

EMPTY_CLASS = 1e-3
"""The count that stands for zero, as in fishtest: without it a class never seen would be impossible."""


class Verdict(StrEnum):
    """What the test says so far."""

    CONTINUE = "continue"
    ACCEPT_H0 = "H0"
    ACCEPT_H1 = "H1"


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of Elo ≤ `elo0` (H0) against Elo ≥ `elo1` (H1)."""

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    """Probability of accepting H1 where H0 holds."""
    beta: float = 0.05
    """Probability of accepting H0 where H1 holds."""
    model: Literal["normalised", "logistic"] = "normalised"
    """The scale of `elo0` and `elo1`."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ConfigError(f"sprt: elo0 must lie below elo1, not {self.elo0} and {self.elo1}")
        if min(self.alpha, self.beta) <= 0 or self.alpha + self.beta >= 1:
            raise ConfigError(f"sprt: alpha and beta must be positive with sum < 1, not {self.alpha}, {self.beta}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's: H0 is accepted at or below the first, H1 at or above the second."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, tally: Tally) -> float:
        """Log-likelihood ratio of H1 to H0; 0 without games."""
        if not tally.n:
            return 0.0
        counts = np.asarray([c or EMPTY_CLASS for c in tally.counts], np.float64)
        observed, scores = counts / counts.sum(), np.asarray(tally.scores)
        fit = self._fitter(tally.games_each)
        ratio = np.log(fit(observed, scores, self.elo1)) - np.log(fit(observed, scores, self.elo0))
        return float(counts @ ratio)

    def verdict(self, tally: Tally) -> Verdict:
        llr, (lower, upper) = self.llr(tally), self.bounds
        if llr >= upper:
            return Verdict.ACCEPT_H1
        return Verdict.ACCEPT_H0 if llr <= lower else Verdict.CONTINUE

    def _fitter(self, games_each: int) -> Callable[[Floats, Floats, float], Floats]:
        if self.model == "logistic":
            return lambda observed, scores, elo: fit_mean(observed, scores - share_of_elo(elo))
        return lambda observed, scores, elo: fit_t_value(
            observed, scores, elo / NORMALISED_ELO_UNIT * math.sqrt(games_each)
        )


def fit_mean(observed: Floats, values: Floats) -> Floats:
    """The most likely distribution over `values` with mean 0, given observed frequencies (all positive).

    By Lagrange: pᵢ = observedᵢ / (1 + x·valueᵢ), where x makes the mean zero. The mean falls in x between the
    poles.
    """
    if not values.min() < 0 < values.max():
        raise ValueError("a mean of zero needs values on both sides of it")
    low, high = -1 / values.max(), -1 / values.min()
    for _ in range(200):
        x = (low + high) / 2
        if not low < x < high:
            break
        low, high = (x, high) if observed @ (values / (1 + x * values)) > 0 else (low, x)
    return np.asarray(observed / (1 + x * values))


def fit_t_value(observed: Floats, scores: Floats, t: float) -> Floats:
    """The most likely distribution over `scores` with (mean − ½) / deviation = t, given observed frequencies.

    The condition is linear in the distribution once its mean and deviation are held fixed, so the fit is
    repeated until they stand still (Van den Bergh, section 4.1).
    """
    fitted = np.full_like(observed, 1 / len(observed))
    for _ in range(100):
        mean = fitted @ scores
        deviation = math.sqrt(fitted @ (scores - mean) ** 2)
        values = scores - 0.5 - t * deviation * (1 + ((mean - scores) / deviation) ** 2) / 2
        previous, fitted = fitted, fit_mean(observed, values)
        if np.abs(fitted - previous).max() < 1e-12:
            break
    return fitted
