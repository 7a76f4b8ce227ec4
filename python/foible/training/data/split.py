"""Which games are trained on and which are held out."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from foible.training.data.config import Held, HoldOut

Part = Literal["train", "validation", "test"]


def split(
    keys: NDArray[np.uint64], games: NDArray[np.bool_], hold_out: HoldOut, train: int | None = None
) -> dict[Part, NDArray[np.bool_]]:
    """`[G]` each: the games of each part. Tests take the smallest keys, validation the largest.

    `games`: `[G]`, those that are divided. `train`: at most so many are trained on.

    Games with the same key are always in the same part, also where that makes it larger than asked for.
    """
    test = games & _smallest(keys, games, hold_out.test)
    validation = games & ~test & _smallest(~keys, games, hold_out.validation)
    rest = games & ~test & ~validation
    if train is not None:
        rest &= _smallest(keys, rest, train)
    return {"train": rest, "validation": validation, "test": test}


def _smallest(keys: NDArray[np.uint64], games: NDArray[np.bool_], held: Held) -> NDArray[np.bool_]:
    """`[G]`: keys in the lowest share of their range, or up to that of so many `games`."""
    if isinstance(held, float):
        return in_test(keys, held)
    candidates = np.sort(keys[games])[:held]
    if not len(candidates):
        return np.zeros(len(keys), np.bool_)
    up_to: NDArray[np.bool_] = keys <= candidates[-1]
    return up_to


def in_test(keys: NDArray[np.uint64], share: float) -> NDArray[np.bool_]:
    """`[G]`: the games that tests take when they take a share, whatever other games there are."""
    below: NDArray[np.bool_] = keys < np.uint64(int(share * 2**64))
    return below
