"""Mean losses per move, L(A, C), and their differences Δ(A₁, A₂, C) (skill-compatible §5.4; tables 2 and 13); and the
length of games and the losses of either side by the focal team's colour (opponent-modelling §1.5).

Every function takes a table of the form `plies_table.PLIES`. `column` chooses between the clipped losses, `loss`, and
the raw ones, `loss_raw`, which help to tell the judge's noise from the mover's errors. *Alter* is the team of the
reference senior.
"""

from dataclasses import dataclass
from typing import Literal

import polars as pl

from foible.analysis.estimates import Comparison, Estimate, Sample, combination, compare, mean, sample

LossColumn = Literal["loss", "loss_raw"]


@dataclass(frozen=True, slots=True)
class TagTeamLosses:
    """Mean losses of the four members, percentage points per move, and their differences alter − focal."""

    seniors: Comparison
    """The alter senior first, the focal senior second."""
    juniors: Comparison
    """The alter junior first, the focal junior second."""
    teams: Estimate
    """Sum of the two differences: how much less the focal team loses by one senior's and one junior's move together."""


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
    """The losses of one team or member, in all moves or those that fulfil `where`: `mean(losses(…))` is L(A, C)."""
    moves = moves_of(focal=focal, senior=senior)
    return sample(plies, column, moves if where is None else moves & where)


def team_losses(plies: pl.DataFrame, column: LossColumn = "loss") -> Comparison:
    """Mean losses of the whole teams, whichever member moved, alter first, focal second; for any kind of team."""
    return compare(losses(plies, focal=False, column=column), losses(plies, focal=True, column=column))


def tag_team_losses(plies: pl.DataFrame, column: LossColumn = "loss") -> TagTeamLosses:
    """Table 2. All values are undefined for games that are not of tag teams, which have no coins."""
    alter_senior, alter_junior, focal_senior, focal_junior = (
        losses(plies, focal=focal, senior=senior, column=column) for focal in (False, True) for senior in (True, False)
    )
    return TagTeamLosses(
        compare(alter_senior, focal_senior),
        compare(alter_junior, focal_junior),
        combination([(1.0, alter_senior), (-1.0, focal_senior), (1.0, alter_junior), (-1.0, focal_junior)]),
    )


BLUNDER = 20.0
"""The loss, in percentage points of win probability, from which on a move counts as a blunder."""


@dataclass(frozen=True, slots=True)
class Colour:
    """Statistics of the games in which the focal team has one of the colours."""

    focal_white: bool
    plies: Estimate
    """The mean length of a game in plies, those of the opening included."""
    alter_loss: Estimate
    focal_loss: Estimate
    alter_blunders: Estimate
    """Blunders as a percentage of the alter team's moves."""
    focal_blunders: Estimate
    lowest: Estimate
    """The mean over games of the focal team's lowest win probability before one of its moves, in percent."""


def by_colour(plies: pl.DataFrame) -> list[Colour]:
    """Statistics by the focal team's colour, White first; a colour that it never has is left out."""
    focal_white = (pl.col("focal") == pl.col("white")).first().over("game")
    return [
        _colour(rows, white) for white in (True, False) if (rows := plies.filter(focal_white == pl.lit(white))).height
    ]


def _colour(rows: pl.DataFrame, focal_white: bool) -> Colour:
    games = rows.group_by("game", maintain_order=True).agg(
        pl.col("pair").first(),
        plies=pl.col("ply").max().cast(pl.Float64) + 1,
        lowest=100 * pl.col("wp_before").filter(pl.col("focal")).min(),
    )
    alter, focal = ~pl.col("focal"), pl.col("focal")
    blunder = 100 * (pl.col("loss") >= BLUNDER).cast(pl.Float64)
    return Colour(
        focal_white,
        plies=mean(sample(games, "plies")),
        alter_loss=mean(losses(rows, focal=False)),
        focal_loss=mean(losses(rows, focal=True)),
        alter_blunders=mean(sample(rows, blunder, alter)),
        focal_blunders=mean(sample(rows, blunder, focal)),
        lowest=mean(sample(games, "lowest")),
    )
