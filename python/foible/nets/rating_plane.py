"""How a net with lc0's input planes is told the rating of the player to move: by a plane that lc0 always leaves empty.

Such a net was trained with plane 110 filled with (rating − 1500) / 500. Plane 111 is 1 everywhere, and the padding
around the board is 0 on both planes. So the weights of plane 110, multiplied by the value for a fixed rating, can be
added to those of plane 111: then any runtime, lc0 itself included, runs the net for that rating.
"""

from dataclasses import replace
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from foible.errors import NetFileError
from foible.nets.lc0_net import Lc0Net

RATING_PLANE: Final = 110
ONES_PLANE: Final = 111
CENTRE: Final = 1500
SPREAD: Final = 500
HEEDED: Final = 1e-3
"""A net counts as trained with ratings if the largest weight of its rating plane is at least this share of the largest
weight of all planes. Smaller weights come from rounding zeros in a file: the share is 1e-5 to 1e-4 in the Maia nets,
and 5e-2 in `club`.
"""
Numbers = TypeVar("Numbers", float, NDArray[np.float64])


def rating_value(rating: Numbers) -> Numbers:
    """The value that fills the rating plane for a player of this rating; of an array, for each of its ratings."""
    return (rating - CENTRE) / SPREAD


def fold_rating(net: Lc0Net, rating: int) -> Lc0Net:
    """The net with one rating built into its weights.

    :raises NetFileError: the net was trained without ratings.
    """
    weights = net.input.weights.astype(np.float64)
    unheeded = net.planes != "lc0"  # in the Armageddon encodings the rating plane has another use
    if unheeded or np.abs(weights[:, RATING_PLANE]).max() < HEEDED * np.abs(weights).max():
        raise NetFileError("was trained without ratings, and plays at none")
    weights[:, ONES_PLANE] += rating_value(float(rating)) * weights[:, RATING_PLANE]
    weights[:, RATING_PLANE] = 0
    return replace(net, input=replace(net.input, weights=weights.astype(np.float32)))
