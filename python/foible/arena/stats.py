"""How well a team did: scores of games and of pairs of games, their errors, and tests on them.

All that is known of a match is a `Tally`: how often each score occurred. Three classes count games (loss,
draw, win); five count pairs of games that share an opening or a bitstring (the pentanomial: LL, LD, WL + DD,
WD, WW). Every statistic below is the same formula on either (phase-experts §7.3, skill-compatible §5.3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

GAME_CLASSES = 3
PAIR_CLASSES = 5


@dataclass(frozen=True, slots=True)
class Tally:
    """How often each score occurred, from one team's point of view."""

    counts: tuple[int, ...]
    """Three or five counts, of the scores 0 to 1 in equal steps."""

    def __post_init__(self) -> None:
        if len(self.counts) not in {GAME_CLASSES, PAIR_CLASSES} or min(self.counts) < 0:
            raise ValueError(f"a tally has 3 or 5 counts that are not negative, not {self.counts}")

    @classmethod
    def of_games(cls, wins: int, draws: int, losses: int) -> Tally:
        return cls((losses, draws, wins))

    @classmethod
    def of_pairs(cls, scores: Iterable[tuple[float, float]]) -> Tally:
        """The pentanomial of pairs, each given as the scores (0, ½, 1) of its two games."""
        counts = [0] * PAIR_CLASSES
        for first, second in scores:
            counts[round(2 * (first + second))] += 1
        return cls(tuple(counts))

    def __add__(self, other: Tally) -> Tally:
        """The tally of two matches together."""
        return Tally(tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)))

    @property
    def swapped(self) -> Tally:
        """The same games from the other team's point of view."""
        return Tally(self.counts[::-1])

    @property
    def n(self) -> int:
        """Games, or pairs of games."""
        return sum(self.counts)

    @property
    def games_each(self) -> int:
        """Games behind one count: 1, or 2 for pairs."""
        return 1 if len(self.counts) == GAME_CLASSES else 2

    @property
    def scores(self) -> tuple[float, ...]:
        """The score of each class, 0 to 1."""
        return tuple(i / (len(self.counts) - 1) for i in range(len(self.counts)))

    @property
    def share(self) -> float | None:
        """The mean score, 0 to 1 (`None` without games)."""
        if not self.n:
            return None
        return sum(c * i for i, c in enumerate(self.counts)) / (self.n * (len(self.counts) - 1))

    @property
    def variance(self) -> float | None:
        """Population variance of one score."""
        mean = self.share
        if mean is None:
            return None
        return sum(c * (x - mean) ** 2 for c, x in zip(self.counts, self.scores, strict=True)) / self.n

    @property
    def standard_error(self) -> float | None:
        """The error of the share: √(variance / n); for three classes the trinomial error of skill-compatible §5.3."""
        variance = self.variance
        return None if variance is None else math.sqrt(variance / self.n)

    @property
    def paired_error(self) -> float | None:
        """The error of the share, from the sample deviation (divisor n − 1) of the scores; `None` below two scores."""
        variance = self.variance
        return None if variance is None or self.n < 2 else math.sqrt(variance / (self.n - 1))


def clustered_error(squares: float, clusters: int, n: float = 1.0) -> float | None:
    """Standard error of a mean over values that hang together in clusters: moves of a game, games of a pair.

    With s_g the sum and n_g the number of the values in cluster g, m the mean of all n values and G clusters,

        SE² = G / (G − 1) · Σ_g (s_g − m·n_g)² / n²,

    the error of a ratio estimator (Cochran, Sampling Techniques, 3rd edition, 1977, section 6.3), as if the clusters
    were drawn from infinitely many. With one value in each cluster it is the error of a mean of independent values.

    squares: Σ_g (s_g − m·n_g)²; or that over n², with `n` left out.
    clusters: G, those that hold values.

    Returns `None` below two clusters.
    """
    return math.sqrt(clusters / (clusters - 1) * squares) / n if clusters > 1 else None


@dataclass(frozen=True, slots=True)
class ZTest:
    """A difference in units of its standard error, and how likely chance alone gives as much."""

    z: float
    p_greater: float
    """One-sided: the probability of a z at least this large when there is no difference."""
    p_two_sided: float


def z_test(difference: float, standard_error: float) -> ZTest | None:
    """Test a difference against zero; `None` when its error is zero (nothing varied)."""
    if not standard_error > 0:
        return None
    z = difference / standard_error
    return ZTest(z, 0.5 * math.erfc(z / math.sqrt(2)), math.erfc(abs(z) / math.sqrt(2)))


def against_half(tally: Tally) -> ZTest | None:
    """Whether the share differs from one half, by the tally's own error (skill-compatible §5.8)."""
    share, error = tally.share, tally.standard_error
    return None if share is None or error is None else z_test(share - 0.5, error)


def two_sample_z(mean1: float, error1: float, mean2: float, error2: float) -> ZTest | None:
    """Whether two independent means differ: z = (m₁ − m₂) / √(se₁² + se₂²) (skill-compatible §5.4)."""
    return z_test(mean1 - mean2, math.hypot(error1, error2))
