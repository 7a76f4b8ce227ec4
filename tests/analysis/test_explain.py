"""What an explanation says: which moves are sound, which one to try, and drafts that get better."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from foible._core import ChessPosition
from foible.agents.candidates import Candidate, Expectimax, Reply, Width, weigh
from foible.agents.expectation import Judged, LikelyMoves, Moves, Node, grow
from foible.analysis.explain import EPSILON, Explanation, board_text, explanations, to_json, verdict
from foible.engines.pool import EnginePool
from foible.judges.base import Score
from foible.judges.engine import UciJudge
from foible.judges.net import NetJudge, SearchJudge
from foible.loop import each, wait
from foible.nets import Material
from foible.opponents.base import Distribution
from foible.opponents.net import NetModel
from foible.search.trees import Trees
from tests.engines.fake import find_stockfish

ENDING = ChessPosition("7k/8/8/8/8/8/7P/K7 w - - 0 1")
ITALIAN = ChessPosition(None, ["e4", "e5", "Nf3", "Nc6", "Bc4"])


@dataclass(eq=False)
class Uniform:
    """Plays every move alike."""

    name: str = "uniform"

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        return [np.full(len(p.legal_moves), 1 / len(p.legal_moves)) for p in positions]

    def close(self) -> None: ...


@dataclass(eq=False)
class ByMoves:
    """What a position is worth to the side to move, by the moves that led to it."""

    worth: dict[str, float]
    name: str = "by moves"

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        return [Score(self.worth.get(" ".join(position.moves), 0.5)) for position in positions]

    def close(self) -> None: ...


def candidate(move: str, safe: float, expected: float, best: float = 0.5) -> Candidate:
    replies = (Reply("e7e5", 1.0, expected, expected - safe),)
    price, gain = best - safe, expected - best
    return Candidate(move, Score(safe), expected, expected, safe, safe, price, gain, expected - safe, 0.0, 1.0, replies)


def explanation(*candidates: Candidate) -> Explanation:
    return Explanation(ChessPosition(), candidates, "them", None, "judge", complete=True)


def test_moves_that_cost_too_much_come_last_however_much_they_promise() -> None:
    """By 1 g4 Black is better with the right reply alone, and by 1 h4 a little."""
    start = ChessPosition()
    gifts = {f"g2g4 {reply}": 1.0 for reply in start.play("g2g4").legal_moves}
    judge = ByMoves(gifts | {"g2g4 e7e5": 0.1, "h2h4 d7d5": 0.5 - EPSILON / 2, "h2h4 e7e5": 1.0})
    everything = Width(ours=20, hopeful=0, mass=1, replies=None)
    (found,) = each(explanations(start, Uniform(), judge, width=everything))
    assert found.complete
    assert found.candidates[0].move == "h2h4"
    assert found.candidates[-1].move == "g2g4"
    assert found.candidates[-1].expected == pytest.approx((19 + 0.1) / 20)
    assert found.affordable == found.candidates[:-1]
    assert "h2h4" not in [sound.move for sound in found.soundest]


def losses(judge: ByMoves, move: str, depth: int = 1) -> dict[str, float]:
    """What the replies to one of the first moves lose, all moves being looked at."""
    everything = Width(ours=None, hopeful=0, mass=1, replies=None)
    found = wait(Expectimax(Uniform(), judge, depth=depth, width=everything).candidates(ENDING))
    (chosen,) = [one for one in found if one.move == move]
    assert chosen.trappiness == pytest.approx(sum(r.p * r.loss for r in chosen.replies))
    return {reply.move: reply.loss for reply in chosen.replies}


def test_the_best_reply_loses_nothing_whatever_the_judge_saw_a_ply_before() -> None:
    """The judge likes our move less (V = 0.4) than the position after any reply to it (0.5 and more)."""
    found = losses(ByMoves({"a1b1": 0.6, "a1b1 h8g8": 0.75}), "a1b1")
    assert found == {"h8g8": pytest.approx(0.25), "h8g7": 0, "h8h7": 0}


def test_a_reply_is_not_charged_with_the_errors_that_may_follow_it() -> None:
    """After 1 Kb1 Kg8 2 Kc1 most replies blunder, but one does not: a hope, which the reply has not given away."""
    line = "a1b1 h8g8 b1c1"
    blunders = {f"{line} {reply}": 0.9 for reply in ("g8f8", "g8f7", "g8g7", "g8h7")}
    expected = losses(ByMoves(blunders), "a1b1", depth=2)
    assert expected == {"h8g8": 0, "h8g7": 0, "h8h7": 0}
    forced = losses(ByMoves(blunders | {f"{line} g8h8": 0.9}), "a1b1", depth=2)
    assert forced == {"h8g8": pytest.approx(0.4), "h8g7": 0, "h8h7": 0}


def test_a_best_reply_that_was_not_looked_at_counts_by_the_judge_s_word() -> None:
    scored = {"a1b1": Score(0.2, best="h8h7")}
    node = Node(ENDING.play("a1b1"), Moves(LikelyMoves(Uniform(), width=1), Judged(ByMoves({}))), ours=False)
    wait(grow([node]))
    (found,) = weigh({"a1b1": node}, scored)
    (reply,) = found.replies
    assert reply.loss == pytest.approx(0.3)
    assert found.best_reply == "h8h7"


def test_the_verdict_names_the_sound_the_hopeful_and_the_gamble() -> None:
    found = explanation(candidate("d2d4", 0.47, 0.56), candidate("e2e4", 0.5, 0.52), candidate("g2g4", 0.3, 0.7))
    assert verdict(found) == (
        "Soundest: e4 (50.0 %). Best against them for 5 % or less: d4 (56.0 %), which costs 3.0 %. "
        "Higher, at a higher price: g4 (70.0 %, costs 20.0 %)."
    )


def test_moves_that_a_judge_cannot_tell_apart_are_equally_sound_and_many_are_counted() -> None:
    moves = ["e2e4", "d2d4", "c2c4", "g1f3", "g2g3", "b2b3"]
    found = explanation(*(candidate(move, 0.5 - 0.001 * i, 0.5 - 0.001 * i) for i, move in enumerate(moves)))
    assert [sound.move for sound in found.soundest] == moves
    assert verdict(found).startswith("Soundest: e4 (50.0 %), d4 (49.9 %), c4 (49.8 %), Nf3 (49.7 %) and 2 more. ")


def test_a_single_move_is_not_compared() -> None:
    assert verdict(explanation(candidate("e2e4", 0.5, 0.5))) == "Soundest: e4 (50.0 %)."


def test_drafts_come_first_and_change_nothing() -> None:
    net = Material()
    judge, model = SearchJudge(Trees([net]), 20), NetModel(net)
    draft, whole = each(explanations(ITALIAN, model, judge))
    assert (draft.complete, whole.complete) == (False, True)
    assert (draft.judge, whole.judge) == (NetJudge(net).name, judge.name)
    assert set(whole.candidates) == set(wait(Expectimax(model, judge).candidates(ITALIAN)))
    assert to_json(draft)["complete"] is False


def test_a_model_of_ourselves_comes_into_the_final_explanation_alone() -> None:
    net = Material()
    judge, model = SearchJudge(Trees([net]), 20), NetModel(net)
    width = Width(ours=2, hopeful=0, mass=0.2, replies=2)
    draft, whole = each(explanations(ITALIAN, model, judge, depth=2, width=width, ourselves=Uniform()))
    assert (draft.ourselves, whole.ourselves) == (None, "uniform")
    weigh = Expectimax(model, judge, depth=2, width=width, ourselves=Uniform())
    assert set(whole.candidates) == set(wait(weigh.candidates(ITALIAN)))
    assert to_json(whole)["ourselves"] == "uniform"
    assert "Best for uniform against material" in verdict(whole)


def test_the_board_is_seen_by_the_side_to_move() -> None:
    rows = board_text(ITALIAN).splitlines()
    assert rows[0].startswith("1 ♖ · · ♔")
    assert rows[-1] == "  h g f e d c b a   Black to move"


def test_stockfish_convinces_where_the_net_does_not() -> None:
    """Against 3 Bc4 a king that walks out is no move; 3...Bc5 is one of the two that everybody plays."""
    judge = UciJudge(EnginePool(find_stockfish(), nodes=3000, options={"Hash": 16}, processes=2))
    try:
        *_, found = each(
            explanations(ITALIAN, Uniform(), judge, width=Width(ours=None, hopeful=0, mass=0.1, replies=1))
        )
    finally:
        judge.close()
    price = {ITALIAN.san(one.move): one.price for one in found.candidates}
    assert price["Bc5"] < EPSILON
    assert price["Ke7"] > 2 * EPSILON
    assert price["Ke7"] > price["d6"]
