"""How well a team did: scores of games and of pairs of games, their errors, tests on them, and intervals of shares.

All that is known of a match is a `Tally`: how often each score occurred. Three classes count games (loss,
draw, win); five count pairs of games that share an opening or a bitstring (the pentanomial: LL, LD, WL + DD,
WD, WW). Every statistic of a tally is the same formula on either (phase-experts §7.3, skill-compatible §5.3).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

GAME_CLASSES = 3
PAIR_CLASSES = 5

Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


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
        """The tally of single games by their results."""
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
    def points(self) -> float:
        """The sum of all scores, in which a pair counts as much as a game."""
        return sum(count * step for step, count in enumerate(self.counts)) / (len(self.counts) - 1)

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
    def sample_error(self) -> float | None:
        """The error of the share, from the sample deviation (divisor n − 1) of the scores; `None` where they tell none,
        as there is at most one, or all are equal.
        """
        return math.sqrt(self.variance / (self.n - 1)) if self.variance and self.n > 1 else None


class Scored(Protocol):
    """A game of a match."""

    @property
    def pair(self) -> int:
        """The number of its pair."""

    @property
    def focal_score(self) -> float | None:
        """The score of the team under test: 0, ½ or 1; `None` for a game without a result."""


def tally_games(games: Iterable[Scored]) -> Tally:
    """Wins, draws and losses of the team under test."""
    scores = Counter(game.focal_score for game in games)
    return Tally.of_games(wins=scores[1.0], draws=scores[0.5], losses=scores[0.0])


def tally_pairs(games: Iterable[Scored]) -> Tally:
    """The pentanomial of the team under test, of the pairs in which both games have a result."""
    pairs: dict[int, list[float]] = {}
    for game in games:
        if game.focal_score is not None:
            pairs.setdefault(game.pair, []).append(game.focal_score)
    return Tally.of_pairs((scores[0], scores[1]) for scores in pairs.values() if len(scores) == 2)


NO_PAIRS: Final = Tally((0,) * PAIR_CLASSES)


class Played(Scored, Protocol):
    """A game of a match, with its course."""

    @property
    def course(self) -> Hashable:
        """Start and moves: equal for games that are move for move the same."""


def count_different(games: Iterable[Played]) -> int:
    """The number of games without those that repeat another move for move."""
    return len({game.course for game in games})


def is_repetitive(different: int, games: int) -> bool:
    """Whether fewer than half of the games are different. The repetition of a game is no sample: such matches have
    neither errors nor intervals.
    """
    return 2 * different < games


def sample_of(games: Sequence[Played]) -> Tally:
    """The pairs from which errors and intervals come: all (`tally_pairs`), or none where games are repetitive."""
    return NO_PAIRS if is_repetitive(count_different(games), len(games)) else tally_pairs(games)


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


def clustered_mean(values: NDArray[np.float64], clusters: ArrayLike) -> tuple[float, float | None]:
    """The mean of values, `[N]` with N ≥ 1, and its `clustered_error`. `clusters`: the cluster of each value, `[N]`."""
    mean = float(values.mean())
    names, cluster = np.unique(clusters, return_inverse=True)
    squares = float(np.square(np.bincount(cluster, values - mean)).sum())
    return mean, clustered_error(squares, len(names), len(values))


@dataclass(frozen=True, slots=True)
class Significance:
    """A difference in units of its standard error, and how likely chance alone gives as much."""

    z: float
    p_greater: float
    """One-sided: the probability of a z at least this large when there is no difference."""
    p_two_sided: float


NORMAL: Final = 1000
"""The degrees of freedom from which on Student's t is taken for normal."""


def z_test(difference: float, standard_error: float) -> Significance | None:
    """Test a difference against zero; `None` when its error is zero (nothing varied)."""
    if not standard_error > 0:
        return None
    z = difference / standard_error
    return Significance(z, 0.5 * math.erfc(z / math.sqrt(2)), math.erfc(abs(z) / math.sqrt(2)))


def t_test(difference: float, standard_error: float, freedom: int) -> Significance | None:
    """As `z_test`, where the error itself was estimated with a few degrees of freedom: the probabilities are those of
    Student's t (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4).

    :param freedom: degrees of freedom, at least 1; for a mean over n pairs of games n − 1.
    """
    test = z_test(difference, standard_error)
    if test is None or freedom >= NORMAL:
        return test
    angle = math.atan2(abs(test.z), math.sqrt(freedom))
    odd = freedom % 2
    term, total = (math.cos(angle) if odd else 1.0), 0.0
    for k in range(1, freedom // 2 + 1):
        total += term
        term *= math.cos(angle) ** 2 * ((2 * k) / (2 * k + 1) if odd else (2 * k - 1) / (2 * k))
    inside = 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total
    outside = min(1.0, max(0.0, 1.0 - inside))
    return Significance(test.z, outside / 2 if test.z > 0 else 1.0 - outside / 2, outside)


def t_quantile(level: float, freedom: int) -> float:
    """The t that chance alone exceeds to either side with the probability `level`.

    :param level: above 0, below 1.
    :param freedom: as of `t_test`.
    """
    low, high = 0.0, 1.0
    while _outside(high, freedom) > level:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _outside(middle, freedom) > level else (low, middle)
    return high


def _outside(t: float, freedom: int) -> float:
    test = t_test(t, 1.0, freedom)
    assert test is not None
    return test.p_two_sided


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `n`."""

    count: int
    n: int

    @property
    def value(self) -> float | None:
        return self.count / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share, by Wilson's score (Brown, Cai and DasGupta, Statistical Science 16, 2001); 0
        to 1 without any.
        """
        if not self.n:
            return 0.0, 1.0
        p, z2 = self.count / self.n, Z95**2 / self.n
        middle = (p + z2 / 2) / (1 + z2)
        half = math.sqrt(p * (1 - p) * z2 + z2**2 / 4) / (1 + z2)
        return (middle - half if self.count else 0.0), (middle + half if self.count < self.n else 1.0)


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
    if not decisive + draws:
        return DecisiveRatio(None, None, None)
    low, high = Share(decisive, decisive + draws).interval
    if not draws:
        return DecisiveRatio(None, low / (1 - low), None)
    return DecisiveRatio(decisive / draws, low / (1 - low), high / (1 - high))
