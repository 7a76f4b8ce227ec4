"""Helpers for chess positions: along the moves of a game, random ones, to and from python-chess, claimable draws."""

import random
from collections.abc import Sequence

import chess

from foible._core import ChessPosition
from foible.errors import PositionError


def claimable_draw(position: ChessPosition) -> str | None:
    """The reason for which a draw may be claimed in a position as it stands: `threefold_repetition` or `fifty_moves`.

    Claims by announcing a move that would repeat the position or be the hundredth ply do not count: a side that is
    winning does not play such a move.
    """
    if position.repetitions >= 2:
        return "threefold_repetition"
    return "fifty_moves" if position.halfmove_clock >= 100 else None


def positions_along(start: ChessPosition, moves: Sequence[str]) -> list[ChessPosition]:
    """The positions before each of the moves, and last the position after all of them.

    :raises MoveError: a move is not legal.
    """
    positions = [start]
    for move in moves:
        positions.append(positions[-1].play(move))
    return positions


def is_mate(position: ChessPosition) -> bool:
    """Whether the side to move is mated."""
    return position.is_check and not position.legal_moves


def to_board(position: ChessPosition) -> chess.Board:
    """The position as a python-chess board, with all its moves on the stack.

    >>> to_board(ChessPosition(moves=["e4", "e5"])).peek()
    Move.from_uci('e7e5')
    """
    board = chess.Board(position.start_fen, chess960=position.chess960)
    for move in position.moves:
        board.push(chess.Move.from_uci(move))
    return board


def from_board(board: chess.Board) -> ChessPosition:
    """A python-chess board as a position, with the moves on its stack as history.

    >>> from_board(chess.Board()).turn
    'first'

    :raises PositionError: the board is of a variant, or its start is not a valid position.
    :raises MoveError: the stack holds an illegal or null move; the message names it and its index.
    """
    if type(board).uci_variant != "chess":
        raise PositionError(f"a {type(board).__name__} is a variant; only chess and Chess960 boards convert")
    start = board.root().fen(en_passant="fen")
    return ChessPosition(start, [move.uci() for move in board.move_stack], chess960=board.chess960)


def random_positions(count: int, *, plies: tuple[int, int] = (4, 12), seed: int = 0) -> list[ChessPosition]:
    """Different positions, each reached by random moves from the start of a game, in none of which the game is over.

    They serve for measuring speed, for calibration and for comparisons, where no games are at hand.
    """
    rng = random.Random(seed)
    found: dict[str, ChessPosition] = {}
    while len(found) < count:
        position = ChessPosition()
        for _ in range(rng.randint(*plies)):
            if not (moves := position.legal_moves):
                break
            position = position.play(rng.choice(moves))
        if position.outcome() is None:
            found[position.fen] = position
    return list(found.values())
