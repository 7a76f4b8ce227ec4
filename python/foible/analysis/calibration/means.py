"""Means of things that come in clusters, with errors that know it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


class ClusterMeans:
    """Means of an array of quantities, cluster by cluster, in constant memory.

    Moves of one game are alike. So the error is that of a ratio estimator over games:
    SE² = G / (G − 1) · Σ_g (s_g − μ n_g)² / N², with s_g the sum and n_g the number in game g of G.
    """

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
        mean, enough = self.mean, self.clusters > 1
        squares = np.maximum(self._ss - 2 * mean * self._sn + mean * mean * self._nn, 0)
        inflated = squares * self.clusters
        found: Floats = np.full_like(self.count, np.nan)
        np.divide(inflated, self.clusters - 1, out=found, where=enough)
        np.divide(np.sqrt(found, where=enough, out=found), self.count, out=found, where=enough)
        return found
