"""A puzzle's moves played out on boards; the values of men, in pawns, and the gain of exchanges on a square."""

from collections.abc import Iterator
from dataclasses import dataclass

import chess

from foible._core import ChessPosition
from foible.analysis.puzzles.puzzle import Puzzle

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}
"""The values of men in pawns; the king's exceeds any other."""

RAYS = frozenset({chess.BISHOP, chess.ROOK, chess.QUEEN})


def value(board: chess.Board, square: chess.Square) -> int:
    """The value of the man on a square; 0 where there is none."""
    kind = board.piece_type_at(square)
    return 0 if kind is None else VALUES[kind]


def material(board: chess.Board, side: chess.Color) -> int:
    """By how many pawns a side is ahead in material."""
    return sum(
        VALUES[kind] * (len(board.pieces(kind, side)) - len(board.pieces(kind, not side)))
        for kind in VALUES
        if kind != chess.KING
    )


def gain(board: chess.Board, square: chess.Square, side: chess.Color, by: chess.Square | None = None) -> int:
    """The material that a side, if it were to move, would win by exchanges on a square, where either side may stop.

    Each side captures with its cheapest man that legally can; `by`: only the man on that square may begin.
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
    """Whether the opponent gains nothing by exchanges on the square of a man."""
    return gain(board, square, board.color_at(square) != chess.WHITE) == 0


@dataclass(frozen=True, slots=True)
class Ply:
    """One move, with the boards before and after it."""

    before: chess.Board
    move: chess.Move
    after: chess.Board

    @property
    def kind(self) -> chess.PieceType:
        """The type of the man that moved, before it promoted."""
        kind = self.before.piece_type_at(self.move.from_square)
        assert kind is not None, f"{self.move.uci()} moves nothing"
        return kind

    @property
    def captured(self) -> chess.PieceType | None:
        """The type of the man that was captured, if any."""
        if self.before.is_en_passant(self.move):
            return chess.PAWN
        return None if self.before.is_castling(self.move) else self.before.piece_type_at(self.move.to_square)


@dataclass(frozen=True, slots=True)
class Solution:
    """A puzzle played out. Its boards are not to be changed."""

    setup: Ply | None
    ours: tuple[Ply, ...]
    """The solver's moves."""
    replies: tuple[Ply, ...]
    """The opponent's moves, one fewer: `replies[i]` answers `ours[i]`."""

    @property
    def side(self) -> chess.Color:
        """The solver's colour."""
        return self.start.turn

    @property
    def start(self) -> chess.Board:
        """The position to solve."""
        return self.ours[0].before

    @property
    def end(self) -> chess.Board:
        """The position after the last move."""
        return self.ours[-1].after

    def answered(self) -> Iterator[tuple[Ply, Ply, Ply]]:
        """Each of the solver's moves but the last, with the reply to it and the solver's next move."""
        return zip(self.ours, self.replies, self.ours[1:], strict=False)


def play_out(puzzle: Puzzle) -> Solution:
    """The line of a puzzle that has a solution.

    :raises PositionError: the FEN is not valid.
    :raises MoveError: a move is not legal; the message names it and its index.
    """
    ChessPosition(puzzle.fen, puzzle.moves)
    board, plies = chess.Board(puzzle.fen), []
    for uci in puzzle.moves:
        before, move = board, board.parse_uci(uci)
        board = before.copy(stack=False)
        board.push(move)
        board.clear_stack()
        plies.append(Ply(before, move, board))
    first = 0 if puzzle.setup is None else 1
    return Solution(plies[0] if first else None, tuple(plies[first::2]), tuple(plies[first + 1 :: 2]))
