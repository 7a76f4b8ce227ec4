"""Means of things that come in clusters, kept as sums that grow cluster by cluster, with errors that know it.

Moves of one game are alike, so that errors are clustered by game.

Of Go's self-play the clusters are families: a game, the branches that left it and theirs. They share moves, and all
positions of a game share its result. Families are the units of the errors, positions and games are not.
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
        """One cluster: the sum of each quantity, and how many values each sum holds."""
        numbers = np.asarray(counts, np.float64)
        self.count += numbers
        self.clusters += numbers > 0
        self._total += sums
        self._ss += sums * sums
        self._sn += sums * numbers
        self._nn += numbers * numbers

    @property
    def mean(self) -> Floats:
        """NaN where nothing was added."""
        found: Floats = np.divide(self._total, self.count, out=np.full_like(self.count, np.nan), where=self.count > 0)
        return found

    @property
    def standard_error(self) -> Floats:
        """NaN where there are fewer than two clusters."""
        mean = self.mean
        squares = np.maximum(self._ss - 2 * mean * self._sn + mean * mean * self._nn, 0)
        each = zip(squares.flat, self.clusters.flat, self.count.flat, strict=True)
        found = [clustered_error(float(one), int(clusters), float(n)) for one, clusters, n in each]
        return np.array(found, np.float64).reshape(squares.shape)


Integers = NDArray[np.int64]

ROUNDING: Final = 1e-12
"""Share of a sum of squares: a rest that is no greater may be what rounding has left of nothing."""


@dataclass(frozen=True, slots=True)
class FamilyMean:
    """The mean of a number, as sums; those of different families add up."""

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
        """`None` of nothing."""
        return self.total / self.n if self.n else None

    @property
    def error(self) -> float | None:
        """Standard error of a ratio over families.

        `None` where families do not tell it: there are fewer than two, or all have the same mean.
        """
        if self.families < 2:
            return None
        mean = self.total / self.n
        spread = self.squares - 2 * mean * self.products + mean**2 * self.sizes
        if spread <= ROUNDING * self.squares:  # the formula would be sure of what has not varied yet
            return None
        return clustered_error(spread, self.families, self.n)


def means_by(keys: Floats, values: Floats, families: Integers) -> dict[float, FamilyMean]:
    """By key, ascending, the mean of the values that have it. All `[N]`; `families`: which one each is of."""
    names, of = np.unique(keys, return_inverse=True)
    width = int(families.max()) + 1 if len(families) else 1
    pairs, pair = np.unique(of * width + families, return_inverse=True)
    # Of each key and family that go together:
    n, total, key = np.bincount(pair), np.bincount(pair, values), pairs // width
    sums = [np.bincount(key, weights) for weights in (n, np.ones(len(n)), total, total**2, total * n, n**2)]
    return {
        float(name): FamilyMean(round(count), round(units), *(float(one) for one in rest))
        for name, count, units, *rest in zip(names, *sums, strict=True)
    }


def family_mean(values: Floats, families: Integers) -> FamilyMean:
    """The mean of all values, `[N]`."""
    return means_by(np.zeros(len(values)), values, families).get(0.0, FamilyMean())
