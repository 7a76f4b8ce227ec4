import math

import chess
import chess.engine
import chess.pgn
import pytest

from foible.analysis.games.evaluation_comments import swings, white_score
from foible.games.pgn import read_pgn
from tests.shared_data import shared


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
    for game in (next(ours) for _ in range(100)):
        assert game.comments
        for ply, comment in enumerate(game.comments):
            node = chess.pgn.ChildNode(chess.pgn.Game(), chess.Move.null(), comment=comment or "")
            white = node.eval()
            assert (white is None) == (comment is None)
            if comment is None or white is None or white.white().mate() == 0:
                continue
            pawns = white.white().score()
            expected = float(white.white() > chess.engine.Cp(0)) if pawns is None else of_pawns(pawns / 100)
            assert white_score(comment, ply % 2 == 0) == pytest.approx(expected)
