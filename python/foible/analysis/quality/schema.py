"""The tables that the statistics read: one row per played move, in the mover's view."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from foible.analysis.quality.values import clipped_loss, raw_loss
from foible.judges.centipawns import Values

PLIES = pl.Schema(
    {
        "game": pl.UInt32,  # 0-based, one id per game of the table
        "pair": pl.UInt32,  # the games that share an opening or a bitstring: the clusters of the errors
        "ply": pl.UInt32,  # 0-based ply of the game; plies of the opening count but are no rows
        "white": pl.Boolean,  # the mover is White
        "focal": pl.Boolean,  # the mover's team is the one under test
        "senior": pl.Boolean,  # the mover is its team's senior; null outside tag team
        "wp_before": pl.Float64,  # win probability of the mover, 0 to 1, before the move
        "wp_after": pl.Float64,  # and after it; exact where the rules ended the game
        "loss_raw": pl.Float64,  # 100 · (wp_before − wp_after), percentage points
        "loss": pl.Float64,  # the same, clipped to 0 … 100
    }
)
"""Every played move of every game. Rows may come in any order; (game, ply) is unique."""

HAND_COLUMNS = pl.Schema(
    {
        "brain": pl.String,  # the brain's own move, in UCI; null where it names types only
        "played": pl.String,
        "u_sampled": pl.String,  # the hand's unforced move, drawn with the played one (skill-compatible §2.2)
        "u_argmax": pl.String,  # the hand's likeliest move
        "brain_type": pl.String,  # piece types of the four moves; brain_type is null where brain is
        "played_type": pl.String,
        "u_sampled_type": pl.String,
        "u_argmax_type": pl.String,
        "wp_brain": pl.Float64,  # win probability of the mover after each of them; null where the move is
        "wp_u_sampled": pl.Float64,
        "wp_u_argmax": pl.Float64,
    }
)
"""What hand and brain adds to `PLIES` (skill-compatible §5.6)."""

HAND_PLIES = pl.Schema([*PLIES.items(), *HAND_COLUMNS.items()])
"""Every move of every game of hand and brain."""

INDUCED = pl.Schema(
    {
        "game": pl.UInt32,
        "pair": pl.UInt32,
        "ply": pl.UInt32,
        "focal": pl.Boolean,  # the side to move on the board is the focal team
        "loss_alter": pl.Float64,  # loss of the junior's reply to the alter senior's move, 0 to 100
        "loss_focal": pl.Float64,  # and to the focal senior's move; null where that move ends the game
    }
)
"""Every position of the games with the losses that either senior would induce there (skill-compatible §5.5)."""


@dataclass(frozen=True, slots=True)
class JudgedGame:
    """One game and what each of its positions was worth."""

    pair: int
    focal_white: bool
    wp_white: Sequence[float] | Values
    """`[plies + 1]`: White's win probability, 0 to 1, before every ply and at the end; within the opening unread."""
    bits: str = ""
    """`[plies]` or more coins, 1 where the senior moved; empty outside tag team."""
    opening_plies: int = 0
    """Plies of the opening, which no player chose."""
    starts_white: bool = True
    """White made the first ply."""


def plies_table(games: Sequence[JudgedGame]) -> pl.DataFrame:
    """The table `PLIES` of these games, in order.

    :raises ValueError: a game has fewer bits than plies.
    """
    values = [np.asarray(game.wp_white, np.float64)[game.opening_plies :].tolist() for game in games]
    lists = pl.DataFrame(
        {
            "game": range(len(games)),
            "pair": [game.pair for game in games],
            "starts_white": [game.starts_white for game in games],
            "focal_white": [game.focal_white for game in games],
            "ply": [range(game.opening_plies, len(game.wp_white) - 1) for game in games],
            "senior": [_coins(index, game) for index, game in enumerate(games)],
            "before": [wp[:-1] for wp in values],
            "after": [wp[1:] for wp in values],
        },
        schema=_LISTS,
    )
    rows = lists.explode("ply", "senior", "before", "after").filter(pl.col("ply").is_not_null())
    white = pl.col("starts_white") == (pl.col("ply") % 2 == 0)
    rows = rows.with_columns(
        white.alias("white"),
        (white == pl.col("focal_white")).alias("focal"),
        *(
            pl.when(white).then(pl.col(side)).otherwise(1 - pl.col(side)).alias(f"wp_{side}")
            for side in ("before", "after")
        ),
    )
    raw = raw_loss(rows["wp_before"], rows["wp_after"])
    return rows.with_columns(loss_raw=raw, loss=clipped_loss(raw)).select(PLIES.names())


_LISTS = pl.Schema(
    {
        "game": pl.UInt32(),
        "pair": pl.UInt32(),
        "starts_white": pl.Boolean(),
        "focal_white": pl.Boolean(),
        "ply": pl.List(pl.UInt32),
        "senior": pl.List(pl.Boolean),
        "before": pl.List(pl.Float64),
        "after": pl.List(pl.Float64),
    }
)
"""One row per game, before its plies get rows of their own."""


def _coins(index: int, game: JudgedGame) -> list[bool | None]:
    plies = len(game.wp_white) - 1
    if not game.bits:
        return [None] * max(plies - game.opening_plies, 0)
    if len(game.bits) < plies:
        raise ValueError(f"game {index} has {plies} plies but only {len(game.bits)} bits")
    return [coin == "1" for coin in game.bits[game.opening_plies : plies]]
