"""Themes that tell what kind of puzzle it is: phase of the game, type of endgame, length of the line, goal; mates, and
those that have names; and what single moves of the solver tell by themselves.
"""

from collections.abc import Iterator

import chess

from foible.analysis.puzzles.themes.solution_boards import Line, Ply

LENGTHS = ("oneMove", "short", "long", "veryLong")
"""By the number of the solver's moves: 1, 2, 3, more."""

ENDGAMES = {
    frozenset[chess.PieceType](): "pawnEndgame",
    frozenset({chess.KNIGHT}): "knightEndgame",
    frozenset({chess.BISHOP}): "bishopEndgame",
    frozenset({chess.ROOK}): "rookEndgame",
    frozenset({chess.QUEEN}): "queenEndgame",
    frozenset({chess.ROOK, chess.QUEEN}): "queenRookEndgame",
}
"""By the kinds that are left beside kings and pawns."""

ENDGAME, MIDDLEGAME = 6, 10
"""Up to so many knights, bishops, rooks and queens of both sides are an endgame, a middlegame."""
HOME = 4
"""So many men of each side still stand on their first rank in the opening."""
OPENED = 36
"""From this count on it is no opening any more: the move number, and 2 for every man that has left its first two ranks.

The last is fitted to the lichess table, where it tells 88 % of the positions that pass the other two apart.
"""

CRUSHING, ADVANTAGE = 0.90, 0.68
"""Win probabilities; what the lichess table's 600 and 200 centipawns mean there."""


def length(line: Line) -> Iterator[str]:
    yield LENGTHS[min(len(line.ours), len(LENGTHS)) - 1]


def phase(line: Line) -> Iterator[str]:
    yield phase_of(line.start)


def phase_of(board: chess.Board) -> str:
    """Opening, middlegame or endgame, by the pieces left and how far the men have come."""
    pieces = chess.popcount(board.occupied & ~board.pawns & ~board.kings)
    if pieces <= ENDGAME:
        return "endgame"
    if pieces <= MIDDLEGAME or any(_at_home(board, side, 1) < HOME for side in chess.COLORS):
        return "middlegame"
    left = chess.popcount(board.occupied) - sum(_at_home(board, side, 2) for side in chess.COLORS)
    return "middlegame" if board.fullmove_number + 2 * left >= OPENED else "opening"


def _at_home(board: chess.Board, side: chess.Color, ranks: int) -> int:
    """How many men of a side stand on its first ranks."""
    first = range(ranks) if side == chess.WHITE else range(8 - ranks, 8)
    return chess.popcount(board.occupied_co[side] & sum(chess.BB_RANKS[rank] for rank in first))


def endgame_type(line: Line) -> Iterator[str]:
    """Only such pieces are there at the start, and after the first move; of queen and rook, one queen."""
    kinds = _kinds(line.start)
    mixed = len(kinds) > 1 and chess.popcount(line.start.queens) > 1
    if kinds in ENDGAMES and kinds == _kinds(line.ours[0].after) and not mixed:
        yield ENDGAMES[kinds]


def _kinds(board: chess.Board) -> frozenset[chess.PieceType]:
    kinds = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
    return frozenset(
        kind for kind in kinds if board.pieces_mask(kind, chess.WHITE) | board.pieces_mask(kind, chess.BLACK)
    )


def goal(after: float) -> str:
    """What a solution that does not mate brings, by the solver's win probability."""
    return "crushing" if after >= CRUSHING else "advantage" if after >= ADVANTAGE else "equality"


LONGEST_MATE = 5
"""Longer mates bear this number."""


def mate(line: Line) -> Iterator[str]:
    board = line.end
    if board.is_checkmate():
        yield "mate"
        yield f"mateIn{min(len(line.ours), LONGEST_MATE)}"
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
