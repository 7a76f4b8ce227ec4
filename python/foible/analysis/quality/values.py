"""From a judge's value to a win probability, as we take it and as the published code took it; losses of moves.

q = P(win) − P(loss), −1 to 1. We take (1 + q) / 2. The published analysis read centipawns from lc0 and turned
them back with the inverse of lc0's formula of 2018, also where a later lc0 had written them
(skill-compatible §5.1); its losses are comparable only with those of the same version.
"""

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from foible.judges.centipawns import CpFormula, Values, lc0_cp, wp_compat

WpMode = Literal["q", "compat-2018", "compat-2019", "compat-2020"]
"""`q`: (1 + q) / 2. `compat-…`: lc0's centipawns of that formula, turned back with the one of 2018."""


_FORMULAS: Mapping[WpMode, CpFormula] = {"compat-2018": "2018", "compat-2019": "2019", "compat-2020": "2020"}


def win_probability(q: ArrayLike, mode: WpMode = "q") -> Values:
    """Win probability, 0 to 1, in the view of q. A decided game, q = ±1, stays 0 or 1 in every mode."""
    value = np.asarray(q, np.float64)
    plain = (1 + value) / 2
    if mode == "q":
        return plain
    # lc0 calls decided games mates, and its centipawns of q = 1 fall short of 1 by 0.00001.
    return np.where(np.abs(value) == 1, plain, wp_compat(lc0_cp(value, _FORMULAS[mode])))


def raw_loss(wp_before: ArrayLike, wp_after: ArrayLike) -> Values:
    """Percentage points of win probability that a move gave away; both in the mover's view (skill-compatible §5.2)."""
    return 100 * (np.asarray(wp_before, np.float64) - np.asarray(wp_after, np.float64))


def clipped_loss(raw: ArrayLike) -> Values:
    """The loss of a move, 0 to 100: a move cannot gain against a judge that is right (skill-compatible §5.2)."""
    return np.clip(np.asarray(raw, np.float64), 0.0, 100.0)
