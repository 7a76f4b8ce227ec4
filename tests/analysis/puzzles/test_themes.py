"""Themes of single puzzles; how the rules agree with a whole table is in test_themes_agreement."""

from dataclasses import replace

import chess
import pytest

from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.themes import themes_of
from foible.errors import MoveError, PositionError

TAGGED = [
    ("3R4/8/K7/pB2b3/1p6/1P2k3/3p4/8 w - - 4 58", "a6a5 e5c7 a5b4 c7d8", "endgame fork short"),
    ("2kr3r/pp3p2/4p2p/1N1p2p1/3Q4/1P1P4/2q2PPP/5RK1 b - - 1 20", "b7b6 d4a1 a7a5 f1c1", "endgame pin short"),
    ("7r/6k1/2b1pp2/8/P1N3p1/5nP1/4RP2/Q4K2 w - - 2 38", "e2e6 h8h1 f1e2 h1a1", "endgame short skewer"),
    (
        "r3kb1r/ppq2ppp/4pn2/2Ppn3/1P4bP/2P2N2/P3BPP1/RNBQ1RK1 b kq - 2 10",
        "f8e7 f3e5 c7e5 e2g4",
        "discoveredAttack middlegame short",
    ),
    (
        "rnb1k2r/ppB2p2/8/3p2p1/3Q2np/2N2NK1/PPP1B1PP/R6R w kq - 0 14",
        "g3h3 g4f2",
        "doubleCheck mate mateIn1 middlegame oneMove",
    ),
    (
        "k1r1b3/p1r1nppp/1p1qpn2/2Np4/1P1P4/PQRBPN2/5PPP/2R3K1 w - - 0 19",
        "d3a6 b6c5 a6c8 c5c4",
        "middlegame sacrifice short",
    ),
    ("6k1/p2r1p1p/2p1b1pB/4b3/2P1p1P1/8/P3BP1P/1R4K1 b - - 0 24", "d7d2 h6d2", "endgame hangingPiece oneMove"),
    (
        "2rq1rk1/7p/1n4pb/1R2p3/pPpP1P2/P1B5/3NQ1PP/2R3K1 w - - 0 31",
        "e2e5 f8e8 e5e8 d8e8",
        "middlegame short trappedPiece",
    ),
    ("8/7R/B2k4/2pnp3/P7/3KP3/1r6/8 w - - 1 43", "a6c4 e5e4 d3e4 d5f6", "attraction endgame short"),
    ("r1q3k1/4bppp/pp2pn2/4B3/8/2N2Q2/PPPR1PPP/6K1 b - - 0 18", "f6d7 d2d7 c8d7 f3a8", "deflection middlegame short"),
    (
        "1r2kr2/pp3p1p/2b1pn2/4N3/2P5/1N1B4/P3KP1P/6R1 b - - 4 21",
        "f6e4 e5c6 b7c6 d3e4",
        "capturingDefender middlegame short",
    ),
    (
        "rn1qk2r/pp3ppp/3bp1b1/3p4/3Pn2N/3BB3/PPP2PPP/RN1Q1RK1 w kq - 4 10",
        "h4g6 d6h2 g1h1 h7g6",
        "intermezzo opening short",
    ),
    (
        "6k1/2p2ppp/pnp5/B7/2P3PP/1P1bPPR1/r6r/3R2K1 b - - 1 29",
        "d3e2 d1d8",
        "backRankMate mate mateIn1 middlegame oneMove",
    ),
    (
        "r4rk1/pp3ppp/3b4/2p1pPB1/7N/2PP3n/PP4PP/R2Q1RqK w - - 5 18",
        "f1g1 h3f2",
        "mate mateIn1 middlegame oneMove smotheredMate",
    ),
    (
        "1r4k1/4Ppbp/p5p1/2q5/p2n4/P2Q2B1/r2N1PPP/3KR2R b - - 0 27",
        "g7h6 e7e8q b8e8 e1e8",
        "advancedPawn middlegame promotion short",
    ),
    (
        "8/p3P2R/1p1k4/2p2K1p/2P4r/1P6/P6p/8 b - - 0 52",
        "h2h1q e7e8n d6c6 h7c7",
        "advancedPawn endgame mate mateIn2 promotion short underPromotion",
    ),
    ("3b4/p5p1/1p6/3k2Np/3p1P2/1P1K2P1/1PP5/8 w - - 3 39", "c2c4 d4c3 b2c3 d8g5", "enPassant endgame short"),
    ("6Q1/7K/2k5/3r4/8/8/8/8 w - - 5 82", "h7h8 d5h5 g8h7 h5h7", "endgame queenRookEndgame short"),
    ("8/3B2pp/p5k1/2p3P1/1p1p1K2/8/1P6/8 b - - 0 38", "c5c4 d7e8", "bishopEndgame endgame mate mateIn1 oneMove"),
    ("1k6/8/8/6p1/1pp5/p4PP1/N1P4P/7K w - - 0 38", "h2h4 b4b3 c2b3 c4b3", "endgame knightEndgame short"),
    ("8/2p1k3/6p1/1p1P1p2/1P3P2/3K2Pp/7P/8 b - - 1 43", "e7d6 d3d4 g6g5 f4g5", "endgame pawnEndgame short"),
    ("8/4R3/1p2P3/p4r2/P6p/1P3Pk1/4K3/8 w - - 1 64", "e7f7 f5e5 e2f1 e5e6", "endgame rookEndgame short"),
    ("8/6pk/7p/2p5/2qp4/5PP1/P3QK1P/8 b - - 1 40", "c4d5 e2e4 d5e4 f3e4", "endgame queenEndgame short"),
    ("r1bqk2r/pp1ppp1p/2n3p1/8/2P1n3/PP2P3/R2N1PPP/3QKBNR b Kkq - 0 10", "e4c3 d1a1", "oneMove opening"),
]
"""From the public lichess puzzle database (CC0): FEN, moves, and its themes as far as rules tell them."""


def puzzle(fen: str, moves: str) -> Puzzle:
    setup, *solution = moves.split()
    return Puzzle(fen, setup, tuple(solution))


@pytest.mark.parametrize(("fen", "moves", "themes"), TAGGED)
def test_tagged_puzzles_get_their_themes_and_no_others(fen: str, moves: str, themes: str) -> None:
    assert " ".join(themes_of(puzzle(fen, moves))) == themes


@pytest.mark.parametrize(("fen", "moves"), [case[:2] for case in TAGGED])
def test_swapping_colours_keeps_the_themes(fen: str, moves: str) -> None:
    board = chess.Board(fen)
    mirrored = [
        chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion).uci()
        for move in map(chess.Move.from_uci, moves.split())
    ]
    assert themes_of(puzzle(board.mirror().fen(), " ".join(mirrored))) == themes_of(puzzle(fen, moves))


def test_without_a_setup_the_same_line_has_the_same_themes() -> None:
    whole = puzzle("8/7R/B2k4/2pnp3/P7/3KP3/1r6/8 w - - 1 43", "a6c4 e5e4 d3e4 d5f6")
    alone = Puzzle(whole.position.fen, None, whole.solution)
    assert themes_of(alone) == themes_of(whole)


def test_a_piece_that_has_just_taken_as_much_does_not_hang() -> None:
    exchange = Puzzle("3r2k1/3r4/8/8/3R4/8/8/6K1 w - - 0 1", "d4d7", ("d8d7",))
    assert "hangingPiece" not in themes_of(exchange)
    assert "hangingPiece" in themes_of(replace(exchange, fen=exchange.position.fen, setup=None))


@pytest.mark.parametrize(("after", "goal"), [(0.95, "crushing"), (0.75, "advantage"), (0.5, "equality")])
def test_the_goal_follows_from_the_win_probability(after: float, goal: str) -> None:
    found = themes_of(replace(puzzle("4r1k1/8/8/8/8/8/8/4Q1K1 b - - 0 1", "g8f8 e1e8"), after=after))
    assert [theme for theme in found if theme in {"crushing", "advantage", "equality"}] == [goal]


def test_a_mate_has_no_other_goal() -> None:
    mate = replace(puzzle("6k1/2p2ppp/pnp5/B7/2P3PP/1P1bPPR1/r6r/3R2K1 b - - 1 29", "d3e2 d1d8"), after=1.0)
    assert "crushing" not in themes_of(mate)


@pytest.mark.parametrize(("number", "name"), [(4, "mateIn4"), (7, "mateIn5")])
def test_mates_beyond_five_moves_are_named_like_those_in_five(number: int, name: str) -> None:
    shuffle = ["e1e2", "h8g8", "e2e1", "g8h8"] * 3
    fen = "7k/8/6K1/8/8/8/8/4R3 w - - 0 1"
    last = "e1e8" if number % 2 else "e2e8"
    found = themes_of(Puzzle(fen, None, (*shuffle[: 2 * (number - 1)], last)))
    assert {"mate", name} <= set(found)


def test_castling_is_told() -> None:
    assert "castling" in themes_of(Puzzle("4k3/8/8/8/8/8/8/4K2R w K - 0 1", None, ("e1g1",)))


def test_an_illegal_move_is_refused_by_name() -> None:
    with pytest.raises(MoveError, match="e1e8"):
        themes_of(Puzzle("4k3/8/8/8/8/8/8/4K2R w K - 0 1", None, ("e1e8",)))


def test_a_broken_position_is_refused() -> None:
    with pytest.raises(PositionError):
        themes_of(Puzzle("nonsense", None, ("e1e8",)))
