"""lc0's centipawns of q = P(win) − P(loss), −1 to 1, and the published way back (skill-compatible §1.5, §5.1)."""

from typing import Final, Literal, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]
CpFormula = Literal["2018", "2019", "2020"]
"""lc0's centipawns: to 0.21, from 0.22 to 0.24, from 0.25 to 0.29 (skill-compatible §1.5)."""

_SCALE_2018: Final = 290.680623072
_ANGLE_2018: Final = 1.548090806
_SCALE_2019: Final = 295.0
_BEND_2019: Final = 0.976953126
_SCALE_2020: Final = 90.0
_ANGLE_2020: Final = 1.5637541897


def wp_compat_unclamped(cp: ArrayLike) -> Values:
    """½ + atan(cp / 290.68…) / 3.096…, as published: mates leave 0 … 1 by 0.0064."""
    return 0.5 + np.arctan(np.asarray(cp, np.float64) / _SCALE_2018) / (2 * _ANGLE_2018)


def wp_compat(cp: ArrayLike) -> Values:
    """Win probability, 0 to 1, of centipawns by the inverse of lc0's formula of 2018; same view."""
    return np.clip(wp_compat_unclamped(cp), 0.0, 1.0)


def lc0_cp(q: ArrayLike, formula: CpFormula) -> Values:
    """Centipawns that lc0 makes of q, before it drops the fraction; ±12800 at q = ±1."""
    value: Values = np.asarray(q, np.float64)
    match formula:
        case "2018":
            return _SCALE_2018 * np.tan(_ANGLE_2018 * value)
        case "2019":
            centipawns: Values = _SCALE_2019 * value / (1 - _BEND_2019 * value**14)
            return centipawns
        case "2020":
            return _SCALE_2020 * np.tan(_ANGLE_2020 * value)
    assert_never(formula)
