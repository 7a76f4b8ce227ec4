"""What sort of game a start position makes."""

import chess
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.games.odds import ODDS, odds_fen
from foible.interfaces.uci.game import start_of

PIECES = [square for square in chess.SQUARES if chess.square_rank(square) in (0, 1) and square != chess.E1]


@pytest.mark.parametrize("giver", chess.COLORS, ids=["black", "white"])
@pytest.mark.parametrize("name", ODDS)
def test_odds_are_known_by_name_whoever_gives_them(name: str, giver: chess.Color) -> None:
    start = start_of(ChessPosition(odds_fen(ODDS[name], giver)))
    assert (start.kind, start.odds, start.giver) == ("odds", name, chess.COLOR_NAMES[giver])


@given(st.sets(st.sampled_from(PIECES), min_size=1), st.booleans(), st.booleans())
def test_any_pieces_may_be_given_by_either_side(squares: set[chess.Square], white: bool, chess960: bool) -> None:
    board = chess.Board()
    for square in squares:
        board.remove_piece_at(square if white else chess.square_mirror(square))
    board.castling_rights = board.clean_castling_rights()
    start = start_of(ChessPosition(board.fen(), chess960=chess960))
    assert (start.kind, start.giver) == ("odds", "white" if white else "black")
    assert start.odds == next(
        (odds.name for odds in ODDS.values() if set(map(chess.parse_square, odds.squares)) == squares), ""
    )


@pytest.mark.parametrize("number", [0, 517, 518, 959])
def test_a_chess960_start_is_one_only_under_its_rules(number: int) -> None:
    board = chess.Board.from_chess960_pos(number)
    assert start_of(ChessPosition(board.fen(), chess960=True)).kind == "chess960"
    if number == 518:
        assert start_of(ChessPosition(board.fen())).kind == "standard"


@pytest.mark.parametrize(
    "fen",
    [
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",  # the game has begun
        "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1",  # neither has a queen
        "8/8/8/4k3/8/4K3/8/8 w - - 0 1",
    ],
)
def test_other_positions_are_no_odds(fen: str) -> None:
    assert start_of(ChessPosition(fen)).kind == "other"


def test_the_start_is_that_of_the_game_not_of_the_move() -> None:
    fen = odds_fen(ODDS["queen"], chess.WHITE)
    assert start_of(ChessPosition(fen, ["e2e4", "e7e5"])) == start_of(ChessPosition(fen))


@pytest.mark.parametrize(
    ("squares", "missing"),
    [
        ("d1", "the white queen"),
        ("a8 h8", "two black rooks"),
        ("b8", "a black knight"),
        ("a2 b2 c2 d2 e2 f2 g2 h2", "eight white pawns"),
        ("a1 b1", "a white knight and a white rook"),
        ("b8 d8 g8", "two black knights and the black queen"),
        ("a7 c8 d8", "a black pawn, a black bishop and the black queen"),
    ],
)
def test_what_is_missing_is_said(squares: str, missing: str) -> None:
    board = chess.Board()
    for square in squares.split():
        board.remove_piece_at(chess.parse_square(square))
    board.castling_rights = board.clean_castling_rights()
    assert str(start_of(ChessPosition(board.fen()))) == f"the start position lacks {missing}"
