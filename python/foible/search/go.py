"""The search as programs of Leela Zero's family set it (SAI, §3.5), in foible's units.

Their values go from 0 to 1, foible's from −1 to 1: what is added to values counts double here.
"""

from typing import Final, Literal

from foible._core import Bonus, Seat
from foible.search.params import SearchParams

FirstPlay = Literal["lz", "agz"]
"""Unvisited moves: Leela Zero's rule, the net's value of the node less a reduction; or AlphaGo Zero's, an even game."""

CPUCT: Final = 0.8
FPU_REDUCTION: Final = 0.25
POINTS_19: Final = 361


def go_params(
    *,
    cpuct: float = CPUCT,
    first_play: FirstPlay = "lz",
    fpu_reduction: float = FPU_REDUCTION,
    noise_epsilon: float = 0.0,
    noise_alpha: float = 0.03,
    size: int = 19,
    batch: int = 1,
    seed: int = 0,
) -> SearchParams:
    """The constants of a search.

    `cpuct`, `fpu_reduction`: on values from 0 to 1. `noise_alpha`: as for 19×19; on `size` the same number of moves
    gets as much in all (§5.1). There is no reduction at a root with noise.
    """
    reduced = first_play == "lz"
    return SearchParams(
        cpuct=2 * cpuct,
        cpuct_factor=0.0,
        fpu="net" if reduced else "absolute",
        fpu_value=2 * fpu_reduction if reduced else 0.0,
        root_fpu_value=0.0 if noise_epsilon else None,
        policy_temperature=1.0,
        sticky_endgames=False,
        moves_left_max_effect=0.0,
        noise_epsilon=noise_epsilon,
        noise_alpha=noise_alpha * POINTS_19 / size**2,
        batch=batch,
        seed=seed,
    )


def go_seats(ours: Bonus | None, theirs: Bonus | None = None) -> tuple[Seat, Seat]:
    """Who owns the plies. One and the same seat where both sides are alike: then a tree may be kept after any move.

    `ours`: how both sides weigh margins; `None` with a net that knows none. `theirs`: the other side, where it differs.
    """
    seat = Seat(bonus=ours)
    return (seat, seat) if theirs is None else (seat, Seat(bonus=theirs))
