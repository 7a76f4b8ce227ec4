"""Themes that single moves of the solver tell by themselves."""

from collections.abc import Iterator

import chess

from foible.analysis.puzzles.themes.line import Line, Ply

ADVANCED = 6
"""Index of the rank, from the mover's side, from which a pawn that moves there is advanced."""


def special(line: Line) -> Iterator[str]:
    for ply in line.ours:
        yield from _kinds_of(ply)


def _kinds_of(ply: Ply) -> Iterator[str]:
    if ply.before.is_castling(ply.move):
        yield "castling"
    if ply.before.is_en_passant(ply.move):
        yield "enPassant"
    if ply.move.promotion is not None:
        yield "promotion"
        if ply.move.promotion != chess.QUEEN:
            yield "underPromotion"
    rank = chess.square_rank(ply.move.to_square)
    if ply.kind == chess.PAWN and (rank if ply.before.turn == chess.WHITE else 7 - rank) >= ADVANCED:
        yield "advancedPawn"
    if len(ply.after.checkers()) > 1:
        yield "doubleCheck"
