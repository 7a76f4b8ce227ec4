"""Means of moves and of games, and what is computed from means, with their standard errors; and means of values
that come in clusters, kept as running sums.

The papers take moves as independent: then the error of a mean is s / √n, with s the sample deviation
(divisor n − 1), and errors of different samples add in squares. The standard error allows that the moves of a
pair of games hang together. With m a mean over n moves and S_g, n_g the sum and the number of its moves in
cluster g, the share of that cluster in the error of m is u_g = (S_g − n_g·m) / n; for a statistic f of several
means it is u_g = Σ_k ∂f/∂m_k · u_kg, so that samples that share clusters may help or hurt each other.
`arena.stats.clustered_error` turns Σ_g u_g², over all clusters that hold any of the moves, into the error.

With one move in each cluster both errors of a mean are the same. Where f is not linear both are those of the delta
method. Means over games and shares of games have one error, that of independent games.

Running sums have the clustered error alone. The moves of one game are alike, so their errors are clustered by game. In
Go self-play the clusters are families: a game, the branches that left it, and the branches of those. The games of a
family share moves, and all positions of a game share its result; so the independent units behind an error are the
families, not the positions or the games.
"""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foible.arena.stats import Significance, clustered_error, t_test

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROUNDING: Final = 1e-12
"""A remainder that is at most this share of the sum of squares may be rounding error only, and counts as zero."""

SIGNIFICANT = 0.05
"""The two-sided p below which tables mark a result with *, as the paper does in bold (skill-compatible §5.4)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number estimated from moves, with its standard errors."""

    n: int
    """The number of moves (or positions) behind the value, in all samples together."""
    clusters: int
    """The number of pairs of games behind the value; of games, in means over games."""
    value: float | None
    """`None` where the number is undefined: a sample without moves, a ratio to zero."""
    independent_error: float | None
    """Standard error as if moves were independent; `None` below two moves in a sample."""
    standard_error: float | None
    """Standard error clustered by pair of games; `None` below two pairs in a sample."""

    def __neg__(self) -> "Estimate":
        value = None if self.value is None else 0.0 - self.value
        return Estimate(self.n, self.clusters, value, self.independent_error, self.standard_error)

    @property
    def independent_test(self) -> Significance | None:
        """The test of the value against zero as if moves were independent; by Student's t, as of two samples'
        difference.
        """
        if self.value is None or self.independent_error is None:
            return None
        return t_test(self.value, self.independent_error, max(1, self.n - 2))

    @property
    def test(self) -> Significance | None:
        """The test of the value against zero, with the standard error, which few clusters tell badly: Student's t."""
        if self.value is None or self.standard_error is None:
            return None
        return t_test(self.value, self.standard_error, self.clusters - 1)


@dataclass(frozen=True, slots=True)
class Sample:
    """Summary of a sample of moves, enough for the mean of their values and both of its errors."""

    n: int
    mean: float
    """NaN without moves."""
    deviation: float
    """Sample deviation, divisor n − 1; NaN below two moves."""
    ids: NDArray[np.int64]
    """`[G]`: the numbers of the clusters that hold moves, ascending."""
    excess: NDArray[np.float64]
    """`[G]`: (S_g − n_g·mean) / n, the cluster's share in the error of the mean."""

    @classmethod
    def of(cls, values: "pl.Series", clusters: "pl.Series") -> "Sample":
        """Summarise moves, each with one value and one cluster; moves whose value is null are left out."""
        import polars as pl  # noqa: PLC0415  reports that only show estimates need no polars

        known = values.is_not_null()
        numbers = values.filter(known).cast(pl.Float64).to_numpy()
        ids, codes = np.unique(clusters.filter(known).cast(pl.Int64).to_numpy(), return_inverse=True)
        n = len(numbers)
        if n == 0:
            return cls(0, math.nan, math.nan, ids, np.zeros(0))
        mean = float(numbers.mean())
        deviation = float(numbers.std(ddof=1)) if n > 1 else math.nan
        return cls(n, mean, deviation, ids, np.bincount(codes, numbers - mean) / n)


def sample(rows: "pl.DataFrame", values: "str | pl.Expr", where: "pl.Expr | None" = None) -> Sample:
    """The values of the rows that fulfil a condition (all of them by default), clustered by `pair`."""
    import polars as pl  # noqa: PLC0415  as above

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
    return Estimate(n, clusters, value, linear.independent_error, linear.standard_error)


def combination(terms: Sequence[tuple[float, Sample]]) -> Estimate:
    """Σ weight · mean over samples that share no moves, but may share clusters."""
    samples = [moves for _, moves in terms]
    n = sum(moves.n for moves in samples)
    ids = np.unique(np.concatenate([moves.ids for moves in samples]))
    if not all(moves.n for moves in samples):
        return Estimate(n, len(ids), None, None, None)
    value = math.fsum(weight * moves.mean for weight, moves in terms)
    independent = clustered = None
    if all(moves.n > 1 for moves in samples):
        independent = math.hypot(*(weight * moves.deviation / math.sqrt(moves.n) for weight, moves in terms))
    if all(len(moves.ids) > 1 for moves in samples):
        shares = np.zeros(len(ids))
        for weight, moves in terms:
            shares[np.searchsorted(ids, moves.ids)] += weight * moves.excess
        clustered = clustered_error(float(shares @ shares), len(ids))
    return Estimate(n, len(ids), value, independent, clustered)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two means and their difference."""

    first: Estimate
    second: Estimate
    difference: Estimate
    """First minus second."""


def compare(first: Sample, second: Sample) -> Comparison:
    """Compare two samples that share no moves."""
    return Comparison(mean(first), mean(second), difference(first, second))


def mean_over_games(sums: ArrayLike, counts: ArrayLike | None = None) -> Estimate:
    """Σ sums / Σ counts over games, one value for each; a game counts once where `counts` is absent.

    Plies of one game are alike, so the error is that of a ratio estimator over games:
    SE² = G / (G − 1) · Σ (s − m·n)² / N², which is s / √G for a mean of games. `None` below two games, and where all
    games are alike: they tell no error.
    """
    s = np.asarray(sums, np.float64)
    n = np.ones_like(s) if counts is None else np.asarray(counts, np.float64)
    s, n = s[n > 0], n[n > 0]
    games, total = len(n), float(n.sum())
    if not games:
        return Estimate(0, 0, None, None, None)
    found = float(s.sum()) / total
    squares = float(((s - found * n) ** 2).sum())
    error = clustered_error(squares, games, total) if squares > ROUNDING * float((s * s).sum()) else None
    return Estimate(round(total), games, found, None, error)


def share_of_games(count: int, games: int) -> Estimate:
    """The share of games, 0 to 1: the mean of ones and zeros, and its error √(p (1 − p) / (G − 1)), as of that mean."""
    if not games:
        return Estimate(0, 0, None, None, None)
    p = count / games
    return Estimate(games, games, p, None, math.sqrt(p * (1 - p) / (games - 1)) if 0 < p < 1 else None)


def in_percent(share: Estimate) -> Estimate:
    """A share in percent."""
    value, error = (None if one is None else 100 * one for one in (share.value, share.standard_error))
    return Estimate(share.n, share.clusters, value, None, error)


class ClusterMeans:
    """Means of an array of quantities, cluster by cluster, in constant memory."""

    def __init__(self, *shape: int) -> None:
        self.count, self.clusters, self._total = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._ss, self._sn, self._nn = np.zeros(shape), np.zeros(shape), np.zeros(shape)

    def add(self, sums: Floats, counts: ArrayLike) -> None:
        """Add one cluster, given as the sum of each quantity and the number of values in each sum."""
        numbers = np.asarray(counts, np.float64)
        self.count += numbers
        self.clusters += numbers > 0
        self._total += sums
        self._ss += sums * sums
        self._sn += sums * numbers
        self._nn += numbers * numbers

    @property
    def mean(self) -> Floats:
        """The mean of each quantity; NaN where nothing was added."""
        found: Floats = np.divide(self._total, self.count, out=np.full_like(self.count, np.nan), where=self.count > 0)
        return found

    @property
    def standard_error(self) -> Floats:
        """The clustered standard error of each mean; NaN where there are fewer than two clusters."""
        mean = self.mean
        squares = np.maximum(self._ss - 2 * mean * self._sn + mean * mean * self._nn, 0)
        each = zip(squares.flat, self.clusters.flat, self.count.flat, strict=True)
        found = [clustered_error(float(one), int(clusters), float(n)) for one, clusters, n in each]
        return np.array(found, np.float64).reshape(squares.shape)


@dataclass(frozen=True, slots=True)
class FamilyMean:
    """A mean over families, kept as sums; adding two objects pools their families, which must differ."""

    n: int = 0
    families: int = 0
    total: float = 0.0
    squares: float = 0.0
    """Σ s², with s the sum of the n values of a family."""
    products: float = 0.0
    """Σ s n."""
    sizes: float = 0.0
    """Σ n²."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))

    @property
    def value(self) -> float | None:
        """The mean; `None` without values."""
        return self.total / self.n if self.n else None

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean, as that of a ratio estimator over families.

        `None` where the families give no error: there are fewer than two, or all have the same mean.
        """
        if self.families < 2:
            return None
        mean = self.total / self.n
        spread = self.squares - 2 * mean * self.products + mean**2 * self.sizes
        if spread <= ROUNDING * self.squares:  # no variation so far: the formula would claim an error of zero
            return None
        return clustered_error(spread, self.families, self.n)


def means_by(keys: Floats, values: Floats, families: Integers) -> dict[float, FamilyMean]:
    """For each distinct key, ascending, the mean of its values. All `[N]`; `families`: the family of each value."""
    names, of = np.unique(keys, return_inverse=True)
    width = int(families.max()) + 1 if len(families) else 1
    pairs, pair = np.unique(of * width + families, return_inverse=True)
    # One entry for each pair of a key and a family that occurs:
    n, total, key = np.bincount(pair), np.bincount(pair, values), pairs // width
    sums = [np.bincount(key, weights) for weights in (n, np.ones(len(n)), total, total**2, total * n, n**2)]
    return {
        float(name): FamilyMean(round(count), round(units), *(float(one) for one in rest))
        for name, count, units, *rest in zip(names, *sums, strict=True)
    }


def family_mean(values: Floats, families: Integers) -> FamilyMean:
    """The mean of all values, `[N]`."""
    return means_by(np.zeros(len(values)), values, families).get(0.0, FamilyMean())
