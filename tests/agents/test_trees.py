"""Teams as game trees."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from foible._core import Batch, ChessPosition, GoPosition
from foible.agents.base import Limits, Turn
from foible.agents.policy import NetPolicy
from foible.agents.search import NetSearch
from foible.agents.teams import HandAndBrain, TagTeam, piece_types
from foible.agents.trees import hand_brain_tree, opponent_tree, tag_team_tree
from foible.errors import ConfigError
from foible.games import Position
from foible.nets import Material
from foible.nets.evaluator import Evaluation, Evaluator
from foible.search.params import SearchParams
from tests.playing import choose
from tests.search.synthetic import Synthetic


@dataclass(frozen=True)
class Fond:
    """Judges as the built-in evaluator does, and plays certain moves wherever they are legal."""

    moves: tuple[str, ...]
    name: str = "fond"
    batch_size: int = 64

    def evaluate(self, batch: Batch) -> Evaluation:
        logits = [8.0 * (move in self.moves) for moves in batch.moves() for move in moves]
        return Evaluation(np.array(logits, np.float32), Material().evaluate(batch).wdl, None)


AGENTS_OWN = Limits()


def turn(position: Position, game: int = 0, limits: Limits = AGENTS_OWN) -> Turn:
    return Turn(position, game, len(position.moves), seed=game, limits=limits)


QUEEN_OR_ROOK = ChessPosition("3q2k1/5p1p/6p1/8/8/r7/1P3PPP/3QR1K1 w - - 0 1")
"""The queen can take a queen, the pawn a rook."""


def test_the_brain_names_the_type_that_its_hand_can_be_trusted_with() -> None:
    [alone] = choose(NetSearch([Material()], nodes=400), [turn(QUEEN_OR_ROOK)])
    assert alone.move == "d1d8"
    hand = Fond(("d1h5", "b2a3"))  # It would put the queen en prise, and takes with the pawn.
    [led] = choose(hand_brain_tree(Material(), hand, nodes=400), [turn(QUEEN_OR_ROOK)])
    assert (led.move, led.info["named"]) == ("b2a3", "P")
    good_hand = Fond(("d1d8", "b2a3"))
    [led] = choose(hand_brain_tree(Material(), good_hand, nodes=400), [turn(QUEEN_OR_ROOK)])
    assert (led.move, led.info["named"]) == ("d1d8", "Q")


def test_a_tree_with_a_model_sets_the_trap_that_this_opponent_falls_for() -> None:
    """After 1. f3 e5 2. a3 any quiet move leaves 3. g4 to be played, which the queen mates."""
    position = ChessPosition(moves=["f2f3", "e7e5", "a2a3"])
    fool = opponent_tree(Material(), Fond(("g2g4",)), nodes=800, select="argmax")
    [trap] = choose(fool, [turn(position)])
    [plain] = choose(NetSearch([Material()], nodes=800), [turn(position)])
    assert trap.value is not None
    assert plain.value is not None
    assert trap.value > 0.9
    assert plain.value < 0.7


def test_a_type_is_worth_what_the_hand_makes_of_it() -> None:
    """One legal move for each of two types, one of them mating."""
    position = ChessPosition("7k/R7/6K1/8/8/8/8/8 w - - 0 1")
    mate = choose(NetSearch([Material()], nodes=200), [turn(position)])[0]
    assert (mate.move, mate.value) == ("a7a8", 1.0)
    worth = {}
    for move in ("a7a8", "a7b7"):
        tree = hand_brain_tree(Material(), Fond((move,)), nodes=400)
        [decision] = choose(tree, [turn(position)])
        assert decision.value is not None
        worth[move] = decision.value
        assert decision.policy is not None
        types = piece_types(position.fen, list(decision.policy))
        assert len(set(types.values())) == len(types), "one move stands for each type"
        assert sum(decision.policy.values()) == pytest.approx(1)
    assert worth["a7b7"] < worth["a7a8"]


def test_the_senior_leaves_its_junior_no_stalemate_to_give() -> None:
    """There is a mate in two, but whoever plays the second move can also give stalemate."""
    position = ChessPosition("8/2K5/8/k7/3Q4/8/8/8 w - - 0 1")
    [alone] = choose(NetSearch([Material()], nodes=1500), [turn(position)])
    assert alone.move == "c7c6"
    clumsy, careful = Fond(("d4c5",)), Fond(("d4a4",))
    [warned] = choose(tag_team_tree(Material(), clumsy, nodes=1500), [turn(position)])
    assert warned.move != "c7c6"
    [trusting] = choose(tag_team_tree(Material(), careful, nodes=1500), [turn(position)])
    assert trusting.move == "c7c6"


@pytest.mark.parametrize("select", ["argmax", "sample"])
def test_a_junior_without_faults_of_its_own_changes_little(select: str) -> None:
    strong: Evaluator = Material()
    tree = tag_team_tree(strong, strong, nodes=400, select="argmax" if select == "argmax" else "sample")
    [decision] = choose(tree, [turn(QUEEN_OR_ROOK)])
    assert decision.move == "d1d8"
    assert decision.info["nodes"] == 400


@pytest.mark.parametrize("make", [tag_team_tree, hand_brain_tree])
@pytest.mark.parametrize("plies", [1, 2])
def test_what_was_searched_is_kept_after_any_number_of_plies(make: Callable[..., NetSearch], plies: int) -> None:
    agent = make(Synthetic(1), Synthetic(2), nodes=400)
    position = ChessPosition()
    for _ in range(plies):
        [decision] = choose(NetSearch([Synthetic(1)], nodes=50), [turn(position)])
        choose(agent, [turn(position)])
        position = position.play(decision.move)
    [kept] = choose(agent, [turn(position, limits=Limits(nodes=1))])
    assert kept.info["nodes"] > 1
    agent.forget(0)
    [fresh] = choose(agent, [turn(position, limits=Limits(nodes=1))])
    assert fresh.info["nodes"] == 1


class Alternate:
    def senior_moves(self, game: int, ply: int) -> bool:
        return ply % 4 < 2


def test_trees_are_members_of_teams_like_any_player() -> None:
    junior = Synthetic(3)
    senior = tag_team_tree(Material(), junior, nodes=60, params=SearchParams(batch=8))
    brain = hand_brain_tree(Material(), junior, nodes=60, params=SearchParams(batch=8))
    tag = TagTeam(senior, NetPolicy(junior), Alternate())
    hands = HandAndBrain(brain, NetPolicy(junior, temperature=1.0))
    position = ChessPosition()
    for ply in range(12):
        [decision] = choose(tag if ply % 2 else hands, [turn(position)])
        if ply % 2 == 0:
            types = piece_types(position.fen, position.legal_moves)
            assert decision.info["named"] == types[decision.move]
            assert 0 <= float(decision.info["brain_value"]) <= 1
        position = position.play(decision.move)


def test_a_brain_names_the_type_of_its_only_move() -> None:
    position = ChessPosition("7k/8/8/8/8/8/6q1/7K w - - 0 1")
    [decision] = choose(hand_brain_tree(Material(), Synthetic(), nodes=50), [turn(position)])
    assert (decision.move, decision.info["named"], decision.info["nodes"]) == ("h1g2", "K", 0)


def test_hand_and_brain_is_no_way_to_play_go() -> None:
    with pytest.raises(ConfigError, match="plays chess"):
        choose(hand_brain_tree(Material(), Material(), nodes=5), [turn(GoPosition(5))])
