"""Odds positions: what is missing, who may castle, who moves; random moves from there."""

from collections import Counter

import chess
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible._core import ChessPosition
from foible.errors import ConfigError, PositionError
from foible.games.odds import ODDS, Odds, find_odds, giver_of, mirrored, odds_fen, random_moves

MISSING = {
    "pawn-and-move": {"f2": "P"},
    "knight": {"b1": "N"},
    "rook": {"a1": "R"},
    "two-knights": {"b1": "N", "g1": "N"},
    "two-bishops": {"c1": "B", "f1": "B"},
    "knight-and-bishop": {"b1": "N", "c1": "B"},
    "rook-and-knight": {"a1": "R", "b1": "N"},
    "queen": {"d1": "Q"},
}

BOTH = pytest.mark.parametrize("giver", chess.COLORS, ids=["black gives", "white gives"])
EVERY = pytest.mark.parametrize("odds", ODDS.values(), ids=list(ODDS))
any_odds = st.sampled_from(list(ODDS.values()))
any_giver = st.sampled_from(chess.COLORS)


def board_of(odds: Odds, giver: chess.Color) -> chess.Board:
    return chess.Board(odds_fen(odds, giver))


def after(odds: Odds, giver: chess.Color, moves: list[str]) -> ChessPosition:
    return ChessPosition(odds_fen(odds, giver), moves)


@EVERY
@BOTH
def test_nothing_but_the_named_pieces_is_missing(odds: Odds, giver: chess.Color) -> None:
    left, start = board_of(odds, giver).piece_map(), chess.Board().piece_map()
    assert left.items() <= start.items()
    gone = {square: start[square] for square in start.keys() - left.keys()}
    seen_by_white = {square if giver else chess.square_mirror(square): piece for square, piece in gone.items()}
    named = {chess.square_name(square): piece.symbol().upper() for square, piece in seen_by_white.items()}
    assert named == MISSING[odds.name]
    assert {piece.color for piece in gone.values()} == {giver}
    assert odds.pieces == Counter(piece.piece_type for piece in gone.values())


@EVERY
@BOTH
def test_positions_are_valid_and_castling_needs_its_rook(odds: Odds, giver: chess.Color) -> None:
    board = board_of(odds, giver)
    assert board.is_valid()
    assert board.has_kingside_castling_rights(giver)
    assert board.has_queenside_castling_rights(giver) == ("a1" not in odds.squares)
    assert board.has_kingside_castling_rights(not giver)
    assert board.has_queenside_castling_rights(not giver)
    assert sorted(ChessPosition(board.fen()).legal_moves) == sorted(move.uci() for move in board.legal_moves)


@EVERY
def test_the_receiver_of_pawn_and_move_moves_first_else_white_does(odds: Odds) -> None:
    turns = {giver: board_of(odds, giver).turn for giver in chess.COLORS}
    if odds.name == "pawn-and-move":
        assert turns == {chess.WHITE: chess.BLACK, chess.BLACK: chess.WHITE}
    else:
        assert set(turns.values()) == {chess.WHITE}


@EVERY
def test_with_the_other_giver_the_board_is_the_mirror_image(odds: Odds) -> None:
    white, black = board_of(odds, chess.WHITE).mirror(), board_of(odds, chess.BLACK)
    black.turn = white.turn
    assert white == black


@settings(deadline=None, max_examples=60)
@given(any_odds, any_giver, st.integers(0, 10**6), st.integers(0, 10**4), st.integers(0, 6))
def test_random_moves_are_legal_go_on_and_come_again_with_the_seed(
    odds: Odds, giver: chess.Color, seed: int, index: int, plies: int
) -> None:
    start = ChessPosition(odds_fen(odds, giver))
    moves = random_moves(start, plies, seed, index)
    assert moves == random_moves(start, plies, seed, index)
    board = board_of(odds, giver)
    for move in moves:
        board.push_uci(move)
        assert not board.is_game_over()
    assert len(moves) == plies
    assert moves[: plies // 2] == random_moves(start, plies // 2, seed, index)


@settings(deadline=None, max_examples=60)
@given(any_odds, any_giver, st.integers(0, 10**6), st.integers(0, 3))
def test_the_giver_is_known_from_the_board_and_changes_with_the_colours(
    odds: Odds, giver: chess.Color, seed: int, plies: int
) -> None:
    start = ChessPosition(odds_fen(odds, giver))
    position = after(odds, giver, random_moves(start, plies, seed, 0))
    if len(chess.Board(position.fen).piece_map()) == len(chess.Board(start.fen).piece_map()):
        assert giver_of(position, odds) == giver
        swapped = ChessPosition(mirrored(position))
        assert giver_of(swapped, odds) == (not giver)
        assert swapped.turn != position.turn
        assert ChessPosition(mirrored(swapped)).fen == position.fen


@settings(deadline=None, max_examples=20)
@given(any_odds, any_giver, st.integers(0, 10**6))
def test_lines_differ_as_long_as_they_can(odds: Odds, giver: chess.Color, seed: int) -> None:
    start = ChessPosition(odds_fen(odds, giver))
    firsts = len(start.legal_moves)
    fewest = min(len(start.play(move).legal_moves) for move in start.legal_moves)
    lines = [tuple(random_moves(start, 2, seed, index)) for index in range(3 * firsts)]
    assert len(set(lines)) == 3 * firsts <= firsts * fewest
    assert set(Counter(line[0] for line in lines).values()) == {3}


def test_every_line_is_equally_likely() -> None:
    """Over many seeds the first card shows each of the 400 lines of two plies: χ² with 399 degrees of freedom."""
    start = ChessPosition(odds_fen(find_odds("queen"), chess.BLACK))
    count = Counter(tuple(random_moves(start, 2, seed, 0)) for seed in range(4000))
    replies = len(ChessPosition(start.fen, ["e2e4"]).legal_moves)
    lines = len(start.legal_moves) * replies
    expected = 4000 / lines
    chi2 = sum((n - expected) ** 2 / expected for n in count.values()) + (lines - len(count)) * expected
    assert abs(chi2 - (lines - 1)) < 4 * np.sqrt(2 * (lines - 1))


def test_no_random_move_ends_the_game() -> None:
    mate_at_hand = ChessPosition("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
    lines = [random_moves(mate_at_hand, 1, 0, index)[0] for index in range(len(mate_at_hand.legal_moves))]
    assert "a1a8" in mate_at_hand.legal_moves
    assert set(lines) == set(mate_at_hand.legal_moves) - {"a1a8"}
    only_the_queen_can_be_taken = ChessPosition("7k/8/8/8/8/8/1q6/K7 w - - 0 1")
    assert random_moves(only_the_queen_can_be_taken, 3, 0, 0) == []


def test_unknown_odds_are_refused_with_what_is_near() -> None:
    with pytest.raises(ConfigError, match="unknown odds 'knigt': near are knight"):
        find_odds("knigt")
    with pytest.raises(ConfigError, match=r"expected one of pawn-and-move, .*queen"):
        find_odds("xyz")


def test_a_position_without_the_odds_is_refused() -> None:
    with pytest.raises(PositionError, match="neither side is 1 rook and 1 knight short of the other"):
        giver_of(ChessPosition(), find_odds("rook-and-knight"))
    traded = ChessPosition("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1")
    with pytest.raises(PositionError, match="neither side"):
        giver_of(traded, find_odds("queen"))
