import json

import chess
import chess.engine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.engines.values import expected_score, win_probability
from tests.shared_data import shared


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
