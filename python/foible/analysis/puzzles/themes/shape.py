"""Themes that tell what kind of puzzle it is: phase of the game, type of endgame, length of the line, goal."""

from collections.abc import Iterator

import chess

from foible.analysis.puzzles.themes.line import Line

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
