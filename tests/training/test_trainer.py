import torch

from foible.training.schedule import Rates
from foible.training.trainer import Trainer, net_of_state, step_seed
from tests.training.made_up import MadeUp, net, recipe, same, trainer

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
