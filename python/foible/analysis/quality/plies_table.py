"""The tables that the statistics read, made from games and a judge: one row per played move, from the mover's view.

q = P(win) − P(loss), −1 to 1. We take (1 + q) / 2 for a win probability. The published analysis read centipawns from
lc0 and converted them with the inverse of lc0's formula of 2018, even where a later lc0 had written them
(skill-compatible §5.1); its losses are comparable only with losses by the same version of lc0.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from foible._core import ChessPosition
from foible.agents.teams import piece_types
from foible.analysis.quality.analysed_games import AnalysedGame
from foible.judges.base import Score
from foible.judges.units import CpFormula, Values, clipped_loss, lc0_cp, raw_loss, wp_compat

WpMode = Literal["q", "compat-2018", "compat-2019", "compat-2020"]
"""`q`: (1 + q) / 2. `compat-YEAR`: lc0's centipawns by its formula of that year, inverted with that of 2018."""


_FORMULAS: Mapping[WpMode, CpFormula] = {"compat-2018": "2018", "compat-2019": "2019", "compat-2020": "2020"}


def win_probability(q: ArrayLike, mode: WpMode = "q") -> Values:
    """Win probability, 0 to 1, for the side whose value q is. A decided game, q = ±1, stays 0 or 1 in every mode."""
    value = np.asarray(q, np.float64)
    plain = (1 + value) / 2
    if mode == "q":
        return plain
    # lc0 reports decided games as mates; its centipawns for q = 1 would come back as 0.00001 below 1.
    return np.where(np.abs(value) == 1, plain, wp_compat(lc0_cp(value, _FORMULAS[mode])))


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
"""The columns that games of hand and brain have beside `PLIES` (skill-compatible §5.6)."""

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
    """One game with the win probability in each of its positions."""

    pair: int
    focal_white: bool
    wp_white: Sequence[float] | Values
    """`[plies + 1]`: White's win probability, 0 to 1, before every ply and at the end; not used within the opening."""
    bits: str = ""
    """`[plies]` or more coins, 1 where the senior moved; empty outside tag team."""
    opening_plies: int = 0
    """The number of plies of the opening, which no player chose."""
    starts_white: bool = True
    """Whether White made the first ply."""


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


ScoreOf = Callable[[ChessPosition], Score]
"""A function that evaluates a position for the side to move."""

PLAYED = pl.Schema({"who": pl.String, "move": pl.String, "best": pl.String})
"""The columns between `PLIES` and those of the hand: the member that moved, the move, and the judge's own one, null
where it names none; both in UCI.
"""

_MOVES = ("brain", "u_sampled", "u_argmax")
"""Keys of a record's info that hold moves considered beside the played one, to which they may be equal."""


def table_of(games: Sequence[AnalysedGame], score: ScoreOf, mode: WpMode = "q") -> pl.DataFrame:
    """One row for every move that a player chose: `PLIES`, `PLAYED`, and for hand and brain `HAND_COLUMNS`.

    `game` numbers the games as given. The hand's columns are there when any move has them.
    """
    judged = [_verdicts(game, score) for game in games]
    plies = plies_table([_judged(game, verdicts, mode) for game, verdicts in zip(games, judged, strict=True)])
    moves = [move for game in games for move in game.moves]
    best = [verdict.best for verdicts in judged for verdict in verdicts[:-1]]
    played = {"who": [move.who for move in moves], "move": [move.move for move in moves], "best": best}
    plies = plies.hstack(pl.DataFrame(played, schema=PLAYED))
    if not any("u_sampled" in move.info for move in moves):
        return plies
    rows = [row for game in games for row in _hand_rows(game, score)]
    hands = pl.DataFrame(rows, schema=HAND_COLUMNS, orient="row")
    return plies.hstack(_in_mode(hands, mode))


def _verdicts(game: AnalysedGame, score: ScoreOf) -> list[Score]:
    """What each position of a game is worth to its side to move. Where the rules ended it the last one is exact."""
    *before, last = game.positions()
    if game.exact_end and game.white_score is not None:
        end = Score(game.white_score if last.turn == "first" else 1 - game.white_score)
    else:
        end = score(last)
    return [*map(score, before), end]


def _judged(game: AnalysedGame, verdicts: Sequence[Score], mode: WpMode) -> JudgedGame:
    first = 0 if game.start.turn == "first" else 1
    q = [(2 * verdict.wp - 1) * (1 if (ply + first) % 2 == 0 else -1) for ply, verdict in enumerate(verdicts)]
    opening = len(game.start.moves)
    return JudgedGame(
        pair=game.pair,
        focal_white=game.focal_white,
        wp_white=[0.5] * opening + win_probability(q, mode).tolist(),
        bits=game.bits,
        opening_plies=opening,
        starts_white=(game.start.turn == "first") == (opening % 2 == 0),
    )


def _hand_rows(game: AnalysedGame, score: ScoreOf) -> list[tuple[str | float | None, ...]]:
    rows: list[tuple[str | float | None, ...]] = []
    for position, move in zip(game.positions(), game.moves, strict=False):
        if "u_sampled" not in move.info:
            rows.append((None,) * len(HAND_COLUMNS))
            continue
        brain, sampled, argmax = (_text(move.info.get(key)) for key in _MOVES)
        moves = (brain, move.move, sampled, argmax)
        known = [m for m in moves if m is not None]
        types = piece_types(position.fen, known)
        worth = {m: 1 - score(position.play(m)).wp for m in (brain, sampled, argmax) if m}
        typed = (types[m] if m else None for m in moves)
        rows.append((*moves, *typed, *(worth[m] if m else None for m in (brain, sampled, argmax))))
    return rows


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _in_mode(hands: pl.DataFrame, mode: WpMode) -> pl.DataFrame:
    """The hand's columns with their win probabilities, (1 + q) / 2, converted to another mode."""
    if mode == "q":
        return hands
    columns = [f"wp_{move}" for move in _MOVES]
    return hands.with_columns(
        pl.Series(name, win_probability(2 * hands[name].to_numpy() - 1, mode), nan_to_null=True) for name in columns
    )
