"""Nets that play without searching."""

import json

import numpy as np
import pytest

from foible._core import ChessPosition
from foible.agents.base import Turn
from foible.agents.policy import NetPolicy
from foible.nets import Material, open_net
from foible.nets.evaluator import softmax
from tests.playing import choose
from tests.shared_data import shared


def turn(position: ChessPosition, seed: int = 0) -> Turn:
    return Turn(position, 0, 0, np.random.default_rng(seed))


def test_at_temperature_zero_the_most_probable_move_is_played() -> None:
    position = ChessPosition("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
    [decision] = choose(NetPolicy(Material()), [turn(position)])
    assert (decision.move, decision.policy) == ("e4d5", None)


def test_samples_follow_the_policy() -> None:
    agent = NetPolicy(Material(), temperature=1.0)
    decisions = choose(agent, [turn(ChessPosition(moves=["e4", "d5"]), seed) for seed in range(4000)])
    policy = decisions[0].policy
    assert policy is not None
    assert sum(policy.values()) == pytest.approx(1)
    share = sum(d.move == "e4d5" for d in decisions) / len(decisions)
    assert share == pytest.approx(policy["e4d5"], abs=4 * np.sqrt(0.25 / len(decisions)))


def test_low_temperature_sharpens() -> None:
    logits = np.array([1.0, 2.0, 4.0], np.float32)
    assert softmax(logits, 0.01).round(6).tolist() == [0, 0, 1]
    assert softmax(logits, 1e6) == pytest.approx([1 / 3] * 3, abs=1e-5)


def test_maia_plays_what_lc0_says_it_plays() -> None:
    rows = [json.loads(line) for line in shared("golden/maia_policy.jsonl").read_text().splitlines()]
    rows = [row for row in rows if row["net"] == "maia-1500"]
    agent = NetPolicy(open_net(str(shared("nets/maia-1500.pb.gz"))))
    decisions = choose(agent, [turn(ChessPosition(row.get("fen"), row["moves"])) for row in rows])
    for row, decision in zip(rows, decisions, strict=True):
        assert decision.move == max(row["logits"], key=row["logits"].get)
        assert decision.value == pytest.approx((1 + row["q_exact"]) / 2, abs=1e-3)
