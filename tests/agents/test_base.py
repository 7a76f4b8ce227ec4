"""What an agent may answer, and what is refused where its decision enters a game."""

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest

import foible
from foible._core import ChessPosition
from foible.agents.base import RESIGN, Decision, Player, Turn, decision_of
from foible.agents.policy import RandomMover
from foible.errors import ConfigError
from foible.loop import wait

OUGHT = "the mover's expected score, 0 to 1, or None"


@dataclass
class Boaster(RandomMover):
    """Answers every turn alike."""

    decision: Decision
    name: str = "boaster"

    async def choose(self, turn: Turn) -> Decision:
        return self.decision


def ask(decision: Decision) -> Decision:
    return wait(decision_of(Boaster(decision), Turn(ChessPosition(), 3, 14, seed=0)))


@pytest.mark.parametrize("value", [3.0, -0.5, math.nan, "0.5", 7])
def test_a_value_that_is_no_expected_score_is_refused(value: Any) -> None:
    for move in ("e2e4", RESIGN):
        with pytest.raises(ConfigError) as refused:
            ask(Decision(move, value=value))
        assert str(refused.value) == f"boaster: its decision has value={value!r}; expected {OUGHT} (game 3, ply 14)"


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"a": 1.0}, "has 'a' in its policy; expected legal moves alone, such as 'a2a3'"),
        ({"e2e4": 0.5}, "has a policy that sums to 0.5; expected 1"),
        ({}, "has a policy that sums to 0; expected 1"),
        ({"e2e4": math.nan}, "has a policy that sums to nan; expected 1"),
        ({"e2e4": 2.0, "d2d4": -1.0}, "has a policy with the probability -1.0; expected none below 0"),
        (["e2e4"], "has policy=['e2e4']; expected a table of moves and their probabilities, or None"),
        ({"e2e4": "1"}, "has policy={'e2e4': '1'}; expected a table of moves and their probabilities, or None"),
    ],
)
def test_a_policy_that_is_no_distribution_over_legal_moves_is_refused(policy: Any, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        ask(Decision("e2e4", policy=policy))
    assert str(refused.value) == f"boaster: its decision {message} (game 3, ply 14)"


def test_a_move_is_text_and_info_a_table() -> None:
    with pytest.raises(ConfigError, match=r"^boaster: its decision has move=None; expected a legal move, such as "):
        ask(Decision(cast("Any", None)))
    with pytest.raises(ConfigError, match=r"^boaster: its decision has info=None; expected a table of plain values"):
        ask(Decision("e2e4", info=cast("Any", None)))


def test_the_chance_of_a_turn_is_that_of_its_seed() -> None:
    turn, expected = Turn(ChessPosition(), 0, 0, seed=(1, 2, 3)), np.random.default_rng([1, 2, 3])
    assert [turn.rng.random() for _ in range(2)] == [expected.random() for _ in range(2)]
    apart = [*turn.spawn(2), *turn.spawn(1)]
    assert [own.rng.random() for own in apart] == [rng.random() for rng in expected.spawn(3)]


def test_rounding_is_no_mistake() -> None:
    policy: Mapping[str, Any] = {"e2e4": np.float32(0.7), "d2d4": 0.2999}
    lost: Any = np.float32(0.0)
    for decision in (Decision("e2e4", 1.00001, policy), Decision(RESIGN, lost), Decision("e2e4", 1)):
        assert ask(decision) is decision


def test_an_impossible_decision_ends_the_match_and_names_the_player_of_a_team() -> None:
    class Late(RandomMover):
        async def choose(self, turn: Turn) -> Decision:
            return replace(await super().choose(turn), value=3.0 if turn.ply == 2 else None)

    class Senior:
        def senior_moves(self, game: int, ply: int) -> bool:
            return True

    for player in (Late("late"), foible.TagTeam(Late("late"), RandomMover(), Senior())):
        with pytest.raises(ConfigError, match=r"^late: its decision has value=3.0; .* \(game \d, ply 2\)$"):
            foible.chess_match(player, RandomMover(), games=2, concurrency=1).play()


def test_help_of_a_player_tells_what_each_of_its_methods_is_for() -> None:
    """Also where the player has no text of its own for them, and keeps or holds something."""
    for player in (foible.NetSearch, foible.TagTeam, foible.NetPolicy):
        assert "Decide one turn" in str(inspect.getdoc(player.choose))
        assert "Drop what was kept for a game" in str(inspect.getdoc(player.forget))


def test_a_player_without_choose_cannot_be_made() -> None:
    class Silent(Player):
        name = "silent"

    with pytest.raises(TypeError, match=r"abstract method .?choose"):
        Silent()  # type: ignore[abstract]
