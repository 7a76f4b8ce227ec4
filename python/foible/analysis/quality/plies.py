"""From games and a judge to the table that all statistics read."""

from collections.abc import Callable, Sequence

import polars as pl

from foible._core import ChessPosition
from foible.agents.teams import piece_types
from foible.analysis.quality.games import Game
from foible.analysis.quality.schema import HAND_COLUMNS, JudgedGame, plies_table
from foible.analysis.quality.values import WpMode, win_probability
from foible.judges.base import Score

ScoreOf = Callable[[ChessPosition], Score]
"""What a position is worth to the side to move."""

PLAYED = pl.Schema({"who": pl.String, "move": pl.String})
"""The member that moved and the move in UCI: the columns between `schema.PLIES` and those of the hand."""

_MOVES = ("brain", "u_sampled", "u_argmax")
"""Moves of a record's info that were considered and, unless `played` is the same, not played."""


def table_of(games: Sequence[Game], score: ScoreOf, mode: WpMode = "q") -> pl.DataFrame:
    """One row for every move that a player chose: `schema.PLIES`, `PLAYED`, and for hand and brain `HAND_COLUMNS`.

    `game` numbers the games as given. The hand's columns are there when any move has them.
    """
    plies = plies_table([_judged(game, score, mode) for game in games])
    moves = [move for game in games for move in game.moves]
    played = pl.DataFrame({"who": [m.who for m in moves], "move": [m.move for m in moves]}, schema=PLAYED)
    plies = plies.hstack(played)
    if not any("u_sampled" in move.info for move in moves):
        return plies
    rows = [row for game in games for row in _hand_rows(game, score)]
    hands = pl.DataFrame(rows, schema=HAND_COLUMNS, orient="row")
    return plies.hstack(_in_mode(hands, mode))


def _judged(game: Game, score: ScoreOf, mode: WpMode) -> JudgedGame:
    q = []
    for index, position in enumerate(game.positions()):
        if index == len(game.moves) and game.exact_end and game.white_score is not None:
            q.append(2 * game.white_score - 1)
        else:
            own = 2 * score(position).wp - 1
            q.append(own if position.turn == "first" else -own)
    opening = len(game.start.moves)
    return JudgedGame(
        pair=game.pair,
        focal_white=game.focal_white,
        wp_white=[0.5] * opening + win_probability(q, mode).tolist(),
        bits=game.bits,
        opening_plies=opening,
        starts_white=(game.start.turn == "first") == (opening % 2 == 0),
    )


def _hand_rows(game: Game, score: ScoreOf) -> list[tuple[str | float | None, ...]]:
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
    """The win probabilities of the hand's columns, which are (1 + q) / 2, in another mode."""
    if mode == "q":
        return hands
    columns = [f"wp_{move}" for move in _MOVES]
    return hands.with_columns(
        pl.Series(name, win_probability(2 * hands[name].to_numpy() - 1, mode), nan_to_null=True) for name in columns
    )
