"""Scores as centipawns and pawns, the units of engines, in which mates get a weight.

lc0 computes centipawns from q = P(win) − P(loss), −1 to 1; a formula for the way back is published
(skill-compatible §1.5, §5.1).
"""

import math
from dataclasses import dataclass
from typing import Final, Literal, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foible.judges.base import Score

Values = NDArray[np.float64]
CpFormula = Literal["2018", "2019", "2020"]
"""lc0's formulas for centipawns, by year: of lc0 up to 0.21, 0.22 to 0.24, 0.25 to 0.29 (skill-compatible §1.5)."""

_SCALE_2018: Final = 290.680623072
_ANGLE_2018: Final = 1.548090806
_SCALE_2019: Final = 295.0
_BEND_2019: Final = 0.976953126
_SCALE_2020: Final = 90.0
_ANGLE_2020: Final = 1.5637541897


def wp_compat_unclamped(cp: ArrayLike) -> Values:
    """The win probability ½ + atan(cp / 290.68…) / 3.096…, as published: for mates it is outside 0 to 1 by 0.0064."""
    return 0.5 + np.arctan(np.asarray(cp, np.float64) / _SCALE_2018) / (2 * _ANGLE_2018)


def wp_compat(cp: ArrayLike) -> Values:
    """The win probability, 0 to 1, of centipawns in the same view, by the inverse of lc0's formula of 2018."""
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


FINISHED = 99_999
"""Centipawns of a game that is won, in the published tag-team program (skill-compatible §2.3)."""


def centipawns(score: Score) -> float:
    """A score's centipawns by the judge, else by lc0's formula of 2020 for its q = 2 wp − 1 (skill-compatible §1.5)."""
    return score.cp if score.cp is not None else float(lc0_cp(2 * score.wp - 1, "2020"))


def released_centipawns(score: Score) -> float:
    """Centipawns in which a mate counts 100 000 less its distance (skill-compatible §2.3, `cp_released`).

    A proven win or loss without a distance counts as a game that is over.
    """
    if score.mate is None and 0 < score.wp < 1:
        return centipawns(score)
    worth = 100_000 - abs(score.mate) if score.mate else FINISHED
    return math.copysign(worth, score.wp - 0.5)


def released_wp(score: Score) -> float:
    """The win probability as the published program computes it: from `released_centipawns`, by the inverse of lc0's
    formula of 2018 (skill-compatible §5.1).
    """
    return float(wp_compat(released_centipawns(score)))


@dataclass(frozen=True, slots=True)
class Pawns:
    """A unit of expected values: pawns, with a weight for mates (opponent-modelling §1.3, §1.4, §2.3)."""

    mate_mode: Literal["graded", "post", "released"] = "graded"
    """`graded`: every mate beats every other value, a shorter one a longer one. `post`: all mates weigh the same.
    `released`: as in the published program, a mate in N has N times the weight."""
    mate_weight: float = 10.0
    """The weight of a mate, in pawns."""

    def __call__(self, score: Score) -> float:
        weight = self.mate_weight
        if score.mate is None:
            pawns = centipawns(score) / 100
            return max(-0.89 * weight, min(0.89 * weight, pawns)) if self.mate_mode == "graded" else pawns
        moves = abs(score.mate)
        share = {"graded": 1 - 0.001 * min(moves, 100), "post": 1.0, "released": float(moves)}[self.mate_mode]
        return math.copysign(weight * share, score.wp - 0.5)


def raw_loss(wp_before: ArrayLike, wp_after: ArrayLike) -> Values:
    """The win probability that a move gave away, in percentage points (skill-compatible §5.2).

    Both win probabilities are the mover's, 0 to 1. Negative where the judge thinks more of the position after the move.
    """
    return 100 * (np.asarray(wp_before, np.float64) - np.asarray(wp_after, np.float64))


def clipped_loss(raw: ArrayLike) -> Values:
    """The loss of a move, 0 to 100 percentage points: a move cannot gain against a judge that is right
    (skill-compatible §5.2).
    """
    return np.clip(np.asarray(raw, np.float64), 0.0, 100.0)
