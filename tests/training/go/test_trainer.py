"""A Go net learns; its losses have golden values and gradients, and precision where it is easily lost."""

import json
import math

import msgspec
import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from torch import Tensor, nn

from foible.nets.evaluator import Material
from foible.nets.go.modules import GoNet
from foible.nets.go.net import GoNetConfig, HeadKind, input_planes
from foible.runs.journal import Journal
from foible.selfplay.go.config import GoSelfplayConfig
from foible.selfplay.go.play import GoSelfplay
from foible.selfplay.go.record import GoSelfplayRecord
from foible.training.go.config import GoTraining, LaterRate
from foible.training.go.samples import GoSamples
from foible.training.go.trainer import GoTrainer, log_odds, policy_loss, random_net, tanh_loss, value_loss, weight_loss
from tests.shared_data import shared

pytestmark = pytest.mark.usefixtures("one_thread")

CONFIG = GoTraining(batch_size=64, lr=0.02)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> GoSamples:
    with Journal(tmp_path_factory.mktemp("games") / "games.jsonl", GoSelfplayRecord) as journal:
        GoSelfplay(GoSelfplayConfig(visits=8, concurrency=16), Material(), 3, 40, 1, journal).play()
        return GoSamples.of(3, journal.items)


def net_config(head: HeadKind, planes: int = 18) -> GoNetConfig:
    return msgspec.convert(
        {"size": 3, "blocks": 1, "filters": 8, "head": head, "value_hidden": 16, "planes": planes}, GoNetConfig
    )


@pytest.mark.parametrize(("head", "planes"), [("lz", 18), ("v", 18), ("y", 17), ("t", 18)])
def test_it_learns_what_was_played(samples: GoSamples, head: HeadKind, planes: int) -> None:
    net = random_net(net_config(head, planes), 1)
    trainer, rng = GoTrainer(net, CONFIG), np.random.default_rng(1)
    before = trainer.measure(samples)
    assert trainer.train(samples, rng, 60)
    after = trainer.measure(samples)
    assert after.policy < before.policy - 0.1
    assert after.value < before.value - 0.01


@pytest.mark.parametrize("head", ["v", "y"])
def test_what_is_measured_does_not_depend_on_the_weights_of_the_loss(samples: GoSamples, head: HeadKind) -> None:
    net = random_net(net_config(head), 1)
    weighted = msgspec.structs.replace(CONFIG, squared=0.5, cross_entropy=1.0)
    assert GoTrainer(net, weighted).measure(samples) == GoTrainer(net, CONFIG).measure(samples)


def test_it_is_the_same_again_and_stops_when_told(samples: GoSamples) -> None:
    states = []
    for _ in range(2):
        net = random_net(net_config("y"), 1)
        GoTrainer(net, CONFIG).train(samples, np.random.default_rng(1), 5)
        states.append(net.state_dict())
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    seen: list[int] = []

    def stop(done: int) -> bool:
        seen.append(done)
        return done == 3

    net = random_net(net_config("y"), 1)
    assert not GoTrainer(net, CONFIG).train(samples, np.random.default_rng(1), 5, stop)
    assert seen == [1, 2, 3]


def test_the_rate_is_that_of_the_phase() -> None:
    config = GoTraining(lr=0.1, later=(LaterRate(generation=9, lr=0.001), LaterRate(generation=5, lr=0.01)))
    assert [config.lr_of(number) for number in (1, 4, 5, 8, 9, 99)] == [0.1, 0.1, 0.01, 0.01, 0.001, 0.001]


def test_a_later_phase_learns_less(samples: GoSamples) -> None:
    config = GoTraining(batch_size=64, lr=0.02, later=(LaterRate(generation=5, lr=1e-9),))
    states = []
    for generation in (4, 5):
        net = random_net(net_config("y"), 1)
        before = net.policy_dense.weight.detach().clone()
        GoTrainer(net, config, generation).train(samples, np.random.default_rng(1), 5)
        states.append(float((net.policy_dense.weight.detach() - before).abs().max()))
    assert states[0] > 1e-3
    assert states[1] < 1e-6


def test_a_random_net_says_nothing_beyond_measure(samples: GoSamples) -> None:
    config = GoNetConfig(size=3, blocks=4, filters=64)
    settled = random_net(config, 3)
    torch.manual_seed(3)
    wild = GoNet(config).eval()
    rows = np.arange(200) % len(samples)
    planes = torch.from_numpy(input_planes(samples.batch(rows, np.zeros(200, np.uint8)).planes, 18))
    with torch.no_grad():
        tame, loud = settled(planes).raw, wild(planes).raw
    assert tame is not None
    assert loud is not None
    assert float(tame.abs().max()) < 3 < float(loud.abs().max())


RESULTS = {"win": 1.0, "draw": 0.5, "loss": 0.0}


def leaf(value: float, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.tensor([value], dtype=dtype, requires_grad=True)


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-9), (torch.float32, 1e-5)])
def test_losses_and_gradients_equal_the_golden_ones(dtype: torch.dtype, tolerance: float) -> None:
    cases = json.loads(shared("golden/sai_value.json").read_text())["cases"]
    cases = [case for case in cases if case["kind"] == "loss"]
    assert len(cases) == 5
    for case in cases:
        komi = torch.tensor([-case["komi"] if case["to_move"] == "B" else case["komi"]], dtype=dtype)
        result = torch.tensor([RESULTS[case["result_for_mover"]]], dtype=dtype)
        for squared, entropy, value, gradient in (
            (1.0, 0.0, "mse_pm1", "d_mse_pm1_d"),
            (0.25, 0.0, "mse_01", None),
            (0.0, 0.5, "cross_entropy", "d_ce_d"),
        ):
            alpha, raw = leaf(case["alpha"], dtype), leaf(case["raw_beta"], dtype)
            z = log_odds(alpha, raw, komi, case["board_size"])
            assert z.sigmoid().item() == pytest.approx(case["winrate"], rel=tolerance, abs=0)
            loss = value_loss(z, result, squared=squared, cross_entropy=entropy)
            assert loss.item() == pytest.approx(case[value], rel=tolerance, abs=0), case["name"]
            if gradient:
                d_alpha, d_raw = torch.autograd.grad(loss.sum(), (alpha, raw))
                assert d_alpha.item() == pytest.approx(case[f"{gradient}_alpha"], rel=tolerance, abs=0), case["name"]
                assert d_raw.item() == pytest.approx(case[f"{gradient}_raw"], rel=tolerance, abs=0), case["name"]


@given(st.floats(-30, 30), st.sampled_from([0.0, 0.5, 1.0]))
def test_gradients_are_those_of_the_formulas(z: float, t: float) -> None:
    p, q = 1 / (1 + math.exp(-z)), 1 / (1 + math.exp(z))
    minus = (1 - t) * p - t * q
    for squared, entropy, expected in ((1.0, 0.0, 8 * minus * p * q), (0.0, 1.0, 2 * minus)):
        at = leaf(z)
        loss = value_loss(at, torch.tensor([t], dtype=torch.float64), squared=squared, cross_entropy=entropy)
        [found] = torch.autograd.grad(loss.sum(), at)
        assert found.item() == pytest.approx(expected, rel=1e-9, abs=1e-15 if t == 0.5 else 1e-300)


def test_the_squared_error_is_the_published_one_of_a_tanh_of_half_the_log_odds() -> None:
    z = torch.linspace(-8, 8, 33, dtype=torch.float64)
    for result in RESULTS.values():
        t = torch.full_like(z, result)
        assert torch.allclose(value_loss(z, t), tanh_loss((z / 2).tanh(), t), rtol=0, atol=1e-12)


def test_only_the_cross_entropy_teaches_where_the_net_is_surely_wrong() -> None:
    for cross_entropy, least, most in ((0.0, 0.0, 1e-20), (1.0, 1.9, 2.0)):
        z = leaf(60.0)
        loss = value_loss(z, torch.zeros(1, dtype=torch.float64), cross_entropy=cross_entropy)
        [found] = torch.autograd.grad(loss.sum(), z)
        assert least <= found.item() <= most


def test_extreme_outputs_give_finite_losses_and_gradients() -> None:
    z = torch.tensor([-2e4, 2e4, -2e4, 2e4], requires_grad=True)
    loss = value_loss(z, torch.tensor([1.0, 0.0, 0.0, 1.0]), cross_entropy=1.0)
    assert loss.tolist() == [40004.0, 40004.0, 0.0, 0.0]
    [found] = torch.autograd.grad(loss.sum(), z)
    assert found.tolist() == [-2.0, 2.0, 0.0, 0.0]


def test_terms_are_weighted() -> None:
    z, t = torch.tensor([0.7, -1.3]), torch.tensor([1.0, 0.5])
    squared, entropy = value_loss(z, t), value_loss(z, t, squared=0, cross_entropy=1)
    assert torch.allclose(value_loss(z, t, squared=3, cross_entropy=0.5), 3 * squared + 0.5 * entropy)


def test_half_precision_outputs_are_judged_in_full() -> None:
    alpha, raw = torch.tensor([9.125, -300.0]).bfloat16(), torch.tensor([0.5, 1.5]).bfloat16()
    komi, t = torch.tensor([-9.5, 299.5]), torch.tensor([1.0, 0.0])
    z = log_odds(alpha, raw, komi, 7)
    assert z.dtype == torch.float32
    assert torch.equal(z, log_odds(alpha.float(), raw.float(), komi, 7))
    logits = torch.randn(2, 50, generator=torch.Generator().manual_seed(1)).bfloat16()
    visits = torch.full((2, 50), 0.02)
    for found in (
        value_loss(z.bfloat16(), t, cross_entropy=1.0),
        tanh_loss(z.tanh().bfloat16(), t),
        policy_loss(logits, visits),
    ):
        assert found.dtype == torch.float32
        assert found.shape == (2,)


def test_the_policy_is_best_where_it_equals_the_visits() -> None:
    visits = torch.tensor([[0.5, 0.25, 0.25, 0.0], [0.0, 0.0, 1.0, 0.0]], dtype=torch.float64)
    logits = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.0, 0.0, 0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    found = policy_loss(logits, visits)
    logs = logits.detach().log_softmax(1)
    first = -(0.5 * logs[0, 0] + 0.25 * logs[0, 1] + 0.25 * logs[0, 2])
    assert found.tolist() == pytest.approx([first.item(), math.log(4)])
    [gradient] = torch.autograd.grad(found.sum(), logits)
    assert torch.allclose(gradient, logits.detach().softmax(1) - visits)


def test_weights_of_convolutions_and_dense_layers_are_drawn_to_zero_and_nothing_else() -> None:
    convolution, dense = nn.Conv2d(2, 3, 3, bias=False), nn.Linear(3, 4)
    net = nn.Sequential(convolution, nn.BatchNorm2d(3), nn.Flatten(), dense)
    matrices = [convolution.weight, dense.weight]
    loss = weight_loss(net, 1e-4)
    torch.autograd.backward(loss)
    assert loss.item() == pytest.approx(1e-4 / 2 * sum((matrix**2).sum().item() for matrix in matrices), rel=1e-6)
    for parameter in net.parameters():
        if any(parameter is matrix for matrix in matrices):
            assert parameter.grad is not None
            assert torch.allclose(parameter.grad, 1e-4 * parameter)
        else:
            assert parameter.grad is None
    assert weight_loss(nn.BatchNorm2d(3), 1e-4).item() == 0
