"""Exact scores of games that are over, and judging where they are not."""

from collections.abc import Sequence

import pytest

from foible._core import ChessPosition
from foible.errors import EvaluationError
from foible.judges.base import Score, exact_score, scores
from foible.judges.net import NetJudge, SearchJudge
from foible.judges.spec import NetJudgeSpec, SearchJudgeSpec, parse_judge
from foible.loop import wait
from foible.nets import Material
from foible.search.trees import Trees

MATED = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
FIFTY_MOVES = "6k1/8/8/8/8/8/5R2/6K1 w - - 100 80"


def test_a_mate_is_lost_for_the_side_to_move_and_a_stalemate_drawn() -> None:
    assert exact_score(ChessPosition(MATED)) == Score(0.0, mate=0)
    assert exact_score(ChessPosition(STALEMATE)) == Score(0.5)
    assert exact_score(ChessPosition()) is None


def test_a_draw_that_may_be_claimed_counts_where_claims_do() -> None:
    position = ChessPosition(FIFTY_MOVES)
    assert exact_score(position) is None
    assert exact_score(position, claim_draws=True) == Score(0.5)


def test_a_repetition_counts_when_it_stands_on_the_board_and_not_when_it_can_be_announced() -> None:
    twice = ["g1f3", "g8f6", "f3g1", "f6g8"] * 2
    assert exact_score(ChessPosition(moves=twice), claim_draws=True) == Score(0.5)
    assert exact_score(ChessPosition(moves=twice[:-1]), claim_draws=True) is None


def test_turning_a_score_twice_gives_it_back() -> None:
    for score in (Score(0.25, cp=-120), Score(1.0, mate=3), Score(0.0, mate=0)):
        assert score.turned().turned() == score
    assert Score(0.25, cp=-120).turned() == Score(0.75, cp=120)
    assert Score(0.0, mate=-2).turned() == Score(1.0, mate=2)


@pytest.mark.parametrize("judge", [NetJudge(Material()), SearchJudge(Trees([Material()]), 20)])
def test_judges_are_asked_only_where_the_game_goes_on(judge: NetJudge | SearchJudge) -> None:
    positions = [ChessPosition(MATED), ChessPosition(), ChessPosition(STALEMATE), ChessPosition(moves=["e4"])]
    found = wait(scores(judge, positions))
    assert (found[0], found[2]) == (Score(0.0, mate=0), Score(0.5))
    assert [found[1], found[3]] == wait(judge.judge([positions[1], positions[3]]))
    assert wait(scores(judge, [])) == []


def test_a_search_sees_the_mate_that_the_net_does_not() -> None:
    position = ChessPosition("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
    (value,), (searched,) = (
        wait(judge.judge([position])) for judge in (NetJudge(Material()), SearchJudge(Trees([Material()]), 300))
    )
    assert searched.wp > value.wp


def test_a_name_with_nodes_searches() -> None:
    assert parse_judge("maia-1900") == NetJudgeSpec(net="maia-1900")
    assert parse_judge("maia-1900@50") == SearchJudgeSpec(net="maia-1900", nodes=50)


class Odd:
    """A judge by a rule."""

    name = "odd"

    def __init__(self, answer: list[Score]) -> None:
        self.answer = answer

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        return self.answer

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([Score(0.5)], "odd gave 1 scores for 2 positions"),
        ([Score(0.5)] * 3, "odd gave 3 scores for 2 positions"),
        ([Score(0.5), Score(7.0)], "odd: a win probability of 7.0 for .*; expected 0 to 1"),
        ([Score(0.5), Score(float("nan"))], "odd: a win probability of nan"),
    ],
)
def test_scores_that_are_none_name_their_judge(answer: list[Score], message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        wait(scores(Odd(answer), [ChessPosition(), ChessPosition(moves=["e4"]), ChessPosition(MATED)]))


def test_a_net_s_best_move_is_the_one_that_its_policy_likes() -> None:
    """The built-in policy prefers captures, of the queen most of all."""
    positions = [
        ChessPosition("4k3/8/8/3q1p2/4P3/8/8/4K3 w - - 0 1"),
        ChessPosition("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"),
    ]
    assert [score.best for score in wait(NetJudge(Material()).judge(positions))] == ["e4d5", "e4d5"]
