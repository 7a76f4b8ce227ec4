import math

import chess
import chess.engine
import chess.pgn
import pytest

from foible.analysis.games.game_facts import swings, white_score
from foible.games.pgn import read_pgn
from tests.analysis.games.pgn_games import facts, game, pgn_of, random_board
from tests.shared_data import shared

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}


def imbalance(board: chess.Board) -> int:
    return abs(sum(VALUES[piece.piece_type] * (1 if piece.color else -1) for piece in board.piece_map().values()))


@pytest.mark.parametrize("first", range(0, 160, 40))
def test_random_games_of_all_kinds_agree_with_python_chess(first: int) -> None:
    boards = [random_board(seed) for seed in range(first, first + 40)]
    for found, last in zip(facts(pgn_of(boards)), boards, strict=True):
        board = last.root()
        captures = checks = promotions = castlings = 0
        differences = []
        for move in last.move_stack:
            captures += board.is_capture(move)
            castlings += board.is_castling(move)
            promotions += move.promotion is not None
            board.push(move)
            checks += board.is_check()
            differences.append(imbalance(board))
        assert found.complications == (captures, checks, promotions, castlings)
        assert list(found.imbalance) == differences
        assert found.plies == len(last.move_stack)
        if outcome := last.outcome():
            assert found.result == outcome.result()
            assert found.end.replace(" ", "_") in outcome.termination.name.lower().replace("seventyfive", "fifty")


def test_a_start_position_is_known_by_its_board_not_by_its_counters() -> None:
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {} {}"
    plain, first, later, odds = facts(
        game("1. e4")
        + "".join(game("1. e4", SetUp="1", FEN=fen.format(*counters)) for counters in ((0, 1), (3, 9)))
        + game("1. e4", SetUp="1", FEN=fen.format(0, 1).replace("RNBQ", "RNB1"))
    )
    assert plain.start == first.start == later.start != odds.start


def test_no_imbalance_is_too_great() -> None:
    fen = "KQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/6rr/6rk w - - 0 1"
    (found,) = facts(game("1. Qh4h3", "1-0", SetUp="1", FEN=fen))
    assert list(found.imbalance) == [39 * 9 - 3 * 5]


def test_odds_are_an_imbalance_from_the_first_ply_on() -> None:
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1"
    (found,) = facts(game("1. e4 e5", SetUp="1", FEN=fen))
    assert list(found.imbalance) == [9, 9]


def of_pawns(pawns: float) -> float:
    return 1 / (1 + math.exp(-0.4 * pawns))


@pytest.mark.parametrize(
    ("comment", "white", "expected"),
    [
        ("[%eval 0.35]", True, of_pawns(0.35)),
        ("[%eval 0.35] [%clk 0:01:00]", False, of_pawns(0.35)),
        ("so [%clk 0:01:00] [%eval -1.2,20]", True, of_pawns(-1.2)),
        ("[%eval #3]", False, 1.0),
        ("[%eval #-3]", True, 0.0),
        ("[%eval #-0]", True, 1.0),  # Who gave mate has won, whatever the sign of nothing.
        ("[%eval #-0]", False, 0.0),
        ("d=20, sd=30, mt=1000, wv=-0.50, R50=49", False, of_pawns(-0.5)),
        ("wv=-M7", True, 0.0),
        ("+0.35/12 1.2s", True, of_pawns(0.35)),
        ("+0.35/12 1.2s", False, of_pawns(-0.35)),
        ("-M5/20 0.5s", False, 1.0),
        ("+M5/20 0.5s, White mates", True, 1.0),
        ("0.00/1 0s", False, 0.5),
        ("senior 0.5312; nodes=800", True, 0.5312),
        ("hand 0.2500", False, 0.75),
        ("player 1.0000", True, 1.0),
        ("book", True, None),
        ("[%clk 0:01:00]", True, None),
        ("better was 1.5000 or so", True, None),
        ("[%eval none]", True, None),
        ("1/2 offered", True, None),
    ],
)
def test_evaluations_are_read_in_whites_view(comment: str, white: bool, expected: float | None) -> None:
    assert white_score(comment, white) == (None if expected is None else pytest.approx(expected))


def test_swings_are_between_neighbours_that_both_have_an_evaluation() -> None:
    comments = ["[%eval 0.0]", "[%eval 0.0]", None, "[%eval 0.0]", "[%eval #1]"]
    found = swings(comments, white_first=True)
    assert (found.plies, found.total, found.large) == (2, 0.5, 1)


def test_who_moves_first_decides_whose_evaluation_it_is() -> None:
    comments = ["player 0.9000", "player 0.1000"]
    assert swings(comments, white_first=True).total == pytest.approx(0.0)
    assert swings(["player 0.9000", "[%eval 0.0]"], white_first=False).total == pytest.approx(0.4)


def test_published_evaluations_are_those_that_python_chess_reads() -> None:
    ours = iter(read_pgn(shared("data/chess_evaluated_games.pgn.xz"), comments=True))
    for played in (next(ours) for _ in range(100)):
        assert played.comments
        for ply, comment in enumerate(played.comments):
            node = chess.pgn.ChildNode(chess.pgn.Game(), chess.Move.null(), comment=comment or "")
            white = node.eval()
            assert (white is None) == (comment is None)
            if comment is None or white is None or white.white().mate() == 0:
                continue
            pawns = white.white().score()
            expected = float(white.white() > chess.engine.Cp(0)) if pawns is None else of_pawns(pawns / 100)
            assert white_score(comment, ply % 2 == 0) == pytest.approx(expected)
