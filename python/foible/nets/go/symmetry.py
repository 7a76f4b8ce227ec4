"""The eight symmetries of a square board, and which of them a position is evaluated by (SAI, §8).

A symmetry puts at each point (x, y) what is at its source: with bit 4 set x and y change places, then with bit 2 x
counts from the other side, with bit 1 y. 0 leaves all as it is. So the programs of Leela Zero and SAI number them.
"""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foible.nets.evaluator import Floats

COUNT: Final = 8

Symmetries = NDArray[np.uint8]
_Table = NDArray[np.intp]

_STEP: Final = 0x9E3779B97F4A7C15
_MIX: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
"""Step and factors of the generator splitmix64, which scatter keys that have much in common."""


@cache
def sources(size: int) -> _Table:
    """`[8, S + 1]`: by symmetry, for each point the one whose content it gets; the pass stays the last."""
    points = np.arange(size * size).reshape(size, size)
    rows = []
    for symmetry in range(COUNT):
        seen = points[:, ::-1] if symmetry & 2 else points
        seen = seen[::-1] if symmetry & 1 else seen
        seen = seen.T if symmetry & 4 else seen
        rows.append([*seen.ravel(), size * size])
    return np.array(rows, np.intp)


@cache
def targets(size: int) -> _Table:
    """`[8, S + 1]`: for each point the one that gets its content."""
    return np.argsort(sources(size), axis=1)


def turn_planes(planes: Floats, symmetries: Symmetries) -> Floats:
    """`[N, C, size, size]` with each position seen by its symmetry, `[N]`."""
    size = planes.shape[-1]
    flat = planes.reshape(*planes.shape[:2], -1)
    turned = np.empty_like(flat)
    for symmetry in range(COUNT):
        rows = np.flatnonzero(symmetries == symmetry)
        turned[rows] = flat[rows].take(sources(size)[symmetry, :-1], axis=2)
    return turned.reshape(planes.shape)


def turn_back(policy: Floats, symmetries: Symmetries, size: int) -> Floats:
    """The policy `[N, S + 1]` of positions seen by their symmetries, as that of the positions themselves."""
    return np.take_along_axis(policy, targets(size)[symmetries], axis=1)


def drawn(keys: NDArray[np.uint64], seed: int) -> Symmetries:
    """`[N]`: a symmetry for each position, by the seed and the position's key alone."""
    values = keys + np.uint64(seed * _STEP % 2**64)
    values = (values ^ (values >> np.uint64(30))) * _MIX[0]
    values = (values ^ (values >> np.uint64(27))) * _MIX[1]
    return (values >> np.uint64(61)).astype(np.uint8)
