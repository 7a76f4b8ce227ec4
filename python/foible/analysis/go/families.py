"""Means over positions or games that hang together, with honest errors.

A game, the branches that left it and theirs are a family: they share moves, and all positions of a game share its
result. Families are the units of the errors, positions and games are not.
"""

import math
from dataclasses import astuple, dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROUNDING: Final = 1e-12
"""Of a sum of squares: a rest that is no greater may be what rounding has left of nothing."""


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
        """Standard error of a ratio over F families: SE² = F / (F − 1) · Σ (s − mean · n)² / N².

        `None` where families do not tell it: there are fewer than two, or all have the same mean.
        """
        if self.families < 2:
            return None
        mean = self.total / self.n
        spread = self.squares - 2 * mean * self.products + mean**2 * self.sizes
        if spread <= ROUNDING * self.squares:  # the formula would be sure of what has not varied yet
            return None
        return math.sqrt(self.families / (self.families - 1) * spread) / self.n


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


def mean_of(values: Floats, families: Integers) -> FamilyMean:
    """The mean of all values, `[N]`."""
    return means_by(np.zeros(len(values)), values, families).get(0.0, FamilyMean())
