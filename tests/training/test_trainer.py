import copy
from contextlib import suppress

import pytest
import torch
from torch import nn

from foible.nets.modules import SeResNet, build
from foible.training.config import AdamW, Sgd
from foible.training.schedule import Rates
from foible.training.trainer import (
    Average,
    Trainer,
    clip_gradients,
    decay_groups,
    make_optimiser,
    net_of_state,
    set_rates,
    step_seed,
)
from tests.training.made_up import MadeUp, net, recipe, same, trainer

LR = 0.1


def steps(config: Sgd | AdamW, gradients: list[float], momentum: float | None = None) -> list[float]:
    """A weight of 1 after each gradient."""
    net = nn.Linear(1, 1, bias=False)
    nn.init.ones_(net.weight)
    optimiser = make_optimiser(config, net)
    path = []
    for gradient in gradients:
        net.weight.grad = torch.tensor([[gradient]])
        set_rates(optimiser, config, Rates(LR, momentum))
        optimiser.step()
        path.append(net.weight.item())
    return path


@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum_is_as_in_the_textbook(nesterov: bool) -> None:
    gradients, weight, velocity, expected = [1.0, -2.0, 0.5, 0.5], 1.0, 0.0, []
    for gradient in gradients:
        decayed = gradient + 0.01 * weight
        velocity = 0.8 * velocity + decayed
        weight -= LR * (decayed + 0.8 * velocity if nesterov else velocity)
        expected.append(weight)
    config = Sgd(momentum=0.8, nesterov=nesterov, weight_decay=0.01)
    assert steps(config, gradients) == pytest.approx(expected, rel=1e-6)


def test_the_schedules_momentum_goes_before_the_optimisers() -> None:
    gradients = [1.0, -2.0, 0.5]
    assert steps(Sgd(momentum=0.9), gradients, 0.5) == steps(Sgd(momentum=0.5), gradients)
    assert steps(AdamW(beta1=0.9), gradients, 0.5) == steps(AdamW(beta1=0.5), gradients)
    assert steps(Sgd(momentum=0.9), gradients) != steps(Sgd(momentum=0.5), gradients)


def test_adamw_decays_apart_from_the_gradient() -> None:
    assert steps(AdamW(weight_decay=0.5), [0.0]) == pytest.approx([1 - LR * 0.5])


def test_decay_of_kernels_is_the_l2_term_of_attuned_nets() -> None:
    torch.manual_seed(0)
    config = Sgd(nesterov=True, weight_decay=1e-4, decayed="kernels")
    net = build(SeResNet(blocks=1, filters=4, squeeze=2))
    for parameter in net.parameters():
        nn.init.normal_(parameter)
    twin = copy.deepcopy(net)
    planes = torch.rand(4, 112, 8, 8)
    for one, penalty in ((net, 0.0), (twin, 0.5e-4)):
        optimiser = make_optimiser(config if not penalty else Sgd(weight_decay=0.0), one)
        outputs = one(planes)
        loss = outputs.policy.square().mean() + outputs.wdl.square().mean()
        outputs_biases = (one.get_parameter("policy.planes.conv.bias"), one.get_parameter("value.output.bias"))
        kernels = [parameter for parameter in one.parameters() if parameter.dim() > 1]
        loss = loss + penalty * sum(parameter.square().sum() for parameter in (*kernels, *outputs_biases))
        torch.autograd.backward(loss)
        set_rates(optimiser, config, Rates(LR))
        optimiser.step()
    for (name, a), b in zip(net.named_parameters(), twin.parameters(), strict=True):
        assert torch.allclose(a, b, rtol=1e-5, atol=1e-6), name


def test_by_default_everything_decays_batch_norm_and_biases_too() -> None:
    net = build(SeResNet(blocks=1, filters=4, squeeze=2))
    (group,) = decay_groups(Sgd(), net)
    assert len(group["params"]) == len(list(net.parameters()))  # type: ignore[arg-type]


def test_long_gradients_are_shortened_and_short_ones_left_alone() -> None:
    net = nn.Linear(2, 1, bias=False)
    net.weight.grad = torch.tensor([[3.0, 4.0]])
    assert clip_gradients(net, 10.0).item() == pytest.approx(5)
    assert net.weight.grad.tolist() == [[3, 4]]
    clip_gradients(net, 1.0)
    assert net.weight.grad.tolist() == [pytest.approx([0.6, 0.8], rel=1e-5)]


def test_the_average_is_the_textbooks_with_a_short_memory_at_first() -> None:
    net = nn.Linear(1, 1, bias=False)
    nn.init.constant_(net.weight, 7.0)
    average, kept = Average(net, 0.5), 7.0
    for step in range(1, 13):
        nn.init.constant_(net.weight, float(step))
        average.update()
        decay = min(0.5, (1 + step) / (10 + step))
        kept = decay * kept + (1 - decay) * step
    with average.in_place():
        assert net.weight.item() == pytest.approx(kept, rel=1e-6)
    assert net.weight.item() == 12


def test_batch_norm_statistics_are_averaged_and_counters_are_not() -> None:
    net = nn.BatchNorm2d(2)
    average = Average(net, 0.9)
    for _ in range(5):
        net(torch.randn(4, 2, 3, 3) + 5)
        average.update()
    own = net.running_mean
    assert own is not None
    mean, counted = own.clone(), net.num_batches_tracked
    with average.in_place():
        assert not torch.equal(own, mean)
        assert own.sum() > 0
        assert counted == 5
    assert torch.equal(own, mean)


def test_the_nets_own_weights_return_after_an_error() -> None:
    net = nn.Linear(1, 1)
    average, before = Average(net, 0.9), net.weight.item()
    nn.init.constant_(net.weight, 3.0)
    with suppress(KeyboardInterrupt), average.in_place():
        assert net.weight.item() == pytest.approx(before)
        raise KeyboardInterrupt
    assert net.weight.item() == 3


def test_an_average_goes_on_where_it_was() -> None:
    torch.manual_seed(0)
    net = nn.Linear(2, 2)
    one = Average(net, 0.9)
    for _ in range(3):
        nn.init.normal_(net.weight)
        one.update()
    other = Average(net, 0.9)
    other.restore(one.state())
    nn.init.normal_(net.weight)
    one.update()
    other.update()
    one.write()
    found = net.weight.clone()
    other.write()
    assert torch.equal(net.weight, found)


STILL = Rates(0.0)


def gradients(one: Trainer, number: int) -> list[torch.Tensor]:
    one.step(MadeUp(1).batch(0), number, STILL)
    return [parameter.grad.clone() for parameter in one.net.parameters() if parameter.grad is not None]


def test_what_is_random_in_a_step_depends_on_its_number_and_the_seed_alone() -> None:
    torch.set_num_threads(1)
    found = {}
    for seed, number in ((1, 0), (1, 1), (2, 0)):
        one = Trainer(net(), recipe(seed=seed), torch.device("cpu"))
        found[seed, number] = gradients(one, number)
        torch.rand(number + 1)
        again = Trainer(net(), recipe(seed=seed), torch.device("cpu"))
        assert all(torch.equal(a, b) for a, b in zip(found[seed, number], gradients(again, number), strict=True))
    for other in ((1, 1), (2, 0)):
        assert any(not torch.equal(a, b) for a, b in zip(found[1, 0], found[other], strict=True)), other


def test_seeds_of_steps_differ_in_the_bits_that_torch_uses() -> None:
    seeds = {
        step_seed(seed, step, rank) & 0xFFFFFFFF for seed in (0, 1, 2**40) for step in range(50) for rank in range(2)
    }
    assert len(seeds) == 300


def test_long_gradients_are_shortened_where_that_is_asked_for() -> None:
    def norm(clip: float | None) -> float:
        asked = recipe()
        one = trainer(recipe(optimiser=type(asked.optimiser)(clip_norm=clip)))
        return float(torch.cat([gradient.flatten() for gradient in gradients(one, 0)]).norm())

    assert norm(None) > 0.2
    assert abs(norm(0.1) - 0.1) < 1e-4


def test_bf16_steps_resemble_those_in_f32() -> None:
    full, half = (trainer(recipe(precision=precision)) for precision in ("f32", "bf16"))
    pairs = [(a.flatten(), b.flatten()) for a, b in zip(gradients(full, 0), gradients(half, 0), strict=True)]
    a, b = (torch.cat(one) for one in zip(*pairs, strict=True))
    assert torch.cosine_similarity(a, b, dim=0) > 0.98
    assert not torch.equal(a, b)
    assert {parameter.dtype for parameter in half.net.parameters()} == {torch.float32}


def test_a_state_is_worth_a_net_with_the_averaged_weights() -> None:
    one = trainer(recipe(ema=0.9))
    for number in range(3):
        one.step(MadeUp(1).batch(number), number, Rates(0.05))
    found = net_of_state(one.state())
    assert found.config == one.net.config
    assert not same(found.state_dict(), one.net.state_dict())
    assert one.average is not None
    with one.average.in_place():
        assert same(found.state_dict(), one.net.state_dict())
