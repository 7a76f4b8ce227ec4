"""From a judge's value to a win probability, as we take it and as the published code took it; losses of moves.

q = P(win) − P(loss), −1 to 1. We take (1 + q) / 2. The published analysis read centipawns from lc0 and turned
them back with the inverse of lc0's formula of 2018, also where a later lc0 had written them
(skill-compatible §5.1); its losses are comparable only with those of the same version.
"""

from typing import Final, Literal, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]
CpFormula = Literal["2018", "2019", "2020"]
"""lc0's centipawns: to 0.21, from 0.22 to 0.24, from 0.25 to 0.29 (skill-compatible §1.5)."""
WpMode = Literal["q", "compat-2018", "compat-2019", "compat-2020"]
"""`q`: (1 + q) / 2. `compat-…`: lc0's centipawns of that formula, turned back with the one of 2018."""

_SCALE_2018: Final = 290.680623072
_ANGLE_2018: Final = 1.548090806
_SCALE_2019: Final = 295.0
_BEND_2019: Final = 0.976953126
_SCALE_2020: Final = 90.0
_ANGLE_2020: Final = 1.5637541897
_HALVINGS: Final = 60
"""Of the interval of length 2 that holds q: beyond the precision of a double."""


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


def lc0_q(cp: ArrayLike, formula: CpFormula) -> Values:
    """The q, −1 to 1, of which lc0 makes these centipawns; beyond ±12800 it is ±1."""
    cp = np.asarray(cp, np.float64)
    match formula:
        case "2018":
            return np.clip(np.arctan(cp / _SCALE_2018) / _ANGLE_2018, -1.0, 1.0)
        case "2019":
            return _bisected_2019(cp)
        case "2020":
            return np.clip(np.arctan(cp / _SCALE_2020) / _ANGLE_2020, -1.0, 1.0)
    assert_never(formula)


def _bisected_2019(cp: Values) -> Values:
    """The formula of 2019 rises all the way from −1 to 1 but has no closed inverse."""
    low: Values = np.full(cp.shape, -1.0)
    high: Values = np.full(cp.shape, 1.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = lc0_cp(middle, "2019") < cp
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def win_probability(q: ArrayLike, mode: WpMode = "q") -> Values:
    """Win probability, 0 to 1, in the view of q. A decided game, q = ±1, stays 0 or 1 in every mode."""
    match mode:
        case "q":
            return (1 + np.asarray(q, np.float64)) / 2
        case "compat-2018":
            return _compat(q, "2018")
        case "compat-2019":
            return _compat(q, "2019")
        case "compat-2020":
            return _compat(q, "2020")
    assert_never(mode)


def _compat(q: ArrayLike, formula: CpFormula) -> Values:
    """Decided games are set by hand: lc0 calls them mates, and 12800 centipawns fall short of 1 by 0.00001."""
    value = np.asarray(q, np.float64)
    return np.where(np.abs(value) == 1, (1 + value) / 2, wp_compat(lc0_cp(value, formula)))


def raw_loss(wp_before: ArrayLike, wp_after: ArrayLike) -> Values:
    """Percentage points of win probability that a move gave away; both in the mover's view (skill-compatible §5.2)."""
    return 100 * (np.asarray(wp_before, np.float64) - np.asarray(wp_after, np.float64))


def clipped_loss(raw: ArrayLike) -> Values:
    """The loss of a move, 0 to 100: a move cannot gain against a judge that is right (skill-compatible §5.2)."""
    return np.clip(np.asarray(raw, np.float64), 0.0, 100.0)
