import chess
import pytest

from foible.analysis.puzzles.themes.solution_boards import gain, material, safe


@pytest.mark.parametrize(
    ("fen", "square", "expected"),
    [
        ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d5", 1),
        ("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d5", 0),
        ("4k3/8/4p3/3p4/4P3/8/8/3RK3 w - - 0 1", "d5", 1),
        ("4k3/8/4p3/3n4/8/8/3R4/3RK3 w - - 0 1", "d5", 0),
        ("3rk3/8/8/3r4/8/8/3R4/3RK3 w - - 0 1", "d5", 5),
        ("4k3/4n3/8/3p4/8/8/4R3/3RK3 w - - 0 1", "d5", 1),
        ("4k3/8/8/8/8/8/8/3RK3 w - - 0 1", "d5", 0),
    ],
    ids=[
        "an unguarded pawn",
        "a guarded pawn is not for a rook",
        "pawns first",
        "a knight for a rook is too dear",
        "rooks behind rooks",
        "a pinned guard guards nothing",
        "nothing there",
    ],
)
def test_exchanges_win_what_the_rules_of_chess_let_them(fen: str, square: str, expected: int) -> None:
    assert gain(chess.Board(fen), chess.parse_square(square), chess.WHITE) == expected


def test_who_is_to_move_does_not_matter() -> None:
    board = chess.Board("4k3/8/8/3p4/8/8/8/3RK3 b - - 0 1")
    assert gain(board, chess.D5, chess.WHITE) == 1
    assert board.turn == chess.BLACK


def test_only_the_given_man_may_begin() -> None:
    board = chess.Board("4k3/8/4p3/3p4/4P3/8/8/3RK3 w - - 0 1")
    assert gain(board, chess.D5, chess.WHITE, by=chess.E4) == 1
    assert gain(board, chess.D5, chess.WHITE, by=chess.D1) == 0


def test_a_man_is_safe_when_taking_it_costs_as_much() -> None:
    board = chess.Board("3rk3/8/8/8/8/2P5/3R4/3RK3 b - - 0 1")
    assert safe(board, chess.D2)
    board.remove_piece_at(chess.D1)
    board.set_piece_at(chess.E1, None)
    board.set_piece_at(chess.H1, chess.Piece.from_symbol("K"))
    assert not safe(board, chess.D2)


def test_material_counts_both_sides() -> None:
    board = chess.Board("3rk3/8/8/8/8/2P5/8/1N1QK3 w - - 0 1")
    assert material(board, chess.WHITE) == 9 + 3 + 1 - 5
    assert material(board, chess.BLACK) == -material(board, chess.WHITE)
