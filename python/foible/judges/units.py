"""Scores as centipawns and pawns: the units of engines, with a worth for mates."""

import math
from dataclasses import dataclass
from typing import Literal

from foible.judges.base import Score
from foible.judges.centipawns import lc0_cp, wp_compat

FINISHED = 99_999
"""Centipawns of a game that is won, in the published tag-team program (skill-compatible §2.3)."""


def centipawns(score: Score) -> float:
    """Those of the judge, else what lc0 of 2020 makes of its value q = 2 wp − 1 (skill-compatible §1.5)."""
    return score.cp if score.cp is not None else float(lc0_cp(2 * score.wp - 1, "2020"))


def released_centipawns(score: Score) -> float:
    """Centipawns in which a mate counts 100 000 less its distance (skill-compatible §2.3, `cp_released`).

    A search that has proven the result without saying how far off it is counts as a game that is over.
    """
    if score.mate is None and 0 < score.wp < 1:
        return centipawns(score)
    worth = 100_000 - abs(score.mate) if score.mate else FINISHED
    return math.copysign(worth, score.wp - 0.5)


def released_wp(score: Score) -> float:
    """The win probability of the published program: of centipawns by the inverse of an older formula
    (skill-compatible §5.1).
    """
    return float(wp_compat(released_centipawns(score)))


@dataclass(frozen=True, slots=True)
class Pawns:
    """Pawns with a weight for mates (opponent-modelling §1.3, §1.4, §2.3). A unit of expectations."""

    mate_mode: Literal["graded", "post", "released"] = "graded"
    """`graded`: every mate beats every other value, a shorter one a longer one. `post`: all mates weigh the same.
    `released`: the published program's N weights for a mate in N."""
    mate_weight: float = 10.0

    def __call__(self, score: Score) -> float:
        weight = self.mate_weight
        if score.mate is None:
            pawns = centipawns(score) / 100
            return max(-0.89 * weight, min(0.89 * weight, pawns)) if self.mate_mode == "graded" else pawns
        moves = abs(score.mate)
        share = {"graded": 1 - 0.001 * min(moves, 100), "post": 1.0, "released": float(moves)}[self.mate_mode]
        return math.copysign(weight * share, score.wp - 0.5)
