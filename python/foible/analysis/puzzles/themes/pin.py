"""Pin: a man may not move, or only along a line, because its king stands behind it."""

from collections.abc import Iterator

import chess

from foible.analysis.puzzles.themes.line import Line
from foible.analysis.puzzles.themes.men import value


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
