"""Men on a board: what they are worth, and what exchanges on a square win. All values are in pawns."""

import chess

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}
"""The king's lets nothing outweigh it."""

RAYS = frozenset({chess.BISHOP, chess.ROOK, chess.QUEEN})


def value(board: chess.Board, square: chess.Square) -> int:
    """Of the man on a square; 0 where there is none."""
    kind = board.piece_type_at(square)
    return 0 if kind is None else VALUES[kind]


def material(board: chess.Board, side: chess.Color) -> int:
    """How much a side is ahead."""
    return sum(
        VALUES[kind] * (len(board.pieces(kind, side)) - len(board.pieces(kind, not side)))
        for kind in VALUES
        if kind != chess.KING
    )


def gain(board: chess.Board, square: chess.Square, side: chess.Color, by: chess.Square | None = None) -> int:
    """What a side that were to move would win by exchanges on one square, where either may stop at any time.

    Each captures with its cheapest man that legally can; `by`: only the man on that square may begin.
    """
    if not board.occupied_co[not side] & chess.BB_SQUARES[square]:
        return 0
    board = board.copy(stack=False)
    board.turn, board.ep_square = side, None
    beginners = chess.BB_ALL if by is None else chess.BB_SQUARES[by]
    captures = board.generate_legal_moves(beginners, chess.BB_SQUARES[square])
    cheapest = min(captures, key=lambda move: value(board, move.from_square), default=None)
    if cheapest is None:
        return 0
    victim = value(board, square)
    board.push(cheapest)
    return max(0, victim - gain(board, square, not side))


def safe(board: chess.Board, square: chess.Square) -> bool:
    """No exchange on its square costs the man that stands there."""
    return gain(board, square, board.color_at(square) != chess.WHITE) == 0
