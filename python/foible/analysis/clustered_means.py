"""Means of values that come in clusters, kept as running sums, with standard errors that allow for the clusters.

Moves of one game are alike, so their errors are clustered by game.

In Go self-play the clusters are families: a game, the branches that left it, and the branches of those. The games of
a family share moves, and all positions of a game share its result; so the independent units behind an error are the
families, not the positions or the games.
"""

from dataclasses import astuple, dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foible.arena.stats import clustered_error

Floats = NDArray[np.float64]


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


Integers = NDArray[np.int64]

ROUNDING: Final = 1e-12
"""A remainder that is at most this share of the sum of squares may be rounding error only, and counts as zero."""


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
    def error(self) -> float | None:
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
