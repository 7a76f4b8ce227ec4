"""The conformance checks pass what keeps its word and name what does not."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from foible._core import Batch, ChessPosition, GoPosition
from foible.agents.base import Agent, Decision, Player, Turn
from foible.agents.policy import NetPolicy, RandomMover
from foible.agents.search import NetSearch
from foible.agents.teams import HandAndBrain
from foible.errors import ConfigError
from foible.games import Position
from foible.nets import Evaluation, Material, Runtime, open_net
from foible.testing import check_agent, check_evaluator, check_game, random_positions

CHESS = random_positions(ChessPosition(), 40)
GO = random_positions(GoPosition(5), 40)


def test_where_no_move_is_legal_there_are_no_random_positions() -> None:
    with pytest.raises(ConfigError, match="expected a position with legal moves"):
        random_positions(ChessPosition(moves=["f2f3", "e7e5", "g2g4", "d8h4"]), 1)


@pytest.mark.parametrize("start", [ChessPosition(), GoPosition(3), GoPosition(9, komi=7.5)])
def test_our_games_keep_their_word(start: Position) -> None:
    check_game(start)


@pytest.mark.parametrize("positions", [CHESS, GO])
def test_the_built_in_evaluator_keeps_its_word(positions: Sequence[Position]) -> None:
    check_evaluator(Material(), positions)


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_nets_judge_a_position_the_same_in_any_batch(runtime: Runtime) -> None:
    net = open_net("master", runtime=runtime)
    check_evaluator(net, CHESS)


@pytest.mark.parametrize(
    "agent",
    [
        RandomMover,
        lambda: NetPolicy(Material()),
        lambda: NetPolicy(Material(), temperature=1.0),
        lambda: NetSearch([Material()], nodes=30),
        lambda: HandAndBrain(NetSearch([Material()], nodes=10), NetPolicy(Material(), temperature=1.0)),
    ],
)
def test_our_agents_keep_their_word(agent: type[Agent]) -> None:
    check_agent(agent, CHESS)


def test_a_game_whose_outcome_changes_behind_its_back_is_found_out() -> None:
    class Fickle:
        """A position that has ended as soon as somebody has gone on from it."""

        def __init__(self, position: ChessPosition) -> None:
            self._position, self._left = position, False

        def __getattr__(self, name: str) -> Any:
            return getattr(self._position, name)

        def play(self, move: str) -> "Fickle":
            self._left = True
            return Fickle(self._position.play(move))

        def outcome(self) -> str | None:
            return "draw" if self._left else None

    with pytest.raises(AssertionError, match=r"playing .* changed"):
        check_game(cast(Position, Fickle(ChessPosition())))


def test_a_lying_evaluator_is_found_out() -> None:
    class Moody(Material):
        def evaluate(self, batch: Batch) -> Evaluation:
            fair = super().evaluate(batch)
            return replace(fair, logits=fair.logits + np.float32(len(batch)))

    with pytest.raises(AssertionError, match="judged differently"):
        check_evaluator(Moody(), CHESS)


def test_an_agent_that_looks_at_its_neighbours_is_found_out() -> None:
    class Copycat(Player):
        name = "copycat"
        asked = 0

        async def choose(self, turn: Turn) -> Decision:
            self.asked += 1
            await asyncio.sleep(0)  # the others are asked meanwhile
            return Decision(turn.position.legal_moves[-1 if self.asked > 1 else 0])

    with pytest.raises(AssertionError, match="another move alone"):
        check_agent(Copycat, CHESS)


def test_what_is_no_agent_is_found_out() -> None:
    class Nameless(Player):
        async def choose(self, turn: Turn) -> Decision:
            return Decision(turn.position.legal_moves[0])

    class Unnamed(Nameless):
        name = ""

    class Boaster(Player):
        name = "boaster"

        async def choose(self, turn: Turn) -> Decision:
            return Decision(turn.position.legal_moves[0], value=3.0)

    class Terse(Nameless):
        name = "terse"

        async def choose(self, turn: Turn) -> Any:
            return turn.position.legal_moves[0]

    class Unrelated:
        name = "unrelated"

        async def choose(self, turn: Turn) -> Decision:
            return Decision(turn.position.legal_moves[0])

    with pytest.raises(AssertionError, match="Nameless: a player without a `name`"):
        check_agent(cast("Any", Nameless), CHESS)
    with pytest.raises(AssertionError, match="an agent needs a name"):
        check_agent(Unnamed, CHESS)
    with pytest.raises(AssertionError, match=r"expected a player, .* one's own class derives from Player"):
        check_agent(cast("Any", Unrelated), CHESS)
    with pytest.raises(AssertionError, match=r"choose returned '.*'; expected a Decision"):
        check_agent(Terse, CHESS)
    with pytest.raises(AssertionError, match=r"^boaster: its decision has value=3.0; expected the mover's"):
        check_agent(Boaster, CHESS)
    with pytest.raises(AssertionError, match="is an agent; expected its class"):
        check_agent(cast("Any", RandomMover()), CHESS)
