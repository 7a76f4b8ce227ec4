"""Which level has played these moves: Bayes over levels (opponent-modelling §4)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foible.nets.evaluator import softmax
from foible.opponents.base import Distribution
from foible.opponents.floor import EPSILON

Floats = NDArray[np.float64]

TAU = 0.5
"""How much each move counts: moves are not independent, and the models are wrong in common."""
SD = 150.0
"""Standard deviation of a stated rating, in rating points."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """How probable each level is."""

    levels: tuple[int, ...]
    """Ascending, in rating points."""
    probabilities: Floats
    """`[L]`, summing to 1."""

    @property
    def map(self) -> int:
        """The most probable level, the lowest of equals."""
        return self.levels[int(self.probabilities.argmax())]

    @property
    def mean(self) -> float:
        """In rating points."""
        return float(self.probabilities @ np.array(self.levels))

    def interval(self, mass: float = 0.8) -> tuple[int, int]:
        """From the lowest level at which the cumulative probability reaches (1 − mass) / 2 to the lowest at which it
        reaches (1 + mass) / 2. Both ends are levels, so the interval holds at least `mass`.
        """
        cumulative = np.cumsum(self.probabilities)
        # Sums of 64-bit shares miss round targets by their last bits.
        targets = (np.array([1 - mass, 1 + mass]) / 2) - 1e-12
        low, high = np.minimum(np.searchsorted(cumulative, targets), len(self.levels) - 1)
        return self.levels[low], self.levels[high]


def evidence(played: Floats, legal: int, epsilon: float = EPSILON) -> Floats:
    """`[L]` → `[L]`: what one move says of each level, log((1 − ε) p + ε / n).

    `played`: the probability of the move at each level; `legal`: the number n of legal moves.
    """
    found: Floats = np.log((1 - epsilon) * played + epsilon / legal)
    return found


def log_prior(levels: Sequence[int], rating: float | None = None, sd: float = SD) -> Floats:
    """`[L]`: normal around a stated rating, or uniform without one; up to a constant."""
    if rating is None:
        return np.zeros(len(levels))
    found: Floats = -0.5 * ((np.array(levels) - rating) / sd) ** 2
    return found


def posterior(levels: Sequence[int], prior: Floats, seen: Floats, tau: float = TAU) -> Posterior:
    """From the logarithm of the prior `[L]` and the sum of the evidence `[L]`; τ = 1 is exact Bayes."""
    return Posterior(tuple(levels), softmax(prior + tau * seen))


def predictive(weights: Floats, by_level: Floats) -> Distribution:
    """`[L]`, `[L, K]` → `[K]`: how a player plays whose level is known only so well."""
    found: Distribution = weights @ by_level
    return found
