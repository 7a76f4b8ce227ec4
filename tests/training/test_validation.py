from collections.abc import Sequence

import pytest
import torch

from foible.training.trainer import Trainer
from tests.training.made_up import POSITIONS, RECIPE, MadeUp, net


def trainer(own: Sequence[int] | None = None) -> Trainer:
    torch.set_num_threads(1)
    return Trainer(net(), RECIPE, torch.device("cpu"), own=own)


@pytest.mark.parametrize("size", [1, 5, 7])
def test_losses_do_not_depend_on_how_positions_fall_into_batches(size: int) -> None:
    whole, parts = (trainer().measure(MadeUp(None, one)) for one in (POSITIONS, size))
    assert parts.loss == pytest.approx(whole.loss, rel=1e-6)
    for name, losses in whole.sets.items():
        assert parts.sets[name].policy == pytest.approx(losses.policy, rel=1e-5)
        assert parts.sets[name].positions == losses.positions


def test_the_four_sets_are_all_positions_and_each_phase() -> None:
    sets = trainer().measure(MadeUp(None)).sets
    assert list(sets) == ["all", "opening", "middlegame", "endgame"]
    phases = [sets[name] for name in ("opening", "middlegame", "endgame")]
    assert [one.positions for one in phases] == [8, 8, 8]
    assert sets["all"].positions == POSITIONS
    for what in ("policy", "value", "wdl", "plies", "accuracy", "loss"):
        assert getattr(sets["all"], what) == pytest.approx(sum(getattr(one, what) for one in phases) / 3)
    assert len({one.policy for one in phases}) == 3


def test_the_reported_loss_is_99_parts_policy_and_one_part_value() -> None:
    losses = trainer().measure(MadeUp(None)).sets["all"]
    assert losses.loss == pytest.approx(0.99 * losses.policy + 0.01 * losses.value)


def test_the_loss_that_chooses_is_weighted_by_sample_the_sets_are_not() -> None:
    found = trainer().measure(MadeUp(None))
    opening, middlegame, endgame = (found.sets[name].loss for name in ("opening", "middlegame", "endgame"))
    assert found.loss == pytest.approx((0.5 * opening + 2 * middlegame + 0.5 * endgame) / 3)
    assert found.loss != pytest.approx(found.sets["all"].loss, rel=1e-6)


def test_an_expert_is_chosen_by_its_own_phase_and_measured_on_all() -> None:
    found = trainer(own=[2]).measure(MadeUp(None))
    assert found.loss == pytest.approx(found.sets["endgame"].loss)
    assert found.sets["opening"].positions == 8


def test_a_net_that_has_learnt_names_the_moves() -> None:
    one = trainer()
    before = one.measure(MadeUp(None)).sets["all"]
    samples = MadeUp(1, 24)
    for step in range(60):
        one.step(samples.batch(step), step, RECIPE.schedule.at(10, 100))
    after = one.measure(MadeUp(None)).sets["all"]
    assert before.accuracy == 0
    assert after.accuracy > 0.5
    assert after.policy < before.policy - 2
