"""The effects of partners on each other: of a senior on the moves after his, and of a brain on its hand.

Tricking and helping (skill-compatible §5.4; tables 3 and 14), how far seniors trick, and where juniors differ (§5.7;
figures 3 and 4). A move is *preceded by* s when the coins of the plies just before it read s, oldest first; the coins
of both teams alternate. I(A, s) = L(A, 1⊕s) − L(A, 0⊕s): how much more A loses when the ply before s was a senior's.

Losses and interactions of brain and hand (§5.6; tables 4, 7 and 15). The unforced move u is the move that the hand
would have played without a brain. It has two forms. Drawn together with the played move (`sampled`, §2.2), u equals
the played move whenever u is of the brain's piece type, as table 7 needs. As the hand's likeliest move (`argmax`), it
is the move that table 4 compares with, and then the savings also contain the cost of sampling. Both forms are computed
from a table of the form `plies_table.HAND_PLIES`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from foible.analysis.estimates import Comparison, Estimate, Sample, combination, compare, mean, ratio, sample
from foible.analysis.quality.move_losses import LossColumn, losses, moves_of

THRESHOLDS = (1, 2, 5, 10, 20)
"""The thresholds of figure 3: losses, in percentage points, from which on a move counts as an error."""
BINS = 10
"""The number of bins of the mover's win probability in figure 4."""
DECIMALS = 6
"""Decimals to which percentages are rounded before a comparison with a bound: 4.999… from rounding counts as 5."""
Unforced = Literal["sampled", "argmax"]
MEETINGS = ("agreement", "correction", "disagreement", "blindsiding")
"""The ways in which a brain's and its hand's moves may relate, described in `Interactions`."""


@dataclass(frozen=True, slots=True)
class SeniorEffects:
    """The effects of one senior, each as a mean loss after his move, one after his junior's, and their difference I."""

    tricking: Comparison
    """The opposing junior's loss on the next ply: I(J_opp, ∅). Positive: he sets problems."""
    partner_after_junior: Comparison
    """His own junior's loss two plies later, an opposing junior's move between: I(J_par, 0). Negative: he helps."""
    partner_after_senior: Comparison
    """His own junior's loss two plies later, an opposing senior's move between: I(J_par, 1)."""

    @property
    def helping_junior_between(self) -> Estimate:
        """−I(J_par, 0), with the sign of table 3: positive when he helps."""
        return -self.partner_after_junior.difference

    @property
    def helping_senior_between(self) -> Estimate:
        """−I(J_par, 1), with the sign of table 3: positive when he helps."""
        return -self.partner_after_senior.difference


@dataclass(frozen=True, slots=True)
class TagTeamEffects:
    """Both seniors' effects, and their differences focal − alter, whose tests decide on the bold figures of table 3."""

    alter: SeniorEffects
    focal: SeniorEffects
    tricking: Estimate
    """How much more the focal senior tricks than the alter one."""
    helping_junior_between: Estimate
    """How much more the focal senior helps than the alter one, by −I as table 3 reports it."""
    helping_senior_between: Estimate
    indirect: Comparison
    """The juniors' losses after two plies by juniors, alter − focal: Δ(MAIA_L, MAIA_F, 00)."""


def preceded_by(coins: str) -> pl.Expr:
    """Whether the plies just before a move had these coins, oldest first, each 1 (senior) or 0 (junior).

    False where the teams did not play all of those plies: near the start of the game or the end of its opening.
    """
    ply = pl.col("ply").cast(pl.Int64)
    conditions = [
        (_back("senior", age) == (coin == "1")) & (ply - _back("ply", age) == age)
        for age, coin in enumerate(reversed(coins), 1)
    ]
    return pl.all_horizontal(pl.col("ply").is_not_null(), *conditions).fill_null(False)


def _back(column: str, plies: int) -> pl.Expr:
    return pl.col(column).shift(plies).over("game", order_by="ply")


def tag_team_effects(plies: pl.DataFrame, column: LossColumn = "loss") -> TagTeamEffects:
    """Table 3, from a table of the form `plies_table.PLIES`. All is undefined for games that are not of tag teams."""
    patterns = ("1", "0", "10", "00", "11", "01")
    juniors = plies.with_columns(preceded_by(pattern).alias(f"after_{pattern}") for pattern in patterns).filter(
        pl.col("senior").not_()
    )

    def pair_of(focal: bool, after_senior: str, after_junior: str) -> tuple[Sample, Sample]:
        after = (pl.col(f"after_{pattern}") for pattern in (after_senior, after_junior))
        first, second = (losses(juniors, focal=focal, where=where, column=column) for where in after)
        return first, second

    tricked = {focal: pair_of(not focal, "1", "0") for focal in (False, True)}
    after_junior = {focal: pair_of(focal, "10", "00") for focal in (False, True)}
    after_senior = {focal: pair_of(focal, "11", "01") for focal in (False, True)}
    alter, focal = (
        SeniorEffects(compare(*tricked[team]), compare(*after_junior[team]), compare(*after_senior[team]))
        for team in (False, True)
    )
    return TagTeamEffects(
        alter,
        focal,
        _contrast(tricked[True], tricked[False]),
        _contrast(after_junior[False], after_junior[True]),
        _contrast(after_senior[False], after_senior[True]),
        compare(after_junior[False][1], after_junior[True][1]),
    )


def _contrast(first: Sequence[Sample], second: Sequence[Sample]) -> Estimate:
    """The difference of two differences."""
    return combination([(1.0, first[0]), (-1.0, first[1]), (-1.0, second[0]), (1.0, second[1])])


@dataclass(frozen=True, slots=True)
class Exceedance:
    """How often the opposing junior loses at least `threshold`, right after a senior's move and after his junior's."""

    threshold: float
    """Percentage points."""
    after_senior: Estimate
    """Share of the moves, 0 to 1; its error is the binomial one with divisor n − 1."""
    after_junior: Estimate
    ratio: Estimate
    """The ratio of the two shares, errors by the delta method; without errors where a share is 0 or 1."""


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of win probability."""

    low: float
    """Percent; closed."""
    high: float
    """Percent; open, except in the last bin."""
    juniors: Comparison
    """Mean losses of the alter junior and the focal junior, and the difference alter − focal."""


def exceedance(plies: pl.DataFrame, *, focal: bool, thresholds: tuple[float, ...] = THRESHOLDS) -> list[Exceedance]:
    """Figure 3 for one senior: the focal one or the alter one."""
    juniors = plies.with_columns(preceded_by(coin).alias(f"after_{coin}") for coin in "10").filter(
        moves_of(focal=not focal, senior=False)
    )
    exceedances = []
    for threshold in thresholds:
        error = pl.col("loss").round(DECIMALS) >= threshold
        after_senior, after_junior = (sample(juniors, error, pl.col(f"after_{coin}")) for coin in "10")
        exceedances.append(
            Exceedance(threshold, mean(after_senior), mean(after_junior), _share_ratio(after_senior, after_junior))
        )
    return exceedances


def _share_ratio(first: Sample, second: Sample) -> Estimate:
    """The ratio of two shares; without errors if a share is 0 or 1, since they would be too small without variation."""
    share_ratio = ratio(first, second)
    if first.mean in {0.0, 1.0} or second.mean in {0.0, 1.0}:
        return Estimate(share_ratio.n, share_ratio.clusters, share_ratio.value, None, None)
    return share_ratio


def loss_by_win_probability(plies: pl.DataFrame, bins: int = BINS) -> list[Bin]:
    """Figure 4: the juniors' losses by their win probability before the move."""
    width = 100 / bins
    place = ((100 * pl.col("wp_before")).round(DECIMALS) / width).floor().clip(0, bins - 1)
    juniors = plies.filter(pl.col("senior").not_()).select("pair", "focal", "loss", place.alias("bin"))
    in_bins = []
    for index in range(bins):
        juniors_in_bin = juniors.filter(pl.col("bin") == index)
        alter, focal = losses(juniors_in_bin, focal=False), losses(juniors_in_bin, focal=True)
        in_bins.append(Bin(index * width, (index + 1) * width, compare(alter, focal)))
    return in_bins


@dataclass(frozen=True, slots=True)
class HandLosses:
    """Mean losses of one team's moves, percentage points per move."""

    true: Estimate
    """Mean loss of the moves played."""
    unforced: Estimate
    """Mean loss of what the hand would have played alone."""
    savings: Estimate
    """Mean of the loss of the unforced move minus that of the played one. Positive: the brain helped."""
    brain: Estimate
    """Mean loss of what the brain would have played alone; undefined for a brain that names types only."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """One way in which brain and hand may relate, among the moves where the brain had a move of its own."""

    share: Estimate
    """The frequency of this way, in percent of the moves where the brain had a move of its own."""
    savings: Estimate
    """Mean loss of the unforced move minus that of the played move, percentage points."""
    opponent_loss: Estimate
    """Mean loss of the opponents' next move, over the moves that had one."""


@dataclass(frozen=True, slots=True)
class Interactions:
    """Table 7 for one team; all undefined where the brain names types only."""

    agreement: Interaction
    """b = u: the brain's own move b is the move that the hand would have played anyway."""
    correction: Interaction
    """The brain named another piece type than u's, and the hand played the brain's own move."""
    disagreement: Interaction
    """The brain named another piece type than u's, and the hand played a move of that type other than the brain's."""
    blindsiding: Interaction
    """The brain's move differs from u but is of the same piece type, so the brain does not change the hand's move."""


def hand_losses(plies: pl.DataFrame, *, focal: bool, unforced: Unforced) -> HandLosses:
    """Table 4 for one team, with either form of the unforced move."""
    moves = plies.filter(moves_of(focal=focal))
    of_unforced = loss_after(f"wp_u_{unforced}")
    return HandLosses(
        mean(sample(moves, "loss")),
        mean(sample(moves, of_unforced)),
        mean(sample(moves, of_unforced - pl.col("loss"))),
        mean(sample(moves, loss_after("wp_brain"))),
    )


def interactions(plies: pl.DataFrame, *, focal: bool, unforced: Unforced) -> Interactions:
    """Table 7 for one team, with either form of the unforced move."""
    moves = meetings(plies, unforced=unforced).filter(moves_of(focal=focal))
    return Interactions(*(_interaction(moves, pl.col("meeting") == kind) for kind in MEETINGS))


def meetings(plies: pl.DataFrame, *, unforced: Unforced) -> pl.DataFrame:
    """The moves where the brain had a move of its own, with three more columns: `meeting`, its relation to the hand's
    (one of `MEETINGS`); `savings`; and `next_loss`, the loss of the opponents' next move.
    """
    next_ply, next_loss = (pl.col(name).shift(-1).over("game", order_by="ply") for name in ("ply", "loss"))
    same_move = pl.col("brain") == pl.col(f"u_{unforced}")
    same_type = pl.col("brain_type") == pl.col(f"u_{unforced}_type")
    agreed = pl.col("played") == pl.col("brain")
    kinds = (same_move, ~same_type & agreed, ~same_type & ~agreed, ~same_move & same_type)
    return plies.with_columns(
        pl.when(next_ply == pl.col("ply") + 1).then(next_loss).alias("next_loss"),
        (loss_after(f"wp_u_{unforced}") - pl.col("loss")).alias("savings"),
        pl.coalesce(pl.when(kind).then(pl.lit(name)) for name, kind in zip(MEETINGS, kinds, strict=True)).alias(
            "meeting"
        ),
    ).filter(pl.col("brain").is_not_null())


def _interaction(moves: pl.DataFrame, kind: pl.Expr) -> Interaction:
    return Interaction(
        mean(sample(moves, 100.0 * kind.cast(pl.Float64))),
        mean(sample(moves, "savings", kind)),
        mean(sample(moves, "next_loss", kind)),
    )


def loss_after(wp_after: str) -> pl.Expr:
    """The loss of a move that was not played, from the win probability after it (skill-compatible §5.2)."""
    return (100 * (pl.col("wp_before") - pl.col(wp_after))).clip(0, 100)
