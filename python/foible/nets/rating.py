"""Nets that are told how strong the player is: a rating on an input plane that lc0 always leaves empty.

Such a net was trained with plane 110 filled with (rating − 1500) / 500. Plane 111 is 1 everywhere, the padding around
the board being 0 on both, so a rating adds to the weights of plane 111: any runtime, lc0 itself included, then runs the
net for that rating.
"""

from dataclasses import replace

import numpy as np

from foible.nets.lc0_net import Lc0Net

RATING_PLANE, ONES_PLANE = 110, 111
CENTRE, SPREAD = 1500, 500
LOWEST, HIGHEST = 1000, 2000
"""Ratings of the players that `club` learnt from; in training those beyond count as these."""


def rating_value(rating: float) -> float:
    """What fills the plane of a player of that rating."""
    return (rating - CENTRE) / SPREAD


def fold_rating(net: Lc0Net, rating: int) -> Lc0Net:
    """The net for players of one rating. Without meaning for a net that was trained without them."""
    weights = net.input.weights.astype(np.float64)
    weights[:, ONES_PLANE] += rating_value(rating) * weights[:, RATING_PLANE]
    weights[:, RATING_PLANE] = 0
    return replace(net, input=replace(net.input, weights=weights.astype(np.float32)))
