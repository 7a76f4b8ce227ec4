"""Fork: one man attacks two."""

from collections.abc import Iterator

import chess

from foible.analysis.puzzles.themes.line import Line, Ply
from foible.analysis.puzzles.themes.men import VALUES, safe, value


def fork(line: Line) -> Iterator[str]:
    if any(_forks(ply) and not _traded(ply, reply) for ply, reply, _ in line.answered()):
        yield "fork"


def _forks(ply: Ply) -> bool:
    """The move attacks two men that can be won: the king, dearer ones, unguarded ones that are more than a pawn."""
    board, square, side = ply.after, ply.move.to_square, ply.before.turn
    if ply.kind == chess.KING or not safe(board, square) or _spared_by_pin(board, square):
        return False
    attacked = board.attacks(square) & board.occupied_co[not side]
    return sum(_can_be_won(board, target, by=square) for target in attacked) > 1


def _can_be_won(board: chess.Board, target: chess.Square, by: chess.Square) -> bool:
    kind = board.piece_type_at(target)
    if kind in {chess.KING, chess.PAWN}:
        return kind == chess.KING
    owner = board.color_at(target) == chess.WHITE
    return value(board, target) > value(board, by) or not board.is_attacked_by(owner, target)


def _spared_by_pin(board: chess.Board, square: chess.Square) -> bool:
    """A man that would win what stands on the square is pinned; the lichess table calls that a pin, not a fork."""
    opponent = board.turn
    guarded = board.is_attacked_by(not opponent, square)
    return any(
        board.is_pinned(opponent, attacker) and (not guarded or value(board, attacker) < value(board, square))
        for attacker in board.attackers(opponent, square)
    )


def _traded(ply: Ply, reply: Ply) -> bool:
    """The reply takes the man that moved, at no cost."""
    return reply.move.to_square == ply.move.to_square and VALUES[reply.kind] <= VALUES[ply.kind]
