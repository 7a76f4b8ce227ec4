"""How an answer is read: the last word of every variation, and nothing that makes no sense."""

import asyncio
import json

import chess
import chess.engine
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.engines.search import SearchAnswer, SearchCommand, Variation, expected_score, read_answer, win_probability
from foible.errors import EngineError
from tests.shared_data import shared

LEGAL = ChessPosition().legal_moves


def answer(*lines: str, best: str = "bestmove e2e4 ponder e7e5") -> SearchAnswer:
    return SearchAnswer(best, {str(number): line for number, line in enumerate(lines, 1)})


def test_a_line_is_read_for_its_score_its_wdl_and_its_first_move() -> None:
    text = "info depth 10 seldepth 13 multipv 1 score cp 34 wdl 81 919 0 nodes 5113 nps 9 time 5 pv d2d4 d7d5"
    assert read_answer(answer(text), LEGAL) == [Variation("d2d4", 0.5405, 34, None, wdl=True)]


def test_of_a_line_without_moves_the_best_move_is_the_first() -> None:
    assert read_answer(answer("info score mate 3"), LEGAL) == [Variation("e2e4", 1.0, None, 3)]
    with pytest.raises(EngineError, match="illegal move: 'info score cp 5'"):
        read_answer(answer("info score cp 9", "info score cp 5"), LEGAL)


def test_a_move_listed_twice_has_its_newer_score() -> None:
    """Variation 1 is of a deeper search than variation 3, in which the move came third."""
    lines = ("info score cp 7 pv e2e4", "info score cp 5 pv d2d4", "info score cp 3 pv e2e4")
    assert [(line.move, line.cp) for line in read_answer(answer(*lines), LEGAL)] == [("e2e4", 7), ("d2d4", 5)]


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        (("cp 30", "cp 20 upperbound"), (20, None)),
        (("cp 30", "cp 40 upperbound"), (30, None)),
        (("cp 30", "cp 40 lowerbound"), (40, None)),
        (("cp 30", "cp 20 lowerbound"), (30, None)),
        (("cp 30", "cp 40 lowerbound", "cp 60 lowerbound", "cp 70 upperbound"), (60, None)),
        (("cp 30", "cp 20 upperbound", "cp 25"), (25, None)),
        (("cp 20 upperbound", "cp -50 upperbound"), (-50, None)),
        (("cp 30", "mate 5 lowerbound"), (None, 5)),
        (("mate -3", "cp -700 lowerbound"), (-700, None)),
        (("mate 5", "mate 4 lowerbound"), (None, 4)),
        (("cp 30", "cp lowerbound"), (30, None)),
    ],
)
def test_a_bound_counts_where_it_refutes_the_score_before_it(
    scores: tuple[str, ...], kept: tuple[int | None, int | None]
) -> None:
    async def read() -> list[Variation]:
        command = SearchCommand(chess.engine.UciProtocol(), ChessPosition(), "go depth 1", 1)
        command.state = chess.engine.CommandState.ACTIVE
        command._answer = SearchAnswer()
        for depth, score in enumerate(scores, 1):
            command.line_received(f"info depth {depth} multipv 1 score {score} pv e2e4")
        command.line_received("bestmove e2e4")
        return read_answer(command.result.result(), LEGAL)

    (line,) = asyncio.run(read())
    assert (line.cp, line.mate) == kept


def test_an_answer_that_nobody_waits_for_any_more_ends_the_search() -> None:
    async def cancelled() -> SearchCommand:
        command = SearchCommand(chess.engine.UciProtocol(), ChessPosition(), "go depth 1", 1)
        command.state = chess.engine.CommandState.ACTIVE
        command._answer = SearchAnswer()
        command.result.cancel()
        command.line_received("bestmove e2e4")
        return command

    assert asyncio.run(cancelled()).finished.done()


def test_variations_come_by_their_number() -> None:
    found = SearchAnswer("bestmove a2a3", {str(n): f"info score cp {-n} pv {LEGAL[n]}" for n in (10, 2, 1)})
    assert [line.cp for line in read_answer(found, LEGAL)] == [-1, -2, -10]


def test_a_number_that_is_none_is_nonsense() -> None:
    with pytest.raises(EngineError, match="cannot be read"):
        read_answer(SearchAnswer("bestmove a2a3", {"first": "info multipv first score cp 1 pv a2a3"}), LEGAL)


@pytest.mark.parametrize("best", ["", "bestmove", "bestmove a1a8", "bestmove " + "x" * 10_000])
def test_no_move_or_an_illegal_one_is_no_answer(best: str) -> None:
    with pytest.raises(EngineError, match="not a legal move") as caught:
        read_answer(answer("info score cp 1 pv e2e4", best=best), LEGAL)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("score", "value"),
    [
        (chess.engine.Cp(0), 0.5),
        (chess.engine.Cp(10**9), 1.0),
        (chess.engine.Mate(-3), 0.0),
        (chess.engine.Mate(3), 1.0),
        (chess.engine.MateGiven, 1.0),
    ],
)
def test_scores_become_expected_scores(score: chess.engine.Score, value: float) -> None:
    for turn in (chess.WHITE, chess.BLACK):
        assert expected_score({"score": chess.engine.PovScore(score, turn)}) == pytest.approx(value, abs=1e-6)


def test_the_engine_s_own_wdl_comes_first() -> None:
    info: chess.engine.InfoDict = {
        "score": chess.engine.PovScore(chess.engine.Cp(500), chess.BLACK),
        "wdl": chess.engine.PovWdl(chess.engine.Wdl(200, 500, 300), chess.BLACK),
    }
    assert expected_score(info) == pytest.approx(0.45)
    assert expected_score({}) is None


@pytest.mark.parametrize("wdl", [(0, 0, 0), (1200, -100, -100)])
def test_a_wdl_that_is_none_is_passed_over(wdl: tuple[int, int, int]) -> None:
    pov = chess.engine.PovWdl(chess.engine.Wdl(*wdl), chess.WHITE)
    assert expected_score({"wdl": pov}) is None
    score = chess.engine.PovScore(chess.engine.Cp(0), chess.WHITE)
    assert expected_score({"wdl": pov, "score": score}) == 0.5


def test_win_probabilities_are_those_of_the_published_evaluations() -> None:
    group = json.loads(shared("golden/skill_stats.json").read_text())["groups"]["blog_win_pct"]
    assert len(group["cases"]) >= 10
    for case in group["cases"]:
        found = 100 * win_probability(case["input"]["cp_white"])
        assert found == pytest.approx(case["expected"]["win_pct"], abs=1e-9), case["id"]


CENTIPAWNS = st.integers(-(10**6), 10**6)


@given(CENTIPAWNS, CENTIPAWNS)
def test_more_centipawns_are_never_a_lower_win_probability(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert 0 <= win_probability(low) <= win_probability(high) <= 1
    if -2000 < low < high < 2000:
        assert win_probability(low) < win_probability(high)


@given(CENTIPAWNS)
def test_the_other_side_s_win_probability_is_the_rest(cp: int) -> None:
    assert win_probability(cp) + win_probability(-cp) == pytest.approx(1, abs=1e-15)
