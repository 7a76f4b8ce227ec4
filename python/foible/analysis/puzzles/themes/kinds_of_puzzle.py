"""Themes of the kind of puzzle: phase of the game, type of endgame, length of the line, goal; mates, including those
with names; and themes of single moves of the solver, such as castling.
"""

from collections.abc import Iterator

import chess

from foible._core import ChessPosition
from foible.analysis.puzzles.themes.solution_boards import Ply, Solution
from foible.games.phases import PHASES, phase_of

LENGTHS = ("oneMove", "short", "long", "veryLong")
"""The themes by the number of the solver's moves: 1, 2, 3, more."""

ENDGAMES = {
    frozenset[chess.PieceType](): "pawnEndgame",
    frozenset({chess.KNIGHT}): "knightEndgame",
    frozenset({chess.BISHOP}): "bishopEndgame",
    frozenset({chess.ROOK}): "rookEndgame",
    frozenset({chess.QUEEN}): "queenEndgame",
    frozenset({chess.ROOK, chess.QUEEN}): "queenRookEndgame",
}
"""The themes by the types of pieces left beside kings and pawns."""

CRUSHING, ADVANTAGE = 0.90, 0.68
"""Win probabilities that correspond to the lichess table's bounds of 600 and 200 centipawns."""


def length(line: Solution) -> Iterator[str]:
    """The length, by the number of the solver's moves."""
    yield LENGTHS[min(len(line.ours), len(LENGTHS)) - 1]


def phase(line: Solution) -> Iterator[str]:
    """The phase by lichess' former rule, which was in use when the puzzles of its table were tagged."""
    yield PHASES[phase_of(ChessPosition(line.start.fen()), "legacy")]


def endgame_type(line: Solution) -> Iterator[str]:
    """The type of endgame: no other pieces at the start and after the first move; with rooks, only one queen in all."""
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
    """The goal of a solution that does not mate, by the solver's win probability after it."""
    return "crushing" if after >= CRUSHING else "advantage" if after >= ADVANTAGE else "equality"


LONGEST_MATE = 5
"""The number in the theme of this and all longer mates."""


def mate(line: Solution) -> Iterator[str]:
    """The mate at the end of the line, its length, and its name where it has one."""
    board = line.end
    if board.is_checkmate():
        yield "mate"
        yield f"mateIn{min(len(line.ours), LONGEST_MATE)}"
        if _back_rank(board):
            yield "backRankMate"
        if _smothered(board):
            yield "smotheredMate"


def _back_rank(board: chess.Board) -> bool:
    """Whether the mate is along the king's own first rank, with its own men, all unattacked, in front of it."""
    side = board.turn
    home = chess.BB_RANK_1 if side == chess.WHITE else chess.BB_RANK_8
    king = board.kings & board.occupied_co[side]
    if not king & home or not board.checkers_mask() & home:
        return False
    front = _around(board) & ~home
    attacked = any(board.is_attacked_by(not side, square) for square in chess.scan_forward(front))
    return not front & ~board.occupied_co[side] and not attacked


def _smothered(board: chess.Board) -> bool:
    """Whether a knight alone mates, with the king's own men on all squares around it."""
    checkers = board.checkers_mask()
    by_knight = chess.popcount(checkers) == 1 and bool(checkers & board.knights)
    return by_knight and not _around(board) & ~board.occupied_co[board.turn]


def _around(board: chess.Board) -> chess.Bitboard:
    king = board.king(board.turn)
    assert king is not None, "a mated side has a king"
    return chess.BB_KING_ATTACKS[king]


ADVANCED = 6
"""The rank from which on a pawn that moves there is advanced; a 0-based index from the mover's side."""


def special(line: Solution) -> Iterator[str]:
    """Castling, captures en passant, promotions, far advanced pawns, double checks: the solver's moves of a kind."""
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
