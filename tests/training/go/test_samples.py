"""Positions of self-play games as a net learns from them."""

import numpy as np
import pytest

from foible._core import Batch, GoPosition
from foible.games.go import SYMMETRIES
from foible.nets.go.evaluator import sources, turn_planes
from foible.selfplay.go.record import GoPly, GoSelfplayRecord
from foible.training.go.samples import GoSamples

MOVES = ["B2", "A1", "C3", "pass", "A2", "C1", "pass", "pass"]


def game(komi: float, inherited: int = 0) -> GoSelfplayRecord:
    plies = []
    position = GoPosition(3, komi=komi)
    for ply, move in enumerate(MOVES):
        visits = {name: 1 + number % 3 for number, name in enumerate(position.legal_moves)}
        if ply >= inherited:
            plies.append(GoPly(move, visits, 0.5))
        position = position.play(move)
    return GoSelfplayRecord((1,), 3, komi, position.margin, plies, inherited=MOVES[:inherited])


def test_a_batch_is_what_the_net_sees() -> None:
    found = GoSamples.of(3, [game(0.5)])
    positions = [GoPosition(3, MOVES[:ply], komi=0.5) for ply in range(len(MOVES))]
    batch = found.batch(np.arange(len(MOVES)), np.zeros(len(MOVES), np.uint8))
    np.testing.assert_array_equal(batch.planes, Batch(positions).planes())
    np.testing.assert_array_equal(batch.signed_komi, [-0.5, 0.5] * 4)
    np.testing.assert_allclose(batch.visits.sum(1), 1, atol=2e-3)
    illegal = batch.visits == 0
    assert illegal[1, 4]  # Black's stone on B2
    assert not illegal[:, 9].any()  # pass


@pytest.mark.parametrize(("komi", "black"), [(-9.5, 1.0), (9.5, 0.0)])
def test_results_are_those_of_the_player_to_move(komi: float, black: float) -> None:
    batch = GoSamples.of(3, [game(komi)]).batch(np.arange(len(MOVES)), np.zeros(len(MOVES), np.uint8))
    np.testing.assert_array_equal(batch.results, [black, 1 - black] * 4)


def test_a_drawn_game_is_half_a_win() -> None:
    drawn = game(0.0)
    position = GoPosition(3, MOVES)
    even = GoSelfplayRecord((1,), 3, position.area, 0.0, drawn.plies)
    assert set(GoSamples.of(3, [even]).results) == {0.5}


def test_of_a_branch_only_what_was_played_there_is_learnt() -> None:
    whole, branch = GoSamples.of(3, [game(0.5)]), GoSamples.of(3, [game(0.5, inherited=3)])
    assert len(branch) == len(MOVES) - 3
    np.testing.assert_array_equal(branch.stones, whole.stones[3:])
    np.testing.assert_array_equal(branch.visits, whole.visits[3:])


def test_symmetries_turn_planes_and_visits_alike() -> None:
    found = GoSamples.of(3, [game(0.5)])
    rows = np.full(len(SYMMETRIES), 5)
    symmetries = np.arange(len(SYMMETRIES), dtype=np.uint8)
    batch, plain = found.batch(rows, symmetries), found.batch(rows, np.zeros(len(SYMMETRIES), np.uint8))
    np.testing.assert_array_equal(batch.planes, turn_planes(plain.planes, symmetries))
    for symmetry in SYMMETRIES:
        np.testing.assert_array_equal(batch.visits[symmetry], plain.visits[symmetry][sources(3)[symmetry]])
        # Where a stone stands nobody had visits, whatever the symmetry.
        taken = (batch.planes[symmetry, 0] + batch.planes[symmetry, 8]).ravel() == 1
        assert not batch.visits[symmetry][:-1][taken].any()


def test_draws_come_from_everywhere_and_joins_keep_all() -> None:
    one, other = GoSamples.of(3, [game(0.5)]), GoSamples.of(3, [game(-3.5), game(2.5)])
    both = GoSamples.join(3, [one, other])
    assert len(both) == 3 * len(MOVES)
    drawn = both.draw(np.random.default_rng(1), 400)
    assert set(np.unique(drawn.signed_komi)) == {-0.5, 0.5, -3.5, 3.5, -2.5, 2.5}
    assert len(GoSamples.of(3, [])) == 0
