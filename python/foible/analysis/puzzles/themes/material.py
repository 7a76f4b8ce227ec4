"""Themes of material: what is given up, left hanging, or caught."""

from collections.abc import Iterator

import chess

from foible.analysis.puzzles.themes.line import Line, Ply
from foible.analysis.puzzles.themes.men import VALUES, gain, material, safe, value

SACRIFICE = 2
"""Pawns below the start of the solution that make a sacrifice."""


def sacrifice(line: Line) -> Iterator[str]:
    """After a move of the solver's but the first, material is missing; promotions of the opponent's tell nothing."""
    before = material(line.start, line.side)
    promotes = any(reply.move.promotion for reply in line.replies)
    if not promotes and any(before - material(ply.after, line.side) >= SACRIFICE for ply in line.ours[1:]):
        yield "sacrifice"


def hanging(line: Line) -> Iterator[str]:
    """The first move takes an unguarded piece for good, and is not just the second half of an exchange."""
    first = line.ours[0]
    if first.captured in {None, chess.PAWN} or line.start.is_attacked_by(not line.side, first.move.to_square):
        return
    kept = len(line.ours) == 1 or material(line.ours[1].after, line.side) >= material(first.after, line.side)
    if kept and not _takes_back(line.setup, first):
        yield "hangingPiece"


def _takes_back(setup: Ply | None, first: Ply) -> bool:
    """What the first move takes has itself just taken as much there."""
    if setup is None or setup.captured is None or first.captured is None:
        return False
    return setup.move.to_square == first.move.to_square and VALUES[setup.captured] >= VALUES[first.captured]


def trapped(line: Line) -> Iterator[str]:
    """A piece falls that no move of its own could have saved."""
    for ply, reply, then in line.answered():
        taken = then.move.to_square
        stood = reply.move.from_square if reply.move.to_square == taken else taken
        if then.captured not in {None, chess.PAWN} and _is_trapped(ply.after, stood):
            yield "trappedPiece"
            return


def _is_trapped(board: chess.Board, square: chess.Square) -> bool:
    """A piece of the side to move is lost where it stands, and wherever it goes; neither check nor pin holds it."""
    if board.piece_type_at(square) in {chess.PAWN, chess.KING} or safe(board, square):
        return False
    if board.is_check() or board.is_pinned(board.turn, square):
        return False
    return not any(_saves(board, move) for move in board.generate_legal_moves(chess.BB_SQUARES[square]))


def _saves(board: chess.Board, move: chess.Move) -> bool:
    """It goes to a safe square, or takes as much as it costs."""
    if value(board, move.to_square) >= value(board, move.from_square):
        return True
    after = board.copy(stack=False)
    after.push(move)
    return gain(after, move.to_square, after.turn) == 0
