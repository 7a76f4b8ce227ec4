from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from foible.nets.modules.net import Outputs
from foible.training.config import ATTUNED, LossConfig
from foible.training.data.encoder import TrainBatch
from foible.training.data.targets import SoftPolicy
from foible.training.losses import batch_loss, loss_terms, targets_of
from foible.training.trainer import Trainer
from tests.training.made_up import POSITIONS, RECIPE, MadeUp, net

MOVES = 5


def batch() -> TrainBatch:
    return TrainBatch(
        masks=np.zeros((3, 1), np.uint64),
        values=np.zeros((3, 1), np.float32),
        policy=np.array([0, 3, 4]),
        wdl=np.array([[1, 0, 0], [0, 1, 0], [0.2, 0.3, 0.5]], np.float32),
        plies=np.array([0, 0.5, 1], np.float32),
        phase=np.array([0, 1, 2], np.uint8),
        weight=np.array([1, 2, 0.5], np.float32),
    )


def outputs() -> Outputs:
    torch.manual_seed(3)
    policy, wdl, plies = torch.randn(3, MOVES), torch.randn(3, 3), torch.rand(3)
    return Outputs(policy.requires_grad_(), wdl.requires_grad_(), plies.requires_grad_())


def by_hand(found: Outputs, given: TrainBatch) -> list[tuple[float, float, float, float]]:
    """The four terms of each sample in plain numpy (phase-experts §4.1)."""
    assert found.plies is not None
    policy, wdl, plies = (one.detach().double().numpy() for one in (found.policy, found.wdl, found.plies))
    rows = []
    for n in range(len(given)):
        moves = np.exp(policy[n]) / np.exp(policy[n]).sum()
        win, draw, loss = np.exp(wdl[n]) / np.exp(wdl[n]).sum()
        target = given.wdl[n]
        rows.append(
            (
                -np.log(moves[given.policy[n]]),
                (win - loss - (target[0] - target[2])) ** 2,
                -float(target @ np.log([win, draw, loss])),
                float(plies[n] - given.plies[n]) ** 2,
            )
        )
    return rows


def total(found: Outputs, given: TrainBatch, config: LossConfig) -> Tensor:
    targets = targets_of(given, torch.device("cpu"))
    return batch_loss(loss_terms(found, targets, 100.0), targets.weight, config)


def test_the_loss_is_the_papers_four_terms_times_each_samples_weight() -> None:
    found, given = outputs(), batch()
    rows = [0.988 * p + 0.01 * v + 0.01 * w + 0.002 * m for p, v, w, m in by_hand(found, given)]
    expected = (1 * rows[0] + 2 * rows[1] + 0.5 * rows[2]) / 3
    assert total(found, given, LossConfig()).item() == pytest.approx(expected, rel=1e-6)


def test_attuned_nets_learn_policy_and_result_alike_and_nothing_else() -> None:
    found, given = outputs(), replace(batch(), weight=np.ones(3, np.float32))
    expected = np.mean([p + w for p, _, w, _ in by_hand(found, given)])
    loss = total(found, given, ATTUNED)
    assert loss.item() == pytest.approx(expected, rel=1e-6)
    torch.autograd.backward(loss)
    assert found.plies is not None
    assert found.plies.grad is not None
    assert not found.plies.grad.any()


def test_the_value_term_alone_moves_the_wdl_head() -> None:
    found = outputs()
    torch.autograd.backward(total(found, batch(), LossConfig(policy=0, value=1, wdl=0, plies=0)))
    assert found.wdl.grad is not None
    assert found.wdl.grad.abs().sum() > 0.01
    assert found.policy.grad is not None
    assert not found.policy.grad.any()


def test_a_sample_without_weight_teaches_nothing() -> None:
    found, given = outputs(), batch()
    torch.autograd.backward(total(found, replace(given, weight=np.array([1, 0, 1], np.float32)), LossConfig()))
    assert found.policy.grad is not None
    taught = found.policy.grad.abs().sum(1)
    assert taught[1] == 0
    assert (taught[[0, 2]] > 0).all()


def test_lc0s_moves_left_are_compared_in_hundreds() -> None:
    found, targets = outputs(), targets_of(batch(), torch.device("cpu"))
    assert found.plies is not None
    in_plies = found._replace(plies=found.plies * 100)
    assert torch.allclose(loss_terms(found, targets, 100.0).plies, loss_terms(in_plies, targets, 1.0).plies)


def test_a_net_without_that_head_has_no_plies_term() -> None:
    found = outputs()._replace(plies=None)
    assert not loss_terms(found, targets_of(batch(), torch.device("cpu")), 100.0).plies.any()


def test_a_position_without_a_game_says_nothing_of_the_plies_to_the_end() -> None:
    found, given = outputs(), replace(batch(), plies=np.array([0.5, np.nan, 1], np.float32))
    terms = loss_terms(found, targets_of(given, torch.device("cpu")), 100.0)
    assert terms.plies[1] == 0
    torch.autograd.backward(total(found, given, LossConfig()))
    assert found.plies is not None
    assert found.plies.grad is not None
    assert (found.plies.grad != 0).tolist() == [True, False, True]


class SomeWithoutGame(MadeUp):
    """Every third position, those of the phase `middlegame`, belongs to no game."""

    def batch(self, step: int) -> TrainBatch:
        found = super().batch(step)
        return replace(found, plies=np.where(found.phase == 1, np.nan, found.plies).astype(np.float32))


def test_the_loss_of_the_plies_is_over_the_positions_of_games() -> None:
    every, some = (trainer().measure(samples(None)).sets for samples in (MadeUp, SomeWithoutGame))
    assert some["middlegame"].plies is None
    opening, endgame = every["opening"].plies, every["endgame"].plies
    assert opening is not None
    assert endgame is not None
    assert some["opening"].plies == opening
    assert some["all"].plies == pytest.approx((opening + endgame) / 2)
    assert some["all"].policy == every["all"].policy


def test_a_distribution_takes_the_place_of_the_move_played_where_there_is_one() -> None:
    found, given = outputs(), batch()
    soft = SoftPolicy(np.array([1, 1, 1]), np.array([0, 2, 3]), np.array([0.5, 0.25, 0.25], np.float32))
    plain = loss_terms(found, targets_of(given, torch.device("cpu")), 100.0).policy
    mixed = loss_terms(found, targets_of(replace(given, soft_policy=soft), torch.device("cpu")), 100.0).policy
    logs = found.policy[1].log_softmax(0)
    assert mixed[1].item() == pytest.approx(-(0.5 * logs[0] + 0.25 * logs[2] + 0.25 * logs[3]).item(), rel=1e-6)
    assert torch.equal(mixed[[0, 2]], plain[[0, 2]])
    assert mixed[1] != plain[1]


def test_a_distribution_of_one_move_is_that_move_played() -> None:
    found, given = outputs(), batch()
    soft = SoftPolicy(np.arange(3), given.policy, np.ones(3, np.float32))
    targets = (targets_of(one, torch.device("cpu")) for one in (given, replace(given, soft_policy=soft)))
    hard, certain = (loss_terms(found, one, 100.0).policy for one in targets)
    assert torch.allclose(hard, certain)


def test_half_precision_outputs_are_judged_in_full() -> None:
    found = outputs()
    rounded = Outputs(found.policy.bfloat16(), found.wdl.bfloat16(), found.plies)
    terms = loss_terms(rounded, targets_of(batch(), torch.device("cpu")), 100.0)
    assert {term.dtype for term in terms} == {torch.float32}


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
