import chess
import pytest

from tests.analysis.games.pgn_games import facts, game, pgn_of, random_board

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
