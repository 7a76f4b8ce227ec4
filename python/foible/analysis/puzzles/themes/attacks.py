"""Themes of attacks by one man on several: forks, pins, and along the lines of bishops, rooks and queens that another
man leaves: discovered attacks, skewers.
"""

from collections.abc import Iterator

import chess

from foible.analysis.puzzles.themes.solution_boards import RAYS, VALUES, Line, Ply, gain, safe, value


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


def pin(line: Line) -> Iterator[str]:
    """After a move of the solver's a pinned man of the opponent's cannot take something, or cannot flee."""
    boards = (ply.after for ply in line.ours)
    if any(_cannot_take(board, square) or _cannot_flee(board, square) for board in boards for square in _pinned(board)):
        yield "pin"


def _pinned(board: chess.Board) -> Iterator[chess.Square]:
    """Where pinned men of the side to move stand."""
    men = board.occupied_co[board.turn] & ~board.kings
    return (square for square in chess.scan_forward(men) if board.is_pinned(board.turn, square))


def _cannot_take(board: chess.Board, square: chess.Square) -> bool:
    """But for the pin it would take a dearer man, or an unguarded one."""
    solver = not board.turn
    forbidden = board.attacks(square) & board.occupied_co[solver] & ~board.pin(board.turn, square)
    return any(
        value(board, target) > value(board, square) or not board.is_attacked_by(solver, target) for target in forbidden
    )


def _cannot_flee(board: chess.Board, square: chess.Square) -> bool:
    """It is attacked by a cheaper man, or attacked and unguarded."""
    attackers = board.attackers(not board.turn, square)
    unguarded = not board.is_attacked_by(board.turn, square)
    return any(unguarded or value(board, attacker) < value(board, square) for attacker in attackers)


def discovered(line: Line) -> Iterator[str]:
    """A man of the solver's moves out of the way of another, which thereby checks, or captures next."""
    checks = any(_discovers_check(ply) for ply in line.ours)
    if checks:
        yield "discoveredCheck"
    if checks or any(_opens(ply, then) and not _just_arrived(reply, then) for ply, reply, then in line.answered()):
        yield "discoveredAttack"


def _discovers_check(ply: Ply) -> bool:
    """The only check is by a man that did not move; `doubleCheck` is a theme of its own."""
    checkers = ply.after.checkers_mask()
    moved = chess.BB_SQUARES[ply.move.to_square]
    return chess.popcount(checkers) == 1 and not checkers & moved and not ply.before.is_castling(ply.move)


def _opens(ply: Ply, then: Ply) -> bool:
    """The next move, by another man, captures along a line that the first one left."""
    along = chess.between(then.move.from_square, then.move.to_square)
    captures = then.captured is not None and then.kind in RAYS
    return (
        captures
        and then.move.from_square != ply.move.to_square
        and bool(along & chess.BB_SQUARES[ply.move.from_square])
    )


def skewer(line: Line) -> Iterator[str]:
    """A man steps out of an attack, and the one behind it, which is worth no more, falls at a profit."""
    if any(_skewers(*moves) for moves in line.answered()):
        yield "skewer"


def _skewers(ply: Ply, reply: Ply, then: Ply) -> bool:
    square = then.move.to_square
    if then.captured is None or then.kind not in RAYS or then.move.from_square != ply.move.to_square:
        return False
    if _just_arrived(reply, then) or then.after.is_checkmate():
        return False
    along = chess.between(ply.move.to_square, square)
    stepped_aside = bool(along & chess.BB_SQUARES[reply.move.from_square])
    profit = VALUES[then.captured] > gain(then.after, square, then.after.turn)
    return stepped_aside and VALUES[reply.kind] >= VALUES[then.captured] and profit


def _just_arrived(reply: Ply, then: Ply) -> bool:
    """The capture takes the man that made the reply."""
    return reply.move.to_square == then.move.to_square
