import random

import chess
import chess.variant
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.errors import MoveError, PositionError
from foible.games.chess import claimable_draw, from_board, to_board

SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]


@given(st.integers(0, 15))
def test_a_position_counts_when_it_stands_for_the_third_time(plies: int) -> None:
    """After two rounds of four plies that is the start position, and from then on every other one."""
    found = claimable_draw(ChessPosition(moves=(SHUFFLE * 4)[:plies]))
    assert found == ("threefold_repetition" if plies >= 8 else None)


@given(st.integers(0, 140))
def test_fifty_moves_are_a_hundred_plies(clock: int) -> None:
    found = claimable_draw(ChessPosition(f"6k1/8/8/8/8/8/5R2/6K1 w - - {clock} 80"))
    assert found == ("fifty_moves" if clock >= 100 else None)


@given(st.integers(0, 959), st.integers(0, 2**32), st.integers(0, 60), st.booleans())
def test_boards_come_back_as_they_were(start: int, seed: int, plies: int, chess960: bool) -> None:
    rng = random.Random(seed)
    board = chess.Board.from_chess960_pos(start) if chess960 else chess.Board()
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        castling = [move for move in moves if board.is_castling(move)]
        board.push(rng.choice(castling or moves))
    position = from_board(board)
    assert sorted(position.legal_moves) == sorted(move.uci() for move in board.legal_moves)
    back = to_board(position)
    assert back == board
    assert back.chess960 == board.chess960
    assert back.move_stack == board.move_stack
    assert back.root() == board.root()
    assert from_board(back) == position


def test_the_history_decides_about_repetitions() -> None:
    board = chess.Board()
    for move in ["g1f3", "g8f6", "f3g1", "f6g8"] * 2:
        board.push_uci(move)
    assert from_board(board).repetitions == 2
    assert to_board(from_board(board)).is_repetition(3)


def test_a_shortened_stack_starts_where_it_begins() -> None:
    board = chess.Board()
    for move in ["e2e4", "e7e5", "g1f3"]:
        board.push_uci(move)
    position = from_board(board.copy(stack=1))
    assert position.moves == ["g1f3"]
    assert position.fen == from_board(board).fen


def test_a_null_move_is_refused() -> None:
    board = chess.Board()
    board.push(chess.Move.null())
    with pytest.raises(MoveError, match="0000"):
        from_board(board)


def test_variants_and_impossible_boards_are_refused() -> None:
    with pytest.raises(PositionError, match="AtomicBoard is a variant"):
        from_board(chess.variant.AtomicBoard())
    with pytest.raises(PositionError):
        from_board(chess.Board(None))
