"""What partners do to each other: seniors to the moves after theirs, and a brain to its hand.

Tricking and helping (skill-compatible §5.4; tables 3 and 14), how far seniors trick, and where juniors differ (§5.7;
figures 3 and 4). A move is *preceded by* s when the coins of the plies just before it read s, oldest first; the coins
of both teams alternate. I(A, s) = L(A, 1⊕s) − L(A, 0⊕s): how much more A loses when the ply before s was a senior's.

Losses and interactions of brain and hand (§5.6; tables 4, 7 and 15). The unforced move u is what the hand would have
played without a brain. Drawn together with the played move (`sampled`, §2.2) it equals it whenever the brain's type
allows, as table 7 needs; as the hand's likeliest move (`argmax`) it is what table 4 compares with, and then the
savings hold the price of sampling as well. Both are computed from a table of `plies_table.HAND_PLIES`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from foible.analysis.estimates import Comparison, Estimate, Sample, combination, compare, mean, ratio, sample
from foible.analysis.quality.move_losses import LossColumn, losses, moves_of

THRESHOLDS = (1, 2, 5, 10, 20)
"""Losses, in percentage points, from which figure 3 counts a move as an error."""
BINS = 10
"""Bins of the mover's win probability, in figure 4."""
DECIMALS = 6
"""The decimals of percentages that are compared with a bound: a loss of 5 that came out as 4.999… still is 5."""
Unforced = Literal["sampled", "argmax"]
MEETINGS = ("agreement", "correction", "disagreement", "blindsiding")
"""How a brain's move may meet its hand's, as `Interactions` has them."""


@dataclass(frozen=True, slots=True)
class SeniorEffects:
    """What one senior does, each as a mean loss after him, after his junior, and their difference I."""

    tricking: Comparison
    """The opposing junior's loss on the next ply: I(J_opp, ∅). Positive: he sets problems."""
    partner_after_junior: Comparison
    """His own junior's loss two plies later, an opposing junior between: I(J_par, 0). Negative: he helps."""
    partner_after_senior: Comparison
    """The same with an opposing senior between: I(J_par, 1)."""

    @property
    def helping_junior_between(self) -> Estimate:
        """−I(J_par, 0), the sign of table 3: positive when he helps."""
        return -self.partner_after_junior.difference

    @property
    def helping_senior_between(self) -> Estimate:
        """−I(J_par, 1), the sign of table 3: positive when he helps."""
        return -self.partner_after_senior.difference


@dataclass(frozen=True, slots=True)
class TagTeamEffects:
    """Both seniors' effects and the differences focal − alter, whose tests make table 3's bold figures."""

    alter: SeniorEffects
    focal: SeniorEffects
    tricking: Estimate
    """Positive: the focal senior tricks more."""
    helping_junior_between: Estimate
    """The interaction of the effects as reported, −I. Positive: the focal senior helps more."""
    helping_senior_between: Estimate
    indirect: Comparison
    """The juniors after two juniors' plies, alter − focal: Δ(MAIA_L, MAIA_F, 00)."""


def preceded_by(coins: str) -> pl.Expr:
    """Whether the coins of the plies before a move read so, oldest first, each 1 (senior) or 0 (junior).

    False where those plies were not all played by the teams: at the start of the game and after an opening.
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
    """Table 3, of a table of `plies_table.PLIES`. Without tag team's bits all is undefined."""
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
    """How often the opposing junior loses at least so much: right after a senior, right after his junior."""

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
    """Percent; open but in the last bin."""
    juniors: Comparison
    """Mean losses of the alter junior, the focal one, and alter − focal."""


def exceedance(plies: pl.DataFrame, *, focal: bool, thresholds: tuple[float, ...] = THRESHOLDS) -> list[Exceedance]:
    """Figure 3 for one senior, the focal one or the other."""
    juniors = plies.with_columns(preceded_by(coin).alias(f"after_{coin}") for coin in "10").filter(
        moves_of(focal=not focal, senior=False)
    )
    found = []
    for threshold in thresholds:
        error = pl.col("loss").round(DECIMALS) >= threshold
        after_senior, after_junior = (sample(juniors, error, pl.col(f"after_{coin}")) for coin in "10")
        found.append(
            Exceedance(threshold, mean(after_senior), mean(after_junior), _share_ratio(after_senior, after_junior))
        )
    return found


def _share_ratio(first: Sample, second: Sample) -> Estimate:
    """A share of 0 or 1 has no spread of its own, so that the delta method would promise too much."""
    found = ratio(first, second)
    if first.mean in {0.0, 1.0} or second.mean in {0.0, 1.0}:
        return Estimate(found.n, found.clusters, found.value, None, None)
    return found


def loss_by_win_probability(plies: pl.DataFrame, bins: int = BINS) -> list[Bin]:
    """Figure 4: the juniors' losses by their win probability before the move."""
    width = 100 / bins
    place = ((100 * pl.col("wp_before")).round(DECIMALS) / width).floor().clip(0, bins - 1)
    juniors = plies.filter(pl.col("senior").not_()).select("pair", "focal", "loss", place.alias("bin"))
    found = []
    for index in range(bins):
        here = juniors.filter(pl.col("bin") == index)
        alter, focal = losses(here, focal=False), losses(here, focal=True)
        found.append(Bin(index * width, (index + 1) * width, compare(alter, focal)))
    return found


@dataclass(frozen=True, slots=True)
class HandLosses:
    """Mean losses of one team's moves, percentage points per move."""

    true: Estimate
    """Mean loss of the moves played."""
    unforced: Estimate
    """Mean loss of what the hand would have played alone."""
    savings: Estimate
    """Unforced − played, move by move. Positive: the brain helped."""
    brain: Estimate
    """Mean loss of what the brain would have played alone; undefined for a brain that names types only."""


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
    of_unforced = loss_after(f"wp_u_{unforced}")
    return HandLosses(
        mean(sample(moves, "loss")),
        mean(sample(moves, of_unforced)),
        mean(sample(moves, of_unforced - pl.col("loss"))),
        mean(sample(moves, loss_after("wp_brain"))),
    )


def interactions(plies: pl.DataFrame, *, focal: bool, unforced: Unforced) -> Interactions:
    """Table 7 for one team, in one of its two forms."""
    moves = meetings(plies, unforced=unforced).filter(moves_of(focal=focal))
    return Interactions(*(_interaction(moves, pl.col("meeting") == kind) for kind in MEETINGS))


def meetings(plies: pl.DataFrame, *, unforced: Unforced) -> pl.DataFrame:
    """The moves where the brain had a move of its own, with how it met the hand's (`meeting`, one of `MEETINGS`), the
    `savings`, and the loss of the opponents' next move, `next_loss`.
    """
    next_ply, next_loss = (pl.col(name).shift(-1).over("game", order_by="ply") for name in ("ply", "loss"))
    same_move = pl.col("brain") == pl.col(f"u_{unforced}")
    same_type = pl.col("brain_type") == pl.col(f"u_{unforced}_type")
    found = pl.col("played") == pl.col("brain")
    kinds = (same_move, ~same_type & found, ~same_type & ~found, ~same_move & same_type)
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
    """Loss of a move that was not played (skill-compatible §5.2)."""
    return (100 * (pl.col("wp_before") - pl.col(wp_after))).clip(0, 100)
