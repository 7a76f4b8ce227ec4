"""Tactical themes: attacks, and the ways in which material is won.

There are attacks of one man on several, forks and pins; attacks along lines that another man leaves, discovered
attacks and skewers; men that are sacrificed, hanging or trapped; and themes that follow from the order of moves: men
that are lured, deflected, or captured as defenders, and the intermezzo.
"""

from collections.abc import Iterator

import chess

from foible.analysis.puzzles.themes.solution_boards import RAYS, VALUES, Ply, Solution, gain, material, safe, value

SACRIFICE = 2
"""The material in pawns, below that at the start of the solution, whose lack makes a sacrifice."""
LURED = frozenset({chess.KING, chess.QUEEN, chess.ROOK})


def fork(line: Solution) -> Iterator[str]:
    """A man attacks two targets at once, and is not traded off for it."""
    if any(_forks(ply) and not _traded(ply, reply) for ply, reply, _ in line.answered()):
        yield "fork"


def _forks(ply: Ply) -> bool:
    """Whether the move attacks two targets at once: the king, dearer men, or unguarded pieces."""
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
    """Whether a pin alone saves the man on the square from capture; the lichess table calls that a pin, not a fork."""
    opponent = board.turn
    guarded = board.is_attacked_by(not opponent, square)
    return any(
        board.is_pinned(opponent, attacker) and (not guarded or value(board, attacker) < value(board, square))
        for attacker in board.attackers(opponent, square)
    )


def _traded(ply: Ply, reply: Ply) -> bool:
    """Whether the reply captures the man that moved, with one that is worth no more."""
    return reply.move.to_square == ply.move.to_square and VALUES[reply.kind] <= VALUES[ply.kind]


def pin(line: Solution) -> Iterator[str]:
    """After a move of the solver, a pinned man of the opponent cannot capture something, or cannot flee."""
    boards = (ply.after for ply in line.ours)
    if any(_cannot_take(board, square) or _cannot_flee(board, square) for board in boards for square in _pinned(board)):
        yield "pin"


def _pinned(board: chess.Board) -> Iterator[chess.Square]:
    """The squares of the pinned men of the side to move."""
    men = board.occupied_co[board.turn] & ~board.kings
    return (square for square in chess.scan_forward(men) if board.is_pinned(board.turn, square))


def _cannot_take(board: chess.Board, square: chess.Square) -> bool:
    """Whether only the pin keeps the man on the square from capturing a dearer or an unguarded man."""
    solver = not board.turn
    forbidden = board.attacks(square) & board.occupied_co[solver] & ~board.pin(board.turn, square)
    return any(
        value(board, target) > value(board, square) or not board.is_attacked_by(solver, target) for target in forbidden
    )


def _cannot_flee(board: chess.Board, square: chess.Square) -> bool:
    """Whether the pinned man is attacked by a cheaper one, or is attacked and unguarded."""
    attackers = board.attackers(not board.turn, square)
    unguarded = not board.is_attacked_by(board.turn, square)
    return any(unguarded or value(board, attacker) < value(board, square) for attacker in attackers)


def discovered(line: Solution) -> Iterator[str]:
    """A man of the solver moves out of the way of another, which thereby gives check, or captures next."""
    checks = any(_discovers_check(ply) for ply in line.ours)
    if checks:
        yield "discoveredCheck"
    if checks or any(_opens(ply, then) and not _just_arrived(reply, then) for ply, reply, then in line.answered()):
        yield "discoveredAttack"


def _discovers_check(ply: Ply) -> bool:
    """Whether the only check is by a man that did not move; `doubleCheck` is a theme of its own."""
    checkers = ply.after.checkers_mask()
    moved = chess.BB_SQUARES[ply.move.to_square]
    return chess.popcount(checkers) == 1 and not checkers & moved and not ply.before.is_castling(ply.move)


def _opens(ply: Ply, then: Ply) -> bool:
    """Whether the solver's next move, by another man, captures along a line that the first move has opened."""
    along = chess.between(then.move.from_square, then.move.to_square)
    captures = then.captured is not None and then.kind in RAYS
    return (
        captures
        and then.move.from_square != ply.move.to_square
        and bool(along & chess.BB_SQUARES[ply.move.from_square])
    )


def skewer(line: Solution) -> Iterator[str]:
    """A man moves out of an attack, and the man behind it, which is worth no more, is captured at a profit."""
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
    """Whether the capture takes the man that made the reply."""
    return reply.move.to_square == then.move.to_square


def sacrifice(line: Solution) -> Iterator[str]:
    """The solver is down in material after a move later than the first, in a line without promotion by the opponent."""
    before = material(line.start, line.side)
    promotes = any(reply.move.promotion for reply in line.replies)
    if not promotes and any(before - material(ply.after, line.side) >= SACRIFICE for ply in line.ours[1:]):
        yield "sacrifice"


def hanging(line: Solution) -> Iterator[str]:
    """The first move takes an unguarded piece for good, and is not just the second half of an exchange."""
    first = line.ours[0]
    if first.captured in {None, chess.PAWN} or line.start.is_attacked_by(not line.side, first.move.to_square):
        return
    kept = len(line.ours) == 1 or material(line.ours[1].after, line.side) >= material(first.after, line.side)
    if kept and not _takes_back(line.setup, first):
        yield "hangingPiece"


def _takes_back(setup: Ply | None, first: Ply) -> bool:
    """Whether the man that the first move captures has itself just captured one worth at least as much there."""
    if setup is None or setup.captured is None or first.captured is None:
        return False
    return setup.move.to_square == first.move.to_square and VALUES[setup.captured] >= VALUES[first.captured]


def trapped(line: Solution) -> Iterator[str]:
    """A piece is captured that no move of its own could have saved."""
    for ply, reply, then in line.answered():
        taken = then.move.to_square
        stood = reply.move.from_square if reply.move.to_square == taken else taken
        if then.captured not in {None, chess.PAWN} and _is_trapped(ply.after, stood):
            yield "trappedPiece"
            return


def _is_trapped(board: chess.Board, square: chess.Square) -> bool:
    """Whether a piece of the side to move is lost on its square and wherever it goes, without any pin or check."""
    if board.piece_type_at(square) in {chess.PAWN, chess.KING} or safe(board, square):
        return False
    if board.is_check() or board.is_pinned(board.turn, square):
        return False
    return not any(_saves(board, move) for move in board.generate_legal_moves(chess.BB_SQUARES[square]))


def _saves(board: chess.Board, move: chess.Move) -> bool:
    """Whether the piece moves to a safe square, or captures something worth at least as much as itself."""
    if value(board, move.to_square) >= value(board, move.from_square):
        return True
    after = board.copy(stack=False)
    after.push(move)
    return gain(after, move.to_square, after.turn) == 0


def attraction(line: Solution) -> Iterator[str]:
    """A king, queen or rook captures the solver's man and is attacked there; a queen or rook later falls there."""
    for index, (ply, reply, then) in enumerate(line.answered()):
        square = ply.move.to_square
        if reply.move.to_square != square or reply.kind not in LURED:
            continue
        attacked = then.move.to_square in then.after.attackers(line.side, square)
        falls = any(later.move.to_square == square and later.captured for later in line.ours[index + 2 :])
        if attacked and (reply.kind == chess.KING or falls):
            yield "attraction"
            return


def deflection(line: Solution) -> Iterator[str]:
    """A man that has to capture or answer a check no longer guards the square where the solver captures or promotes."""
    if any(
        _forced(ply, reply) and _profits(then) and _unguards(ply, reply, then) for ply, reply, then in line.answered()
    ):
        yield "deflection"


def _forced(ply: Ply, reply: Ply) -> bool:
    """Whether the reply answers a check, or captures a man that was offered and not merely exchanged."""
    if reply.move.to_square != ply.move.to_square:
        return ply.after.is_check()
    return ply.captured is None or VALUES[ply.captured] < VALUES[ply.kind]


def _profits(then: Ply) -> bool:
    """Whether the move promotes, or captures more than the opponent can win back on the square."""
    if then.move.promotion is not None or then.captured is None:
        return then.move.promotion is not None
    return VALUES[then.captured] > gain(then.after, then.move.to_square, then.after.turn)


def _unguards(ply: Ply, reply: Ply, then: Ply) -> bool:
    """Whether the reply gives up the guard of the next move's target, perhaps one through the man that moves there."""
    target = then.move.to_square
    if target in {ply.move.to_square, reply.move.to_square}:
        return False
    before, after = ply.after.copy(stack=False), reply.after.copy(stack=False)
    for board in (before, after):
        board.remove_piece_at(then.move.from_square)
    return target in before.attacks(reply.move.from_square) and target not in after.attacks(reply.move.to_square)


def capturing_defender(line: Solution) -> Iterator[str]:
    """The solver captures a guard, then with another man what it guarded, which could not be won before."""
    if any(_takes_guard(*moves) for moves in line.answered()):
        yield "capturingDefender"


def _takes_guard(ply: Ply, reply: Ply, then: Ply) -> bool:
    guard, target, taker = ply.move.to_square, then.move.to_square, then.move.from_square
    if ply.captured is None or then.captured is None or ply.kind == chess.KING or ply.after.is_check():
        return False
    if target in {guard, reply.move.to_square} or taker == guard or VALUES[then.captured] > VALUES[then.kind]:
        return False
    guarded = guard in ply.before.attackers(reply.before.turn, target)
    return (
        guarded
        and gain(ply.before, target, ply.before.turn, by=taker) == 0
        and not then.after.is_attacked_by(then.after.turn, target)
    )


def intermezzo(line: Solution) -> Iterator[str]:
    """The opponent captures something; the solver, who could recapture at once, first makes another move."""
    takes = (line.setup, *line.replies)
    if any(last is not None and _between(last, *moves) for last, moves in zip(takes, line.answered(), strict=False)):
        yield "intermezzo"


def _between(last: Ply, ply: Ply, reply: Ply, then: Ply) -> bool:
    """Whether `then` recaptures what `last` captured, which was possible before `ply` already.

    The reply must neither be on that square nor be made by a man that guards it, which would be a deflection.
    """
    square = last.move.to_square
    if last.captured is None or then.move.to_square != square or square in {ply.move.to_square, reply.move.to_square}:
        return False
    return square not in ply.after.attacks(reply.move.from_square) and ply.before.is_legal(then.move)
