"""EXP_T and EXP_H on real positions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.agents.base import Limits, Turn
from foible.agents.exp_hand import ExpHand, by_type
from foible.agents.exp_tag_team import VARIANTS, ExpTagTeam, Variant, Visits, full, released
from foible.agents.expectation import Attitude, Judged, Node, grow
from foible.agents.policy import NetPolicy
from foible.agents.teams import HandAndBrain
from foible.errors import ConfigError
from foible.judges.base import Score
from foible.judges.units import released_centipawns
from foible.loop import wait
from foible.nets import Material
from foible.opponents.base import Distribution
from foible.opponents.net import NetModel
from foible.search.trees import Trees
from tests.agents.test_expectation import Constant, Script
from tests.playing import choose

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
MIDDLEGAME = "r1bq1rk1/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQ1RK1 w - - 1 6"
ONE_REPLY = "7k/8/8/8/8/8/6q1/7K w - - 0 1"
KING_ALONE = "7k/7p/8/8/8/8/8/K7 w - - 0 1"
VISITS = Visits(40, 20, 10)


def turn(fen: str | None = None, limits: Limits | None = None) -> Turn:
    return Turn(ChessPosition(fen), 0, 0, seed=0, limits=limits or Limits())


def exp_t(variant: Variant = "full", junior_width: int = 1) -> ExpTagTeam:
    junior = NetModel(Material(), name="junior")
    return ExpTagTeam(Trees([Material()]), junior, variant=variant, junior_width=junior_width, visits=VISITS)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("junior_width", [1, 3])
def test_a_mate_in_one_is_always_chosen(variant: Variant, junior_width: int) -> None:
    (decision,) = choose(exp_t(variant, junior_width), [turn(MATE_IN_ONE)])
    assert (decision.move, decision.value) == ("d1d8", 1.0)


@given(st.floats(0, 1), st.floats(0, 1))
def test_released_equals_full_where_both_judgements_agree(value: float, judged: float) -> None:
    after = ChessPosition(moves=["e4"])
    nodes = [
        Node(after, variant(after, Score(value), Script(), Script(), Constant(judged)), ours=False)
        for variant in (full, released)
    ]
    wait(grow(nodes))
    # The senior's line and the juniors' end with the opponent to move, the junior's alone with us.
    assert Attitude().value(nodes[0]) == pytest.approx(Attitude().value(nodes[1]))
    assert Attitude().value(nodes[0]) == pytest.approx(value / 4 + (1 - judged) / 2 + judged / 4)


def test_a_forced_move_is_played_without_thinking() -> None:
    (decision,) = choose(exp_t(), [turn(ONE_REPLY)])
    assert decision.info == {"nodes": 0}
    assert decision.move == "h1g2"


def test_games_are_decided_alike_alone_and_together() -> None:
    turns = [turn(), turn(MIDDLEGAME), turn(ONE_REPLY)]
    assert choose(exp_t(), turns) == [choose(exp_t(), [one])[0] for one in turns]


def test_what_a_move_costs_is_counted() -> None:
    (decision,) = choose(exp_t(), [turn()])
    candidates, leaves = 5, 3
    assert decision.info["nodes"] == VISITS.root + candidates * (VISITS.reply + leaves * VISITS.leaf)
    (trick,) = choose(exp_t("trick"), [turn()])
    assert trick.info["nodes"] == VISITS.root + candidates * VISITS.leaf


def test_a_limit_of_visits_scales_all_searches_and_a_clock_is_refused() -> None:
    assert Visits().scaled(150) == Visits(150, 150, 30)
    (decision,) = choose(exp_t("trick"), [turn(limits=Limits(nodes=20))])
    assert decision.info["nodes"] == 20 + 5 * 5
    for agent in (exp_t(), exp_h()):
        with pytest.raises(ConfigError, match="limit of seconds"):
            choose(agent, [turn(limits=Limits(seconds=1))])


def test_one_visit_is_enough_for_a_move() -> None:
    (decision,) = choose(exp_t(), [turn(limits=Limits(nodes=1))])
    assert decision.move in ChessPosition().legal_moves


def exp_h(leaf: int = 10) -> ExpHand:
    return ExpHand(Trees([Material()]), NetModel(Material(), name="hand"), leaf=leaf)


def test_types_hold_the_hand_s_three_most_probable_moves_renormalised() -> None:
    position = ChessPosition(MIDDLEGAME)
    hand = {move: (index + 1) / 1000 for index, move in enumerate(position.legal_moves)}
    types = by_type(position, hand, Judged(Constant(0.5)))
    assert set(types) == {"P", "N", "B", "R", "Q", "K"}
    knights = [branch.move for branch in types["N"].branches]
    by_probability = sorted((m for m in position.legal_moves if m[:2] in ("b1", "f3")), key=lambda m: -hand[m])
    assert knights == by_probability[:3]
    # Castled kings and queens behind pawns have few moves: all of them are there.
    assert len(types["K"].branches) == sum(m.startswith("g1") for m in position.legal_moves)


@dataclass
class Sure:
    """Plays one move, and every other one hardly ever."""

    move: str
    name: str = "sure"

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        found = [np.array([1.0 if move == self.move else 1e-6 for move in p.legal_moves]) for p in positions]
        return [weights / weights.sum() for weights in found]

    def close(self) -> None: ...


def test_the_type_whose_piece_the_hand_will_mate_with_is_named() -> None:
    brain = ExpHand(Trees([Material()]), Sure("a1a8"), leaf=10)
    (decision,) = choose(brain, [turn("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")])
    assert (decision.info["named"], decision.move) == ("R", "a1a8")
    assert decision.value == pytest.approx(1, abs=1e-3)


def test_a_brain_that_names_types_leaves_no_move_in_the_record() -> None:
    team = HandAndBrain(exp_h(), NetPolicy(Material(), temperature=1.0))
    (decision,) = choose(team, [turn(MIDDLEGAME)])
    assert "brain" not in decision.info
    assert decision.info["named"] in "PNBRQK"
    assert decision.policy is not None
    assert decision.move in decision.policy


def test_only_a_king_can_be_named_where_only_a_king_can_move() -> None:
    (decision,) = choose(exp_h(), [turn(KING_ALONE)])
    assert decision.info["named"] == "K"
    assert decision.info["nodes"] == 30


def test_released_centipawns_let_one_mate_outweigh_everything() -> None:
    assert released_centipawns(Score(1.0, mate=0)) == 99_999
    assert released_centipawns(Score(0.0, mate=-3)) == -99_997
    assert released_centipawns(Score(0.5)) == 0
    assert released_centipawns(Score(0.9, cp=250)) == 250


def test_the_limit_of_a_match_holds_for_the_whole_move() -> None:
    (decision,) = choose(exp_h(), [turn(MIDDLEGAME, Limits(nodes=36))])
    assert decision.info["nodes"] <= 36
