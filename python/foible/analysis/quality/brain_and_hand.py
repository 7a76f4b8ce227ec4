"""What a brain does to its hand: losses and interactions (skill-compatible §5.6; tables 4, 7 and 15).

The unforced move u is what the hand would have played without a brain. Drawn together with the played move
(`sampled`, §2.2) it equals it whenever the brain's type allows, as table 7 needs; as the hand's likeliest move
(`argmax`) it is what table 4 compares with, and then the savings hold the price of sampling as well. Both are
computed from a table of `plies_table.HAND_PLIES`.
"""

from dataclasses import dataclass
from typing import Literal

import polars as pl

from foible.analysis.estimates import Estimate, mean, sample
from foible.analysis.quality.move_losses import moves_of

Unforced = Literal["sampled", "argmax"]


@dataclass(frozen=True, slots=True)
class HandLosses:
    """Mean losses of one team's moves, percentage points per move."""

    true: Estimate
    """Of the moves played."""
    unforced: Estimate
    """Of what the hand would have played alone."""
    savings: Estimate
    """Unforced − played, move by move. Positive: the brain helped."""
    brain: Estimate
    """Of what the brain would have played alone; undefined for a brain that names types only."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """One way in which brain and hand may meet, among the moves where the brain had a move of its own."""

    share: Estimate
    """Percent of those moves."""
    savings: Estimate
    """Mean loss of the unforced move − of the played one, percentage points."""
    opponent_loss: Estimate
    """Mean loss of the opponents' next move, where there was one."""


@dataclass(frozen=True, slots=True)
class Interactions:
    """Table 7 for one team; all undefined where the brain names types only."""

    agreement: Interaction
    """b = u: the brain's move is what the hand wanted anyway."""
    correction: Interaction
    """Another type than u's, and the hand found the brain's move."""
    disagreement: Interaction
    """Another type than u's, and the hand played another move of it than the brain's."""
    blindsiding: Interaction
    """Another move than u of the same type: the hand's move stands."""


def hand_losses(plies: pl.DataFrame, *, focal: bool, unforced: Unforced) -> HandLosses:
    """Table 4 for one team, in one of its two forms."""
    moves = plies.filter(moves_of(focal=focal))
    of_unforced = _loss(f"wp_u_{unforced}")
    return HandLosses(
        mean(sample(moves, "loss")),
        mean(sample(moves, of_unforced)),
        mean(sample(moves, of_unforced - pl.col("loss"))),
        mean(sample(moves, _loss("wp_brain"))),
    )


def interactions(plies: pl.DataFrame, *, focal: bool, unforced: Unforced) -> Interactions:
    """Table 7 for one team, in one of its two forms."""
    next_ply, next_loss = (pl.col(name).shift(-1).over("game", order_by="ply") for name in ("ply", "loss"))
    moves = plies.with_columns(
        pl.when(next_ply == pl.col("ply") + 1).then(next_loss).alias("next_loss"),
        (_loss(f"wp_u_{unforced}") - pl.col("loss")).alias("savings"),
    ).filter(moves_of(focal=focal) & pl.col("brain").is_not_null())
    same_move = pl.col("brain") == pl.col(f"u_{unforced}")
    same_type = pl.col("brain_type") == pl.col(f"u_{unforced}_type")
    found = pl.col("played") == pl.col("brain")
    kinds = (same_move, ~same_type & found, ~same_type & ~found, ~same_move & same_type)
    return Interactions(*(_interaction(moves, kind) for kind in kinds))


def _interaction(moves: pl.DataFrame, kind: pl.Expr) -> Interaction:
    return Interaction(
        mean(sample(moves, 100.0 * kind.cast(pl.Float64))),
        mean(sample(moves, "savings", kind)),
        mean(sample(moves, "next_loss", kind)),
    )


def _loss(wp_after: str) -> pl.Expr:
    """Loss of a move that was not played (skill-compatible §5.2)."""
    return (100 * (pl.col("wp_before") - pl.col(wp_after))).clip(0, 100)
