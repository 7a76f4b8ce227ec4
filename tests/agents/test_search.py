"""Agents that search."""

import numpy as np
import pytest

from foible._core import ChessPosition, Coin, Follow, GoPosition, Puct, Seat
from foible.agents.base import Limits, Turn
from foible.agents.search import NetSearch
from foible.games import Position
from foible.nets import Material
from foible.search.params import MoveChoice
from tests.playing import choose

AGENTS_OWN = Limits()


def turn(position: Position, game: int = 0, limits: Limits = AGENTS_OWN, seed: int = 0) -> Turn:
    return Turn(position, game, len(position.moves), np.random.default_rng(seed), limits)


def test_it_finds_mate_in_one_and_is_sure_of_it() -> None:
    position = ChessPosition("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    [decision] = choose(NetSearch([Material()], nodes=200), [turn(position)])
    assert decision.move == "d1d8"
    assert decision.value == 1.0


def test_more_visits_than_can_be_counted_are_as_many_as_the_clock_allows() -> None:
    limits = Limits(nodes=2**40, seconds=0.05)
    [decision] = choose(NetSearch([Material()], nodes=10), [turn(ChessPosition(), limits=limits)])
    assert decision.info["n"] > 1


def test_what_was_searched_below_the_played_moves_counts() -> None:
    agent = NetSearch([Material()], nodes=300)
    position = ChessPosition()
    [first] = choose(agent, [turn(position)])
    position = position.play(first.move)
    [reply] = choose(NetSearch([Material()], nodes=300), [turn(position)])
    position = position.play(reply.move)
    [kept] = choose(agent, [turn(position, limits=Limits(nodes=1))])
    assert kept.info["n"] > 1
    agent.forget(0)
    [fresh] = choose(agent, [turn(position, limits=Limits(nodes=1))])
    assert fresh.info["n"] == 1


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
    assert (decision.move, decision.info["n"]) == ("h1g2", 0)


def test_time_ends_a_search() -> None:
    [decision] = choose(NetSearch([Material()], nodes=1), [turn(ChessPosition(), limits=Limits(seconds=0.05))])
    assert decision.info["n"] > 1


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
    assert decision.info["n"] >= 100


def test_go_is_searched_like_chess() -> None:
    [decision] = choose(NetSearch([Material()], nodes=200), [turn(GoPosition(5, komi=0.5))])
    assert decision.move in GoPosition(5).legal_moves
