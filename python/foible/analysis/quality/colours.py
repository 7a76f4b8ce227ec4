"""Games by the colour of the focal team: how long they are, what either side gives away (opponent-modelling §1.5)."""

from dataclasses import dataclass

import polars as pl

from foible.analysis.estimates import Estimate, mean, sample
from foible.analysis.quality.losses import losses

BLUNDER = 20.0
"""Percentage points of win probability from which a move is a blunder."""


@dataclass(frozen=True, slots=True)
class Colour:
    """The games in which the focal team has one of the colours."""

    focal_white: bool
    plies: Estimate
    """Length of a game; plies of an opening included."""
    alter_loss: Estimate
    focal_loss: Estimate
    alter_blunders: Estimate
    """Percent of its moves."""
    focal_blunders: Estimate
    lowest: Estimate
    """The focal team's lowest win probability of a game before one of its moves, percent."""


def by_colour(plies: pl.DataFrame) -> list[Colour]:
    """First the games with the focal team as White. Takes a table of `schema.PLIES`."""
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
