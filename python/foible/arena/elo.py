"""Scores as Elo: the estimate, two kinds of error bar, likelihood of superiority, normalised Elo; and the `Scoreline`,
everything that can be computed from the counts of a match's results.

The cutechess margin (phase-experts §7.3) is for comparison with published matches; near 0 % and 100 % it does
not exist. The interval of this toolkit is `credible_share`: it always exists, is finite, and holds what it
promises at the edges too.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from foible.arena.stats import GAME_CLASSES, Z95, Tally
from foible.errors import ConfigError
from foible.wording import signed

Floats = NDArray[np.float64]

NORMALISED_ELO_UNIT = 800 / math.log(10)
"""Elo per unit of (score − ½) / deviation, so that both scales agree for small differences without draws."""

_JEFFREYS = 0.5
"""Prior count of every class of games."""
_NORMAL = NormalDist()
_LEAST = 1e-15
"""The least probability that `_below` tells from 0."""
_OF_PAIRS = np.array((1, 2, 3, 2, 1)) / 9
"""How often two games have each sum of points where loss, draw and win are alike likely."""


@dataclass(frozen=True, slots=True)
class Elo:
    """An Elo difference with its 95 % interval."""

    value: float | None
    """`None` where all games were won, all were lost, or none was played: only a bound is known then."""
    low: float
    high: float

    def __str__(self) -> str:
        if self.value is not None:
            return f"{signed(self.value)} [{signed(self.low)}, {signed(self.high)}]"
        if abs(self.low + self.high) < 1e-6:
            return f"between {signed(self.low)} and {signed(self.high)}"
        return f"above {signed(self.low)}" if self.low + self.high > 0 else f"below {signed(self.high)}"


def elo_of_share(share: float) -> float:
    """Logistic Elo of an expected score strictly between 0 and 1."""
    return 400 * math.log10(share / (1 - share))


def share_of_elo(elo: float) -> float:
    """The expected win share, 0 to 1, of a player who is so many Elo points stronger than the opponent."""
    return 1 / (1 + 10 ** (-elo / 400))


def point_elo(tally: Tally) -> float | None:
    """Elo of the share; `None` at 0 %, at 100 % and without games."""
    share = tally.share
    return None if share is None or not 0 < share < 1 else elo_of_share(share)


@lru_cache(maxsize=1 << 14)
def estimate_elo(tally: Tally) -> Elo:
    """Elo with the interval of `credible_share`.

    It is kept: tables are written after every game or match, and few of their lines are new.
    """
    low, high = credible_share(tally)
    return Elo(point_elo(tally), elo_of_share(low), elo_of_share(high))


def winitzki_z() -> float:
    """1.957, cutechess' `Z95`: √2·erf⁻¹(0.95) by Winitzki's approximation (phase-experts §7.3)."""
    a = 8 * (math.pi - 3) / (3 * math.pi * (4 - math.pi))
    y = math.log(1 - 0.95**2)
    t = 2 / (math.pi * a) + y / 2
    return math.sqrt(2) * math.sqrt(math.sqrt(t * t - y / a) - t)


def elo_margin(tally: Tally, z: float = Z95) -> float | None:
    """Half the 95 % interval as cutechess prints it; `None` where share ± z·error leaves (0, 1)."""
    share, error = tally.share, tally.standard_error
    if share is None or error is None or not 0 < share - z * error <= share + z * error < 1:
        return None
    return (elo_of_share(share + z * error) - elo_of_share(share - z * error)) / 2


def superiority(tally: Tally) -> float | None:
    """Likelihood of superiority, 0 to 1; `None` without games.

    It is the probability of an expected score above ½ under the prior of `credible_share`: 97.5 % where that interval
    begins at ½, and more with each point, however few the games.
    """
    if not tally.n:
        return None
    return min(max(1 - _below(0.5, np.asarray(tally.scores), posterior_weights(tally)), 0.0), 1.0)


def superiority_of_score(tally: Tally) -> float | None:
    """Likelihood of superiority as fastchess computes it, from share and variance; `None` where nothing varied.

    It takes the share to be normally distributed with the variance of these results, and so claims too much where a few
    games happen to vary little: 99.97 % after three wins and a draw.
    """
    share, error = tally.share, tally.standard_error
    if share is None or not error:
        return None
    return 0.5 * math.erfc((0.5 - share) / (error * math.sqrt(2)))


def superiority_of_decisive(wins: int, losses: int) -> float | None:
    """Likelihood of superiority as cutechess computes it, draws left out; `None` without a decisive game."""
    if not wins + losses:
        return None
    return 0.5 * math.erfc((losses - wins) / math.sqrt(2 * (wins + losses)))


def normalised_elo(tally: Tally) -> float | None:
    """(score − ½) in units of one game's deviation, times 800 / ln 10; `None` when nothing varied."""
    share, variance = tally.share, tally.variance
    if share is None or not variance:
        return None
    return (share - 0.5) / math.sqrt(tally.games_each * variance) * NORMALISED_ELO_UNIT


def credible_share(tally: Tally, level: float = 0.95) -> tuple[float, float]:
    """The equal-tailed interval of the expected score under Jeffreys' prior, strictly inside (0, 1).

    Jeffreys' interval is one of the two that Brown, Cai and DasGupta (Interval Estimation for a Binomial
    Proportion, Statistical Science 16, 2001) advise for small samples: its coverage is close to nominal
    everywhere, where the textbook share ± z·error fails near 0 and 1. Here it stands on all classes of the
    tally: the class probabilities have the Dirichlet distribution of `posterior_weights`, the expected score is their
    mean score. Of the two, Wilson's ends at 1 when every game is won (Elo without end); this one does not.
    """
    alpha = posterior_weights(tally)
    scores = np.asarray(tally.scores)
    total = alpha.sum()
    mean = float(alpha @ scores / total)
    deviation = math.sqrt(float(alpha @ (scores - mean) ** 2 / (total * (total + 1))))

    def quantile(p: float) -> float:
        """By the Illinois form of regula falsi, in deviations of a normal distribution: there it is almost a line."""
        wanted = _NORMAL.inv_cdf(p)
        low, high = max(0.0, mean - 12 * deviation), min(1.0, mean + 12 * deviation)
        under, over = -12 - wanted, 12 - wanted
        share, gap = low, 0.0
        while True:
            before, last = share, gap
            share = (low * over - high * under) / (over - under)
            if abs(share - before) <= 1e-15 + 1e-12 * deviation:
                return share
            below = min(max(_below(share, scores, alpha), _LEAST), 1 - _LEAST)
            gap = _NORMAL.inv_cdf(below) - wanted
            if gap < 0:
                low, under = share, gap
                over /= 2 if last < 0 else 1
            else:
                high, over = share, gap
                under /= 2 if last > 0 else 1

    return quantile((1 - level) / 2), quantile((1 + level) / 2)


def posterior_weights(tally: Tally) -> Floats:
    """The weights of the Dirichlet distribution of the classes' probabilities: the counts, and the prior's.

    Jeffreys' prior, ½ for each class, is worth one and a half games. The prior of pairs is worth as many: ½ for each of
    their five classes would be five games, which draw scores near 0 and 1 to the middle.
    """
    of_games = np.full(GAME_CLASSES, _JEFFREYS)
    prior = of_games if tally.games_each == 1 else of_games.sum() / 2 * _OF_PAIRS
    weights: Floats = np.asarray(tally.counts, np.float64) + prior
    return weights


@dataclass(frozen=True, slots=True)
class Scoreline:
    """A tally and the statistics computed from it; `None` for those that do not exist: no games, or nothing varied."""

    counts: tuple[int, ...]
    """Losses, draws, wins; or pairs LL, LD, WL + DD, WD, WW."""
    share: float | None
    """Mean score, 0 to 1."""
    standard_error: float | None
    """The error of the share, `Tally.sample_error`, as reports of matches have it."""
    elo: Elo
    elo_margin: float | None
    """Half the 95 % interval as other match programs print it."""
    normalised_elo: float | None
    superiority: float | None
    """Probability of being the stronger player, 0 to 1."""
    superiority_of_score: float | None
    """The same as fastchess computes it."""


def scoreline(tally: Tally) -> Scoreline:
    """Compute the statistics of a tally."""
    return Scoreline(
        tally.counts,
        tally.share,
        tally.sample_error,
        estimate_elo(tally),
        elo_margin(tally),
        normalised_elo(tally),
        superiority(tally),
        superiority_of_score(tally),
    )


def pairs_of(games: Tally, counts: tuple[int, ...]) -> Tally:
    """Check the pentanomial counts of a match against its games, and return them as a tally.

    :raises ConfigError: a negative count, or another number of games or points than `games` has.
    """
    if min(counts) < 0:
        raise ConfigError(f"pairs {counts}: a count is negative")
    pairs = Tally(counts)
    points = sum(count * i for i, count in enumerate(counts))
    expected = sum(count * i for i, count in enumerate(games.counts))
    if (2 * pairs.n, points) != (games.n, expected):
        raise ConfigError(
            f"pairs {' '.join(map(str, counts))} are {2 * pairs.n} games with {points / 2:g} points,"
            f" the games are {games.n} with {expected / 2:g}"
        )
    return pairs


_LOG_GRID, _LOG_STEP = np.linspace(-40.0, 40.0, 4001, retstep=True)
_GRID = np.exp(_LOG_GRID)[:, None]


def _below(t: float, scores: Floats, alpha: Floats) -> float:
    """P(Σ pᵢ scoreᵢ ≤ t) for p ~ Dirichlet(alpha).

    A Dirichlet vector is a normalised vector of gamma variables, so this is P(Σ (scoreᵢ − t) gammaᵢ ≤ 0): the
    inversion formula of Gil-Pelaez (Biometrika 38, 1951) at 0, integrated over the logarithm of the
    frequency, where the trapezoidal rule converges fast.
    """
    weights = (scores - t) / math.sqrt(float(alpha @ (scores - t) ** 2))
    waves = _GRID * weights
    magnitude = np.exp(-0.5 * (np.log1p(waves * waves) @ alpha))
    return float(0.5 - (magnitude * np.sin(np.arctan(waves) @ alpha)).sum() * _LOG_STEP / math.pi)
