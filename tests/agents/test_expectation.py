"""The expectation engine on real positions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.agents.expectation import (
    Attitude,
    Best,
    BestMove,
    Branch,
    Coin,
    From,
    Judged,
    Known,
    Moves,
    Node,
    grow,
    likely,
)
from foible.judges.base import Score
from foible.loop import wait
from foible.nets.evaluator import Material
from foible.search.trees import Trees

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
FIFTY_MOVES = "6k1/8/8/8/8/8/5R2/6K1 w - - 99 80"


@dataclass(eq=False)
class Script:
    """Plays the given moves by FEN's board, or the first legal one; remembers what it was asked."""

    moves: Mapping[str, float] = field(default_factory=dict)
    asked: list[list[str]] = field(default_factory=list)

    async def options(self, positions: Sequence[ChessPosition]) -> list[Mapping[str, float]]:
        self.asked.append([position.fen for position in positions])
        return [self.moves or {position.legal_moves[0]: 1.0} for position in positions]


@dataclass(eq=False)
class Constant:
    """Thinks the same of every position."""

    wp: float
    name: str = "constant"
    asked: int = 0

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        assert all(position.outcome() is None for position in positions)
        self.asked += len(positions)
        return [Score(self.wp)] * len(positions)

    def close(self) -> None: ...


def value(node: Node, attitude: Attitude | None = None) -> float:
    return (attitude or Attitude()).value(node)


def test_the_judge_s_score_is_turned_to_us() -> None:
    judge = Constant(0.8)
    theirs, ours = (Node(ChessPosition(), Judged(judge), ours=ours) for ours in (False, True))
    wait(grow([theirs, ours]))
    assert (value(theirs), value(ours)) == pytest.approx((0.2, 0.8))


def test_a_mate_counts_exactly_and_no_judge_is_asked() -> None:
    judge, mates = Constant(0.5), Script({"d1d8": 1.0})
    node = Node(ChessPosition(MATE_IN_ONE), Moves(mates, Judged(judge)), ours=True)
    wait(grow([node]))
    assert value(node) == 1
    assert judge.asked == 0


def test_a_claimable_draw_is_over_where_claims_count() -> None:
    judge, quiet = Constant(0.9), Script({"f2f3": 1.0})
    for claims, expected in ((True, 0.5), (False, 0.1)):
        node = Node(ChessPosition(FIFTY_MOVES), Moves(quiet, Judged(judge)), ours=True)
        wait(grow([node], claim_draws=claims))
        assert value(node) == pytest.approx(expected)


def test_a_known_value_stands_for_an_ending_where_the_plan_says_so() -> None:
    plan = Moves(Script({"d1d8": 1.0}), Judged(Constant(0.5)), over=Score(0.7))
    node = Node(ChessPosition(MATE_IN_ONE), plan, ours=True)
    wait(grow([node]))
    assert value(node) == pytest.approx(0.7)


def test_each_mover_is_asked_once_for_all_lines_of_a_ply() -> None:
    mover = Script()
    nodes = [
        Node(ChessPosition(moves=[move]), Moves(mover, Judged(Constant(0.5))), ours=False) for move in ("e4", "d4")
    ]
    wait(grow(nodes))
    assert [len(asked) for asked in mover.asked] == [2]


def test_a_coin_weighs_its_plans_and_a_line_may_go_on_elsewhere() -> None:
    elsewhere = ChessPosition(moves=["e4"])
    plan = Coin(((0.25, Known(Score(1.0))), (0.75, From(elsewhere, Judged(Constant(0.6))))))
    node = Node(ChessPosition(), plan, ours=False)
    wait(grow([node]))
    assert value(node) == pytest.approx(0.25 + 0.75 * 0.4)


def test_our_best_move_counts_and_theirs_are_averaged() -> None:
    values = {"e2e4": 0.3, "d2d4": 0.6}
    node = branches(Best(Script(), Judged(Constant(0))), values, ours=True)
    assert value(node) == 0.6
    reply = branches(Moves(Script(), Judged(Constant(0))), values, ours=False)
    assert value(reply) == pytest.approx(0.45)


def branches(plan: Moves | Best, values: Mapping[str, float], *, ours: bool, mass: float = 1.0) -> Node:
    """A grown node whose branches are equally probable."""
    node = Node(ChessPosition(), plan, ours)
    for move, wp in values.items():
        end = Node(ChessPosition(), Known(Score(wp)), not ours, score=Score(wp))
        node.branches.append(Branch(mass / len(values), move, end))
    return node


def test_what_was_left_out_counts_as_the_mean_or_as_the_worst() -> None:
    node = branches(Moves(Script(), Judged(Constant(0))), {"e7e5": 0.2, "c7c5": 0.8}, ours=False, mass=0.9)
    assert value(node) == pytest.approx(0.5)
    assert value(node, Attitude(pessimistic=True)) == pytest.approx(0.45 * 1.0 + 0.1 * 0.2)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.1, 1))
def test_a_mean_lies_between_its_values_and_pessimism_never_raises_it(values: list[float], mass: float) -> None:
    moves = {str(index): wp for index, wp in enumerate(values)}
    node = branches(Moves(Script(), Judged(Constant(0))), moves, ours=False, mass=mass)
    mean, cautious = value(node), value(node, Attitude(pessimistic=True))
    assert min(values) - 1e-12 <= cautious <= mean + 1e-12 <= max(values) + 2e-12


@given(st.dictionaries(st.text("abcdefgh", min_size=1), st.floats(0, 1), min_size=1, max_size=30), st.floats(0.01, 1))
def test_likely_moves_are_the_fewest_that_reach_the_mass(weights: dict[str, float], mass: float) -> None:
    total = sum(weights.values()) or 1.0
    distribution = {move: weight / total for move, weight in weights.items()}
    kept = likely(distribution, mass)
    assert list(kept.values()) == sorted(kept.values(), reverse=True)
    if len(kept) < len([p for p in distribution.values() if p > 0]):
        assert sum(kept.values()) >= mass
    assert sum(list(kept.values())[:-1]) < mass
    assert likely(distribution, mass, 1) == dict([next(iter(kept.items()))])


def test_a_search_plays_the_first_of_its_moves() -> None:
    positions, trees = [ChessPosition(MATE_IN_ONE), ChessPosition()], Trees([Material()])
    first = [summary.moves[0].move for summary in wait(trees.searches(positions, 50))]
    assert wait(BestMove(trees, 50).options(positions)) == [{move: 1.0} for move in first]
    assert first[0] == "d1d8"
