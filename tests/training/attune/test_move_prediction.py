"""What is measured of nets on held-out games, with nets of which the answer is known."""

import math
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from foible._core import Batch
from foible.nets.evaluator import Evaluation, Material
from foible.training.attune.move_prediction import HeldOut, fit, held_out, view
from tests.training.attune.made_up import records


class Oracle:
    """A net that is asked once about every position, and gives this logit to the moves that were played."""

    name = "oracle"
    batch_size = 7

    def __init__(self, games: HeldOut, logit: float, value: float = 0.5) -> None:
        self._played = iter(games.played)
        self._logit, self._value = logit, value

    def evaluate(self, batch: Batch) -> Evaluation:
        assert len(batch) <= self.batch_size
        logits = [
            self._logit * (move == played)
            for moves, played in zip(batch.moves(), self._played, strict=False)
            for move in moves
        ]
        wdl = np.tile(np.array([self._value, 0, 1 - self._value], np.float32), (len(batch), 1))
        return Evaluation(np.array(logits, np.float32), wdl)


@pytest.fixture(scope="module")
def games() -> HeldOut:
    return held_out(records()[:6], seed=1)


def test_every_move_is_looked_at_once_or_a_sample_of_them(games: HeldOut) -> None:
    moves = [move.move for game in records()[:6] for move in game.moves]
    assert list(games.played) == moves
    sample = held_out(records()[:6], seed=1, most=50)
    assert len(sample.positions) == len(set(map(id, sample.positions))) == 50
    assert all(move in position.legal_moves for position, move in zip(sample.positions, sample.played, strict=True))
    assert held_out(records()[:6], seed=1, most=50).played == sample.played
    assert held_out(records()[:6], seed=2, most=50).played != sample.played


def test_a_net_that_knows_the_moves_loses_nothing(games: HeldOut) -> None:
    sure, junior = view(Oracle(games, 30.0), games), view(Material(), games)
    found = fit(sure, junior, games)
    assert found.policy_loss == pytest.approx(0, abs=1e-9)
    assert found.top1 == 1
    known = [(mine, played) for mine, played in zip(games.strong, games.played, strict=True) if mine is not None]
    assert 0 < len(known) < len(games.played), "of a junior's move it is not known what the senior had played"
    assert found.with_senior == sum(mine == played for mine, played in known) / len(known) < 1
    assert found.with_junior == fit(junior, sure, games).with_junior == fit(junior, junior, games).top1
    assert fit(junior, junior, games).with_junior == 1


def test_the_loss_is_that_of_the_legal_moves(games: HeldOut) -> None:
    flat = fit(view(Oracle(games, 0.0), games), view(Material(), games), games)
    expected = [math.log(len(position.legal_moves)) for position in games.positions]
    assert flat.policy_loss == pytest.approx(float(np.mean(expected)))


def test_the_value_is_compared_with_the_result_for_the_side_to_move() -> None:
    game = replace(records()[0], result="1-0")
    found = held_out([game], seed=1)
    white = np.array([position.turn == "first" for position in found.positions])
    np.testing.assert_array_equal(found.scores, white)
    always = fit(view(Oracle(found, 0.0, value=1.0), found), view(Material(), found), found)
    assert always.value_error == pytest.approx((~white).mean())


def test_the_senior_is_who_played_in_tag_team_and_what_the_brain_had_in_mind() -> None:
    first, second, third = records()[0].moves[:3]
    moves = (
        structs.replace(first, who="senior", info={}),
        structs.replace(second, who="junior", info={}),
        structs.replace(third, who="hand", info={"brain": "e2e4"}),
    )
    assert held_out([replace(records()[0], moves=moves)], seed=1).strong == (first.move, None, "e2e4")


def test_nobody_agrees_with_a_senior_who_never_moved() -> None:
    juniors = replace(
        records()[0], moves=tuple(structs.replace(move, who="junior", info={}) for move in records()[0].moves)
    )
    found = held_out([juniors], seed=1)
    assert fit(view(Material(), found), view(Material(), found), found).with_senior is None
