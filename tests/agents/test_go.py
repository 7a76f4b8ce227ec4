"""Passing with an eye on the board."""

import numpy as np
import pytest

from foible._core import Bonus, GoPosition, Seat
from foible.agents.base import Turn
from foible.agents.go import GoSearch, by_the_score, other_than_pass
from foible.loop import wait
from foible.nets.material import Material
from foible.search.go import go_params, remark_on, winrate
from foible.search.trees import Trees
from tests.playing import choose

WHOLE = ["C3", "pass", "C2", "pass", "C4", "pass", "B3", "pass", "D3", "pass"]
"""Black has the whole board of 5×5, and White has just passed."""


def test_a_pass_that_loses_is_not_played_where_there_is_another_move() -> None:
    position = GoPosition(3, ["B2"], komi=0.5)  # White, to move, is behind
    assert by_the_score(position, ["pass", "A1"], "pass", passed=False) == "A1"
    assert by_the_score(position, ["pass"], "pass", passed=False) == "pass"
    assert by_the_score(position.with_komi(9), ["pass", "A1"], "pass", passed=False) == "pass"


def test_a_pass_is_answered_where_that_wins() -> None:
    position = GoPosition(5, WHOLE, komi=0.5)
    assert by_the_score(position, ["A1", "pass"], "A1", passed=True) == "pass"
    assert by_the_score(position, ["A1", "pass"], "A1", passed=False) == "A1"
    assert by_the_score(position.with_komi(30), ["A1", "pass"], "A1", passed=True) == "A1"
    assert by_the_score(position, ["A1"], "A1", passed=True) == "A1"  # where the pass may not be played


def test_eyes_are_kept() -> None:
    position = GoPosition(3, black=["B1", "A2", "B2"], komi=20)
    assert other_than_pass(position, ["pass", "A1", "C3"]) == "C3"
    assert other_than_pass(position, ["pass", "A1"]) is None


@pytest.mark.parametrize(("lambda_", "ends"), [(0.0, True), (1.0, False)])
def test_who_plays_for_points_does_not_end_a_won_game_for_its_own_sake(lambda_: float, ends: bool) -> None:
    position = GoPosition(5, ["C3", "pass"], komi=0.5)
    seat = Seat(bonus=Bonus(lambda_))
    agent = GoSearch([Material()], nodes=2, params=go_params(size=5), ours=seat, theirs=seat)
    (decision,) = choose(agent, [Turn(position, 0, 2, np.random.default_rng(1))])
    assert (decision.move == "pass") == ends


@pytest.mark.parametrize("bonus", [None, Bonus(0.5)])
@pytest.mark.parametrize("moves", [["C3"], ["C3", "B2"]])
def test_it_tells_what_the_search_found_at_the_games_komi(moves: list[str], bonus: Bonus | None) -> None:
    position, seat = GoPosition(5, moves, komi=4.5), Seat(bonus=bonus)
    params = go_params(size=5)
    agent = GoSearch([Material()], nodes=50, params=params, ours=seat, theirs=seat)
    (decision,) = choose(agent, [Turn(position, 0, len(moves), np.random.default_rng(1))])
    found = wait(Trees([Material()], params, seat, seat).search(position, 50))
    assert decision.info["winrate"] == winrate(found)
    assert decision.info.get("margin") == (found.score and found.score.margin)
    black = winrate(found) if len(moves) == 2 else 1 - winrate(found)
    assert decision.info["remark"] == remark_on(position, found)
    assert f"search={black:.4f}" in decision.info["remark"]
    assert decision.info["remark"].endswith("visits=50")
    assert ("bonus=" in decision.info["remark"]) == (bonus is not None)
