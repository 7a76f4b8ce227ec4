"""Nets that are told how strong the player is: a rating on an input plane that lc0 always leaves empty.

Such a net was trained with plane 110 filled with (rating − 1500) / 500. Plane 111 is 1 everywhere, the padding around
the board being 0 on both, so a rating adds to the weights of plane 111: any runtime, lc0 itself included, then runs the
net for that rating.
"""

from dataclasses import replace

import numpy as np

from foible.errors import NetFileError
from foible.nets.lc0_net import Lc0Net

RATING_PLANE, ONES_PLANE = 110, 111
CENTRE, SPREAD = 1500, 500
LOWEST, HIGHEST = 1000, 2000
"""Ratings of the players that `club` learnt from; in training those beyond count as these."""
HEEDED = 1e-3
"""Weights of the rating's plane below this share of the largest are what the rounding of a file makes of 0: 1e-5 to
1e-4 in the Maia nets, 5e-2 in `club`.
"""


def rating_value(rating: float) -> float:
    """What fills the plane of a player of that rating."""
    return (rating - CENTRE) / SPREAD


def fold_rating(net: Lc0Net, rating: int) -> Lc0Net:
    """The net for players of one rating.

    :raises NetFileError: it pays no attention to ratings.
    """
    weights = net.input.weights.astype(np.float64)
    if np.abs(weights[:, RATING_PLANE]).max() < HEEDED * np.abs(weights).max():
        raise NetFileError("was trained without ratings, and plays at none")
    weights[:, ONES_PLANE] += rating_value(rating) * weights[:, RATING_PLANE]
    weights[:, RATING_PLANE] = 0
    return replace(net, input=replace(net.input, weights=weights.astype(np.float32)))
