"""The expectors and the expectation engine against reference numbers."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from foible._core import ChessPosition
from foible.agents.exp_hand import WIDTH
from foible.agents.exp_tag_team import VARIANTS, Variant
from foible.agents.expectation import Attitude, Best, Branch, Coin, From, Judged, Known, Moves, Node, Plan, Unit, likely
from foible.judges.base import Score
from foible.judges.units import Pawns, released_centipawns
from tests.shared_data import shared

START = ChessPosition()
TOLERANCE = 1e-9


def cases(group: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(shared("golden/skill_stats.json").read_text())["groups"][group]["cases"]
    return found


def compat(centipawns: float) -> float:
    """The published program's win probability (skill-compatible §5.1), kept to 0 … 1."""
    return max(0.0, min(1.0, 0.5 + math.atan(centipawns / 290.680623072) / 3.096181612))


@dataclass(frozen=True)
class Named:
    """A mover or a judge that is nothing but its name: nobody asks it here."""

    name: str

    async def options(self, positions: Sequence[ChessPosition]) -> list[Mapping[str, float]]:
        raise AssertionError(self.name)

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        raise AssertionError(self.name)

    def close(self) -> None: ...


def resolve(plan: Plan, path: str, value: dict[str, Any]) -> float:
    """The worth of a plan whose lines are known by who moved: `value["sj"]` after senior and junior.

    A path in `value["over"]` is one whose last move ended the game.
    """
    node = Node(START, plan, ours=len(path) % 2 == 1)
    match plan:
        case Known(score):
            return score.wp
        case Judged():
            return float(value[path])
        case Coin(parts):
            node.branches = [Branch(p, "", known(resolve(part, path, value))) for p, part in parts]
        case From(_, then):
            return resolve(then, "", value)
        case Moves(mover, then):
            assert isinstance(mover, Named)
            after = path + mover.name[0]
            if after in value["over"]:
                return plan.over.wp if plan.over else float(value[after])
            node.branches = [Branch(1.0, "", known(resolve(then, after, value)))]
    return Attitude().value(node)


def known(wp: float) -> Node:
    return Node(START, Known(Score(wp)), ours=True, score=Score(wp))


@pytest.mark.parametrize("variant", VARIANTS)
def test_tag_team_expectations_match_the_reference(variant: Variant) -> None:
    for case in cases("exp_t"):
        white = case["input"]["side"] == "white"

        def ours(centipawns: float | None, white: bool = white) -> float | None:
            return None if centipawns is None else compat(centipawns) if white else 1 - compat(centipawns)

        found = []
        for candidate in case["input"]["candidates"]:
            v = ours(candidate["v_cp"])
            assert v is not None
            if candidate["b1_over"]:
                found.append(v)
                continue
            ends = {"s": ours(candidate["e_lm"]), "j": ours(candidate["e_ml"])}
            over = {who for who, key in (("s", "lm_over"), ("j", "ml_over")) if candidate[key]}
            values = {"over": over, **ends, "sj": ends["s"], "jj": ours(candidate["e_mm"])}
            plan = VARIANTS[variant](START, Score(v), Named("senior"), Named("junior"), Named("judge"))
            found.append(resolve(plan, "", values))
        expected = case["expected"][variant]
        scores = [score if white else 1 - score for score in found]
        assert scores == pytest.approx(expected["scores_white_wp"], abs=TOLERANCE), case["id"]
        names = [candidate["move"] for candidate in case["input"]["candidates"]]
        assert names[max(range(len(found)), key=found.__getitem__)] == expected["chosen"], case["id"]


def tree(data: dict[str, Any]) -> Node:
    """A reference tree in which we are to move, as grown nodes."""
    if "moves" not in data:
        return known(float(data["value"] if "value" in data else data["terminal"]))
    node = Node(START, Best(Named("all"), Judged(Named("judge"))), ours=True)
    node.branches = [Branch(1.0, move["move"], replies(move)) for move in data["moves"]]
    return node


def replies(move: dict[str, Any]) -> Node:
    node = Node(START, Moves(Named("opponent"), Judged(Named("judge"))), ours=False)
    node.branches = [Branch(reply["p"], "", tree(reply["node"])) for reply in move["replies"]]
    return node


def test_expectimax_matches_the_reference() -> None:
    for case in cases("expectimax_tree"):
        root = tree(case["input"]["tree"])
        for branch, expected in zip(root.branches, case["expected"]["moves"], strict=True):
            assert Attitude().value(branch.node) == pytest.approx(expected["E"], abs=TOLERANCE)


def reply_score(reply: dict[str, Any]) -> Score:
    if "mate" in reply:
        return Score(float(reply["mate"] > 0), mate=reply["mate"])
    centipawns = 100 * reply["eval"]
    return Score(0.5, cp=centipawns)


def flat_and_clamped(score: Score) -> float:
    return max(-10.0, min(10.0, Pawns("post")(score)))


def test_the_expectation_of_the_post_matches_the_reference() -> None:
    for case in cases("blog_expectation"):
        weight = case["input"]["checkmate_weight"]
        post, released = Pawns("post", weight), Pawns("released", weight)
        for candidate, expected in zip(case["input"]["candidates"], case["expected"]["moves"], strict=True):
            node = Node(START, Moves(Named("opponent"), Judged(Named("judge"))), ours=False)
            for reply in candidate["replies"]:
                end = Node(START, Judged(Named("judge")), ours=True, score=reply_score(reply))
                node.branches.append(Branch(reply["p"], "", end))

            def mean(unit: Unit, node: Node = node) -> float:
                return Attitude(unit).value(node)

            assert node.mass == pytest.approx(expected["prob_sum"], abs=TOLERANCE)
            assert mean(post) == pytest.approx(expected["normalised"], abs=TOLERANCE)
            assert mean(post) * node.mass == pytest.approx(expected["raw"], abs=TOLERANCE)
            assert mean(released) * node.mass == pytest.approx(expected["released_mate_scaling"], abs=TOLERANCE)
            worst = min(flat_and_clamped(branch.node.score) for branch in node.branches if branch.node.score)
            assert worst == pytest.approx(expected["minimax"], abs=TOLERANCE)
            assert mean(post) - worst == pytest.approx(expected["trappiness"], abs=TOLERANCE)


@pytest.mark.parametrize("scale", ["wp", "cp_released"])
def test_hand_expectations_match_the_reference(scale: str) -> None:
    for case in cases("exp_h"):
        sign = 1 if case["input"]["side"] == "white" else -1
        values: dict[str, float] = {}
        moves = case["input"]["moves"]
        for kind in {move["piece"] for move in moves}:
            node = Node(START, Judged(Named("judge")), ours=True)
            centipawns = {m["move"]: sign * m["cp_white_after"] for m in moves if m["piece"] == kind}
            for name, p in likely({m["move"]: m["p"] for m in moves if m["piece"] == kind}, width=WIDTH).items():
                cp = centipawns[name]
                wp = compat(cp)
                score = (
                    Score(wp, mate=0 if abs(cp) == 99_999 else 100_000 - abs(cp)) if abs(cp) > 50_000 else Score(wp, cp)
                )
                end = Node(START, Judged(Named("judge")), ours=False, score=score)
                node.branches.append(Branch(p, name, end))
            values[kind] = Attitude(released_centipawns if scale == "cp_released" else lambda s: s.wp).value(node)
        expected = case["expected"][scale]
        assert values == pytest.approx(expected["piece_value_for_mover"], abs=TOLERANCE), case["id"]
        assert max(values, key=values.__getitem__) == expected["chosen"]
