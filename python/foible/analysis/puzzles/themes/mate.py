"""Mate: that it is, in how many moves, and two patterns that have names."""

from collections.abc import Iterator

import chess

from foible.analysis.puzzles.themes.line import Line

LONGEST = 5
"""Longer mates bear this number."""


def mate(line: Line) -> Iterator[str]:
    board = line.end
    if board.is_checkmate():
        yield "mate"
        yield f"mateIn{min(len(line.ours), LONGEST)}"
        if _back_rank(board):
            yield "backRankMate"
        if _smothered(board):
            yield "smotheredMate"


def _back_rank(board: chess.Board) -> bool:
    """Along the king's first rank; in front of it stand its own men, none of them attacked."""
    side = board.turn
    home = chess.BB_RANK_1 if side == chess.WHITE else chess.BB_RANK_8
    king = board.kings & board.occupied_co[side]
    if not king & home or not board.checkers_mask() & home:
        return False
    front = _around(board) & ~home
    attacked = any(board.is_attacked_by(not side, square) for square in chess.scan_forward(front))
    return not front & ~board.occupied_co[side] and not attacked


def _smothered(board: chess.Board) -> bool:
    """By a knight alone; the king's own men stand on all squares around it."""
    checkers = board.checkers_mask()
    by_knight = chess.popcount(checkers) == 1 and bool(checkers & board.knights)
    return by_knight and not _around(board) & ~board.occupied_co[board.turn]


def _around(board: chess.Board) -> chess.Bitboard:
    king = board.king(board.turn)
    assert king is not None, "a mated side has a king"
    return chess.BB_KING_ATTACKS[king]
