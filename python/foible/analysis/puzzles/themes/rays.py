"""Themes of bishops, rooks and queens whose line another man leaves: discovered attack, skewer."""

from collections.abc import Iterator

import chess

from foible.analysis.puzzles.themes.line import Line, Ply
from foible.analysis.puzzles.themes.men import RAYS, VALUES, gain


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
