"""Agents that search, in Go with an eye on the board when they pass."""

import math

import numpy as np
import pytest

from foible._core import Bonus, ChessPosition, Coin, Follow, GoPosition, Puct, Seat
from foible.agents.base import Clock, Limits, Turn
from foible.agents.search import GoSearch, NetSearch, by_the_score, other_than_pass
from foible.errors import ConfigError
from foible.games import Position
from foible.loop import wait
from foible.nets import Material
from foible.search.go import go_params, remark_on, winrate
from foible.search.params import MoveChoice
from foible.search.trees import Trees
from tests.playing import choose

AGENTS_OWN = Limits()


def turn(position: Position, game: int = 0, limits: Limits = AGENTS_OWN, seed: int = 0) -> Turn:
    return Turn(position, game, len(position.moves), seed=seed, limits=limits)


def test_it_finds_mate_in_one_and_is_sure_of_it() -> None:
    position = ChessPosition("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    [decision] = choose(NetSearch([Material()], nodes=200), [turn(position)])
    assert decision.move == "d1d8"
    assert decision.value == 1.0


def test_more_visits_than_can_be_counted_are_as_many_as_the_clock_allows() -> None:
    limits = Limits(nodes=2**40, seconds=0.05)
    [decision] = choose(NetSearch([Material()], nodes=10), [turn(ChessPosition(), limits=limits)])
    assert decision.info["nodes"] > 1


def test_what_was_searched_below_the_played_moves_counts() -> None:
    agent = NetSearch([Material()], nodes=300)
    position = ChessPosition()
    [first] = choose(agent, [turn(position)])
    position = position.play(first.move)
    [reply] = choose(NetSearch([Material()], nodes=300), [turn(position)])
    position = position.play(reply.move)
    [kept] = choose(agent, [turn(position, limits=Limits(nodes=1))])
    assert kept.info["nodes"] > 1
    agent.forget(0)
    [fresh] = choose(agent, [turn(position, limits=Limits(nodes=1))])
    assert fresh.info["nodes"] == 1


@pytest.mark.parametrize("moves", [["B2"], ["B2", "pass", "A1"]])
def test_a_later_position_is_of_the_same_game_by_its_start_and_moves(moves: list[str]) -> None:
    earlier = GoPosition(3, ["B2"], komi=2.5)
    assert GoPosition(3, moves, komi=2.5).moves_since(earlier) == moves[1:]
    others = [
        GoPosition(3, moves, komi=3.5),
        GoPosition(3, moves, komi=2.5, rules="tromp-taylor"),
        GoPosition(3, moves, komi=2.5, to_move="white"),
        GoPosition(3, moves, komi=2.5, white=["C3"], to_move="black"),
        GoPosition(4, moves, komi=2.5),
        GoPosition(3, ["C3", *moves[1:]], komi=2.5),
        GoPosition(3, komi=2.5),
    ]
    assert [other.moves_since(earlier) for other in others] == [None] * len(others)
    later = ChessPosition(moves=["e2e4"])
    assert later.moves_since(ChessPosition()) == ["e2e4"]
    assert later.moves_since(later) == []
    assert later.moves_since(ChessPosition("6k1/8/8/8/8/8/8/3R2K1 w - - 0 1")) is None
    assert later.moves_since(ChessPosition(chess960=True)) is None
    assert later.moves_since(GoPosition(3)) is None


def test_a_game_does_not_depend_on_the_games_beside_it() -> None:
    positions = [ChessPosition(moves=[move]) for move in ChessPosition().legal_moves]
    together = choose(NetSearch([Material()], nodes=120), [turn(p, game) for game, p in enumerate(positions)])
    alone = [choose(NetSearch([Material()], nodes=120), [turn(p, game)])[0] for game, p in enumerate(positions)]
    assert [(d.move, d.value) for d in together] == [(d.move, d.value) for d in alone]


def test_a_forced_move_is_played_without_searching() -> None:
    position = ChessPosition("7k/8/8/8/8/8/6q1/7K w - - 0 1")
    assert position.legal_moves == ["h1g2"]
    [decision] = choose(NetSearch([Material()], nodes=100), [turn(position)])
    assert (decision.move, decision.info["nodes"]) == ("h1g2", 0)


def test_time_ends_a_search() -> None:
    [decision] = choose(NetSearch([Material()], nodes=1), [turn(ChessPosition(), limits=Limits(seconds=0.05))])
    assert decision.info["nodes"] > 1


def test_temperature_makes_moves_differ_and_the_seed_repeats_them() -> None:
    agent = NetSearch([Material()], nodes=60, choice=MoveChoice(temperature=1.0))
    turns = [turn(ChessPosition(), game, seed=game) for game in range(40)]
    moves = [d.move for d in choose(agent, turns)]
    assert len(set(moves)) > 3
    again = NetSearch([Material()], nodes=60, choice=MoveChoice(temperature=1.0))
    turns = [turn(ChessPosition(), game, seed=game) for game in range(40)]
    assert moves == [d.move for d in choose(again, turns)]


@pytest.mark.parametrize("theirs", [Seat(Follow(1)), Seat(Coin(0.5, Puct(), Follow(1)))])
def test_seats_with_rules_of_their_own_play(theirs: Seat) -> None:
    agent = NetSearch([Material(), Material()], nodes=100, ours=Seat(), theirs=theirs)
    position = ChessPosition()
    for _ in range(3):
        [decision] = choose(agent, [turn(position)])
        position = position.play(decision.move)
        position = position.play(position.legal_moves[-1])
    assert decision.info["nodes"] >= 100


def test_go_is_searched_like_chess() -> None:
    [decision] = choose(NetSearch([Material()], nodes=200), [turn(GoPosition(5, komi=0.5))])
    assert decision.move in GoPosition(5).legal_moves


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
    (decision,) = choose(agent, [Turn(position, 0, 2, seed=1)])
    assert (decision.move == "pass") == ends


@pytest.mark.parametrize("bonus", [None, Bonus(0.5)])
@pytest.mark.parametrize("moves", [["C3"], ["C3", "B2"]])
def test_it_tells_what_the_search_found_at_the_games_komi(moves: list[str], bonus: Bonus | None) -> None:
    position, seat = GoPosition(5, moves, komi=4.5), Seat(bonus=bonus)
    params = go_params(size=5)
    agent = GoSearch([Material()], nodes=50, params=params, ours=seat, theirs=seat)
    (decision,) = choose(agent, [Turn(position, 0, len(moves), seed=1)])
    found = wait(Trees([Material()], params, seat, seat).search(position, 50))
    assert decision.info["winrate"] == winrate(found)
    assert decision.info.get("margin") == (found.score and found.score.margin)
    black = winrate(found) if len(moves) == 2 else 1 - winrate(found)
    assert decision.info["remark"] == remark_on(position, found)
    assert f"search={black:.4f}" in decision.info["remark"]
    assert decision.info["remark"].endswith("visits=50")
    assert ("bonus=" in decision.info["remark"]) == (bonus is not None)


def test_a_clock_that_is_not_obeyed_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"cannot obey a limit of clock: it thinks by nodes or seconds$"):
        choose(NetSearch([Material()], nodes=5), [turn(ChessPosition(), limits=Limits(clock=Clock(1, 1)))])


def test_numbers_that_mean_nothing_are_refused() -> None:
    with pytest.raises(ConfigError, match="nodes = 0: expected a whole number from 1 on"):
        NetSearch([Material()], nodes=0)
    with pytest.raises(ConfigError, match="nodes = -1: expected a whole number from 1 on"):
        Limits(nodes=-1)
    with pytest.raises(ConfigError, match=r"nodes = 1\.5: expected a whole number from 1 on"):
        NetSearch([Material()], nodes=1.5)  # type: ignore[arg-type]  # what a script may do
    assert NetSearch([Material()], nodes=np.int64(5)).name.endswith("at 5 nodes")  # type: ignore[arg-type]
    for seconds in (-1.0, math.nan):
        with pytest.raises(ConfigError, match=f"seconds = {seconds}: expected at least 0"):
            Limits(seconds=seconds)
    with pytest.raises(ConfigError, match="expected a list of evaluators"):
        NetSearch(Material(), nodes=5)  # type: ignore[arg-type]  # what a script may do
