"""Who loses how much per move: L(A, C) and Δ(A₁, A₂, C) (skill-compatible §5.4; tables 2 and 13).

Every function takes a table of `schema.PLIES`. `column` chooses the clipped losses, `loss`, or the raw ones,
`loss_raw`, which tell a judge's noise from a mover's errors. *Alter* is the team of the reference senior.
"""

from dataclasses import dataclass
from typing import Literal

import polars as pl

from foible.analysis.estimates import Comparison, Estimate, Sample, combination, compare, sample

LossColumn = Literal["loss", "loss_raw"]


@dataclass(frozen=True, slots=True)
class TagTeamLosses:
    """Mean losses of the four members, percentage points per move, and their differences alter − focal."""

    seniors: Comparison
    """First the alter senior, second the focal one."""
    juniors: Comparison
    """First the alter junior, second the focal one."""
    teams: Estimate
    """Sum of the two differences: how much less the focal team gives away by a senior's and a junior's move."""


def moves_of(*, focal: bool, senior: bool | None = None) -> pl.Expr:
    """The moves of a team, or of its senior or its junior."""
    team = pl.col("focal") == focal
    return team if senior is None else team & (pl.col("senior") == senior)


def losses(
    plies: pl.DataFrame,
    *,
    focal: bool,
    senior: bool | None = None,
    where: pl.Expr | None = None,
    column: LossColumn = "loss",
) -> Sample:
    """The losses of one team or member, all or those under a condition: `mean(losses(…))` is L(A, C)."""
    moves = moves_of(focal=focal, senior=senior)
    return sample(plies, column, moves if where is None else moves & where)


def team_losses(plies: pl.DataFrame, column: LossColumn = "loss") -> Comparison:
    """Mean losses of the whole teams, whoever moved in them: first alter, second focal. For every framework."""
    return compare(losses(plies, focal=False, column=column), losses(plies, focal=True, column=column))


def tag_team_losses(plies: pl.DataFrame, column: LossColumn = "loss") -> TagTeamLosses:
    """Table 2. Without tag team's bits all is undefined."""
    alter_senior, alter_junior, focal_senior, focal_junior = (
        losses(plies, focal=focal, senior=senior, column=column) for focal in (False, True) for senior in (True, False)
    )
    return TagTeamLosses(
        compare(alter_senior, focal_senior),
        compare(alter_junior, focal_junior),
        combination([(1.0, alter_senior), (-1.0, focal_senior), (1.0, alter_junior), (-1.0, focal_junior)]),
    )
