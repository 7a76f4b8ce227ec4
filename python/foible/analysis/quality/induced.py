"""What either senior would have made the junior lose, on the boards of both teams (skill-compatible §5.5; table 6)."""

from dataclasses import dataclass

import polars as pl

from foible.analysis.estimates import Comparison, Sample, mean, sample


@dataclass(frozen=True, slots=True)
class InducedLosses:
    """Mean loss of the junior's reply, percentage points, by whose board it is and who moved before.

    Each comparison is first by the focal senior, second by the alter one; the difference is the mean over the
    boards where both have a reply, since both were asked on the same boards.
    """

    alter_boards: Comparison
    focal_boards: Comparison


def induced_losses(boards: pl.DataFrame) -> InducedLosses:
    """Table 6, of a table of `schema.INDUCED`."""
    alter, focal = (_on(boards.filter(pl.col("focal") == team)) for team in (False, True))
    return InducedLosses(alter, focal)


def _on(boards: pl.DataFrame) -> Comparison:
    by_focal, by_alter = pl.col("loss_focal"), pl.col("loss_alter")
    columns: list[Sample] = [sample(boards, column) for column in (by_focal, by_alter, by_focal - by_alter)]
    return Comparison(*(mean(column) for column in columns))
