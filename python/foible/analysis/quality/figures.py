"""The figures of move quality: how far seniors trick, and where juniors differ (skill-compatible §5.7)."""

from dataclasses import dataclass

import polars as pl

from foible.analysis.estimates import Comparison, Estimate, Sample, compare, mean, ratio, sample
from foible.analysis.quality.effects import preceded_by
from foible.analysis.quality.losses import losses, moves_of

THRESHOLDS = (1, 2, 5, 10, 20)
"""Losses, in percentage points, from which figure 3 counts a move as an error."""
BINS = 10
"""Of the mover's win probability, in figure 4."""
DECIMALS = 6
"""Of percentages that are compared with a bound: a loss of 5 that came out as 4.999… still is 5."""


@dataclass(frozen=True, slots=True)
class Exceedance:
    """How often the opposing junior loses at least so much: right after a senior, right after his junior."""

    threshold: float
    """Percentage points."""
    after_senior: Estimate
    """Share of the moves, 0 to 1; its error is the binomial one with divisor n − 1."""
    after_junior: Estimate
    ratio: Estimate
    """Of the two shares, errors by the delta method; without errors where a share is 0 or 1."""


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
