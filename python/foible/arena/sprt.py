"""The sequential probability ratio test: when a match has shown enough.

The log-likelihood ratio is the generalised one (Li, Liu, Ying: Generalized Sequential Probability Ratio Test,
2014) as Stockfish's fishtest computes it: each hypothesis is the multinomial that fits the results best among
those with the hypothesis' Elo (Van den Bergh: *Comments on Normalized Elo*, and his notes on maximum
likelihood for multinomials). Three classes give the trinomial test on games, five the pentanomial test on
pairs.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from foible.arena.elo import NORMALISED_ELO_UNIT, share_of_elo
from foible.arena.stats import PAIR_CLASSES, Tally
from foible.errors import ConfigError

Floats = NDArray[np.float64]

EMPTY_CLASS = 1e-3
"""The count that stands for zero, as in fishtest: without it a class never seen would be impossible."""


MOST_ELO = 200
"""The largest Elo bound; tests use far smaller ones. From about 230 on the fit of normalised Elo by pairs cannot start.
"""


class Verdict(StrEnum):
    """What the test says so far."""

    CONTINUE = "continue"
    ACCEPT_H0 = "H0"
    ACCEPT_H1 = "H1"


class Sprt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
        if max(abs(self.elo0), abs(self.elo1)) > MOST_ELO:
            raise ConfigError(
                f"sprt: elo0 and elo1 must lie between {-MOST_ELO} and {MOST_ELO}, not {self.elo0} and {self.elo1}"
            )
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ConfigError(f"sprt: alpha and beta must be positive with sum < 1, not {self.alpha}, {self.beta}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds for the log-likelihood ratio: H0 is accepted at or below the first, H1 at or above
        the second.
        """
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
        """What the test says of so many results: a hypothesis accepted, or that it goes on."""
        llr, (lower, upper) = self.llr(tally), self.bounds
        if llr >= upper:
            return Verdict.ACCEPT_H1
        return Verdict.ACCEPT_H0 if llr <= lower else Verdict.CONTINUE

    def standing(self, tally: Tally) -> "SprtStanding":
        """The log-likelihood ratio of so many results, with its bounds and the verdict."""
        lower, upper = self.bounds
        return SprtStanding(self, self.llr(tally), lower, upper, self.verdict(tally))

    def _fitter(self, games_each: int) -> Callable[[Floats, Floats, float], Floats]:
        if self.model == "logistic":
            return lambda observed, scores, elo: fit_mean(observed, scores - share_of_elo(elo))
        return lambda observed, scores, elo: fit_t_value(
            observed, scores, elo / NORMALISED_ELO_UNIT * math.sqrt(games_each)
        )


@dataclass(frozen=True, slots=True)
class SprtStanding:
    """Where a test stands."""

    test: Sprt
    llr: float
    lower: float
    """H0 is accepted at or below it."""
    upper: float
    """H1 is accepted at or above it."""
    verdict: Verdict

    @property
    def decided(self) -> bool:
        return self.verdict is not Verdict.CONTINUE

    def to_json(self) -> dict[str, Any]:
        """Plain values: the test, and where it stands."""
        stands = {"llr": self.llr, "lower": self.lower, "upper": self.upper, "verdict": str(self.verdict)}
        return {**msgspec.structs.asdict(self.test), **stands}

    def __str__(self) -> str:
        return f"LLR {self.llr:.2f} [{self.lower:.2f}, {self.upper:.2f}]"


class Scored(Protocol):
    """A finished game."""

    @property
    def focal_score(self) -> float:
        """1, ½ or 0 for the team under test."""


class Stop:
    """Whether the first games of a match decide a test, by their complete pairs: games 2k and 2k + 1 are one.

    Asked again with more games of the same match it counts the new ones alone.
    """

    def __init__(self, test: Sprt) -> None:
        self._test = test
        self._counts = [0] * PAIR_CLASSES

    def __call__(self, games: Sequence[Scored]) -> bool:
        for first in range(2 * sum(self._counts), len(games) - 1, 2):
            self._counts[round(2 * (games[first].focal_score + games[first + 1].focal_score))] += 1
        complete = len(games) == 2 * sum(self._counts)
        return complete and self._test.verdict(Tally(tuple(self._counts))) is not Verdict.CONTINUE


def fit_mean(observed: Floats, values: Floats) -> Floats:
    """`[C]`, `[C]` → `[C]`: the most likely distribution over `values` with mean 0, given observed frequencies (all
    positive).

    By Lagrange: pᵢ = observedᵢ / (1 + x·valueᵢ), where x makes the mean zero. The mean falls in x between the
    poles.
    """
    if not values.min() < 0 < values.max():
        raise ValueError("a mean of zero needs values on both sides of it")
    low, high = -1 / values.max(), -1 / values.min()
    x = 0.0
    for _ in range(200):
        terms = values / (1 + x * values)
        mean = float(observed @ terms)
        low, high = (x, high) if mean > 0 else (low, x)
        newton = x + mean / float(observed @ (terms * terms))
        following = newton if low < newton < high else (low + high) / 2
        if abs(following - x) <= 1e-15 * abs(x) or not low < following < high:
            break
        x = following
    return np.asarray(observed / (1 + x * values))


def fit_t_value(observed: Floats, scores: Floats, t: float) -> Floats:
    """`[C]`, `[C]` → `[C]`: the most likely distribution over `scores` with (mean − ½) / deviation = t, given observed
    frequencies.

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
