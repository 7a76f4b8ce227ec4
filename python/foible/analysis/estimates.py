"""Means of moves, and what is computed from means, each with two standard errors.

The plain error takes moves as independent: the error of a mean is s / √n, with s the sample deviation
(divisor n − 1), and errors of different samples add in squares. The clustered error allows that the moves of a
pair of games hang together. With m a mean over n moves and S_g, n_g the sum and the number of its moves in
cluster g, the share of that cluster in the error of m is u_g = (S_g − n_g·m) / n; for a statistic f of several
means it is u_g = Σ_k ∂f/∂m_k · u_kg, so that samples that share clusters may help or hurt each other, and

    se_clustered² = G / (G − 1) · Σ_g u_g²,    G = clusters that hold any of the moves.

With one move in each cluster the clustered error of a mean is the plain one exactly. Where f is not linear both
errors are those of the delta method.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from foible.arena.stats import ZTest, z_test

SIGNIFICANT = 0.05
"""Two-sided level below which the tables print bold (skill-compatible §5.4)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that was estimated from moves."""

    n: int
    """Moves (or positions) behind it, of all samples together."""
    clusters: int
    """Pairs of games behind it."""
    value: float | None
    """`None` where it is undefined: a sample without moves, a ratio to zero."""
    se: float | None
    """Standard error as if moves were independent; `None` below two moves in a sample."""
    se_clustered: float | None
    """Standard error clustered by pair of games; `None` below two pairs in a sample."""

    def __neg__(self) -> "Estimate":
        value = None if self.value is None else 0.0 - self.value
        return Estimate(self.n, self.clusters, value, self.se, self.se_clustered)

    @property
    def test(self) -> ZTest | None:
        """Against zero, with the plain error."""
        return _test(self.value, self.se)

    @property
    def test_clustered(self) -> ZTest | None:
        """Against zero, with the clustered error."""
        return _test(self.value, self.se_clustered)


def _test(value: float | None, error: float | None) -> ZTest | None:
    return None if value is None or error is None else z_test(value, error)


@dataclass(frozen=True, slots=True)
class Sample:
    """What is kept of some moves: enough for their mean and both of its errors."""

    n: int
    mean: float
    """NaN without moves."""
    deviation: float
    """Sample deviation, divisor n − 1; NaN below two moves."""
    ids: NDArray[np.int64]
    """`[G]`: the clusters that hold moves, rising."""
    excess: NDArray[np.float64]
    """`[G]`: (S_g − n_g·mean) / n, the cluster's share in the error of the mean."""

    @classmethod
    def of(cls, values: pl.Series, clusters: pl.Series) -> "Sample":
        """One value and one cluster for each move; moves whose value is null are left out."""
        known = values.is_not_null()
        numbers = values.filter(known).cast(pl.Float64).to_numpy()
        ids, codes = np.unique(clusters.filter(known).cast(pl.Int64).to_numpy(), return_inverse=True)
        n = len(numbers)
        if n == 0:
            return cls(0, math.nan, math.nan, ids, np.zeros(0))
        mean = float(numbers.mean())
        deviation = float(numbers.std(ddof=1)) if n > 1 else math.nan
        return cls(n, mean, deviation, ids, np.bincount(codes, numbers - mean) / n)


def sample(rows: pl.DataFrame, values: str | pl.Expr, where: pl.Expr | None = None) -> Sample:
    """The values of the rows that fulfil a condition (all of them by default), clustered by `pair`."""
    value = pl.col(values) if isinstance(values, str) else values
    chosen = rows.lazy().filter(True if where is None else where).select(value.alias("value"), "pair").collect()
    return Sample.of(chosen["value"], chosen["pair"])


def mean(moves: Sample) -> Estimate:
    """The mean of a sample."""
    return combination([(1.0, moves)])


def difference(first: Sample, second: Sample) -> Estimate:
    """Mean of the first minus mean of the second."""
    return combination([(1.0, first), (-1.0, second)])


def ratio(first: Sample, second: Sample) -> Estimate:
    """Mean of the first over mean of the second, errors by the delta method; undefined when the second is 0."""
    n = first.n + second.n
    clusters = len(np.union1d(first.ids, second.ids))
    if not first.n or not second.n or second.mean == 0:
        return Estimate(n, clusters, None, None, None)
    value = first.mean / second.mean
    linear = combination([(1 / second.mean, first), (-value / second.mean, second)])
    return Estimate(n, clusters, value, linear.se, linear.se_clustered)


def combination(terms: Sequence[tuple[float, Sample]]) -> Estimate:
    """Σ weight · mean over disjoint samples of moves; they may share clusters."""
    samples = [moves for _, moves in terms]
    n = sum(moves.n for moves in samples)
    ids = np.unique(np.concatenate([moves.ids for moves in samples]))
    if not all(moves.n for moves in samples):
        return Estimate(n, len(ids), None, None, None)
    value = math.fsum(weight * moves.mean for weight, moves in terms)
    plain = clustered = None
    if all(moves.n > 1 for moves in samples):
        plain = math.hypot(*(weight * moves.deviation / math.sqrt(moves.n) for weight, moves in terms))
    if all(len(moves.ids) > 1 for moves in samples):
        shares = np.zeros(len(ids))
        for weight, moves in terms:
            shares[np.searchsorted(ids, moves.ids)] += weight * moves.excess
        clustered = math.sqrt(len(ids) / (len(ids) - 1) * float(shares @ shares))
    return Estimate(n, len(ids), value, plain, clustered)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two means and their difference."""

    first: Estimate
    second: Estimate
    difference: Estimate
    """First minus second."""


def compare(first: Sample, second: Sample) -> Comparison:
    """Two disjoint samples of moves."""
    return Comparison(mean(first), mean(second), difference(first, second))
