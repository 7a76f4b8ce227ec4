from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from foible.errors import ConfigError, NetFileError
from foible.nets.choices import GraphRuntime
from foible.nets.go.graph import graph_model
from foible.nets.go.modules import GoNet, config_of, from_weights, load_go_net, save_go_net, to_weights
from foible.nets.go.net import GoNetConfig, HeadKind, ValueHead
from foible.nets.runtimes import GraphRunner
from tests.nets.go.arrays import arrays_of, weights_of
from tests.nets.go.naive import Recipe, lines_of, outputs_of, text_of
from tests.nets.go.test_graph import random_planes

HEADS: list[HeadKind] = ["lz", "v", "y", "t"]


def count(net: GoNet, *parts: str) -> int:
    """Numbers in convolutions and dense layers, without batch norm; of all parts when none is named."""
    named = [(name, values.numel()) for name, values in net.named_parameters() if ".norm." not in name]
    return sum(number for name, number in named if not parts or name.startswith(parts))


def random_net(config: GoNetConfig, seed: int = 0) -> GoNet:
    """A net in which nothing is 0 or 1 as it is at first, in evaluation mode."""
    torch.manual_seed(seed)
    net = GoNet(config).eval()
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            for values, low, high in (
                (module.running_mean, -0.5, 0.5),
                (module.running_var, 0.5, 4),
                (module.bias, -1, 1),
            ):
                assert values is not None
                nn.init.uniform_(values, low, high)
        elif isinstance(module, nn.Linear):
            nn.init.uniform_(module.bias, -0.5, 0.5)
    return net


@pytest.mark.parametrize(
    ("head", "filters", "value", "total"),
    [
        ("lz", None, 13_185, 923_863),
        ("lz", 2, 128 * 2 + 98 * 256 + 256 + 257, None),
        ("v", None, 26_370, 937_048),
        ("y", None, 38_658, 949_336),
        ("t", None, 26_114, 936_792),
    ],
)
def test_nets_have_as_many_weights_as_the_papers(
    head: HeadKind, filters: int | None, value: int, total: int | None
) -> None:
    net = GoNet(GoNetConfig(head=head, value_filters=filters))
    assert count(net, "input", "blocks") == 905_472
    assert count(net, "policy") == 5_206
    assert count(net, "value", "beta") == value
    assert total is None or count(net) == total


def test_weights_are_drawn_from_a_cut_normal_distribution_and_biases_are_0() -> None:
    torch.manual_seed(1)
    net = GoNet(GoNetConfig(filters=64))
    for name, values in net.named_parameters():
        if name.endswith("bias"):
            assert (values == 0).all(), name
        else:
            deviation = (2 / sum(values.shape)) ** 0.5
            assert values.abs().max() <= 2 * deviation
            if values.numel() > 5000:  # of a normal distribution cut at two deviations: 0.88 of its own
                assert values.std().item() == pytest.approx(0.88 * deviation, rel=0.03)


def test_batch_norm_learns_a_shift_and_no_scale() -> None:
    net = GoNet(GoNetConfig(size=5, blocks=1, filters=4))
    assert not [name for name, _ in net.named_parameters() if name.endswith("norm.weight")]
    answers = net(torch.from_numpy(random_planes(8, Recipe(size=5))))
    assert answers.raw is not None
    loss = answers.policy.square().mean() + answers.value.square().mean() + answers.raw.square().mean()
    torch.autograd.backward(loss)
    for name, values in net.named_parameters():
        assert values.grad is not None, name
        assert values.grad.abs().sum() > 0, name
    flow = net.input(torch.from_numpy(random_planes(8, Recipe(size=5))))
    np.testing.assert_allclose(flow.var((0, 2, 3), unbiased=False).detach(), 1, atol=1e-3)


@pytest.mark.parametrize("planes", [17, 18])
@pytest.mark.parametrize("head", HEADS)
def test_a_module_computes_what_its_file_does_in_every_runtime(head: HeadKind, planes: int, tmp_path: Path) -> None:
    net = random_net(
        GoNetConfig(size=7, blocks=2, filters=12, head=head, planes=17 if planes == 17 else 18, value_hidden=20)
    )
    positions = random_planes(11, Recipe(size=7, planes=planes))
    with torch.no_grad():
        policy, value, raw = net(torch.from_numpy(positions))
    save_go_net(net, tmp_path / "net.txt.gz")
    model = graph_model(to_weights(load_go_net(tmp_path / "net.txt.gz")), "net")
    runtimes: list[GraphRuntime] = ["openvino", "onnxruntime"]
    for runtime in runtimes:
        found = GraphRunner(model, runtime, "f32", 1).compute(positions)
        np.testing.assert_allclose(found["policy"], policy, atol=1e-5)
        if raw is None:
            np.testing.assert_allclose(found["value"], value.tanh(), atol=1e-5)
        else:
            np.testing.assert_allclose(found["alpha"], value, atol=1e-5)
            np.testing.assert_allclose(found["beta"], (10 / 49 * raw.exp()).clamp(1e-3, 50), rtol=1e-5)


@pytest.mark.parametrize("head", HEADS)
def test_a_module_computes_what_the_format_says(head: HeadKind) -> None:
    recipe = Recipe(head=head, own_channels=2)
    lines = lines_of(recipe)
    positions = random_planes(6, recipe)
    expected = outputs_of(recipe, lines, positions)
    with torch.no_grad():
        policy, value, raw = from_weights(weights_of(text_of(lines))).eval()(torch.from_numpy(positions))
    np.testing.assert_allclose(policy, expected["policy"], atol=1e-5)
    np.testing.assert_allclose(value, expected["value" if raw is None else "alpha"], atol=1e-5)
    if raw is not None:
        np.testing.assert_allclose(raw, expected["raw"], atol=1e-5)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("suffix", [".txt", ".txt.gz"])
def test_a_module_comes_back_from_its_file_bit_by_bit(head: HeadKind, suffix: str, tmp_path: Path) -> None:
    config = GoNetConfig(size=6, blocks=1, filters=8, head=head, policy_filters=3, value_hidden=10)
    net = random_net(config)
    path = tmp_path / f"net{suffix}"
    save_go_net(net, path)
    before = torch.random.get_rng_state()
    back = load_go_net(path)
    assert torch.equal(before, torch.random.get_rng_state())
    assert arrays_of(to_weights(back)) == arrays_of(to_weights(net))
    assert back.training
    assert all(values.requires_grad for values in back.parameters())
    again = back.config
    assert (again.value_channels, again.beta_numbers) == (config.value_channels, config.beta_numbers)
    assert (again.size, again.head, again.policy_filters) == (6, head, 3)


def test_weights_and_module_share_no_memory() -> None:
    net = random_net(GoNetConfig(size=3, blocks=0, filters=2))
    weights = to_weights(net)
    before = arrays_of(weights)
    other = from_weights(weights)
    with torch.no_grad():
        for values in (*net.parameters(), *other.parameters(), *net.buffers(), *other.buffers()):
            values.add_(1)
    assert arrays_of(weights) == before


def test_what_cannot_be_trained_or_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "uneven.txt").write_bytes(text_of(lines_of(Recipe(head="v", channels=2, own_channels=4))))
    with pytest.raises(NetFileError, match=r"uneven.txt: its heads for alpha and beta have 2 and 4 channels; training"):
        load_go_net(tmp_path / "uneven.txt")
    net = random_net(GoNetConfig(size=3, blocks=0, filters=2))
    with torch.no_grad():
        net.policy_dense.bias[0] = float("inf")
    with pytest.raises(
        ConfigError, match=r"net.txt: the net has weights that are not finite numbers; it is not written"
    ):
        save_go_net(net, tmp_path / "net.txt")


def test_the_kind_of_a_head_is_told_by_its_parts() -> None:
    for head in HEADS:
        weights = to_weights(GoNet(GoNetConfig(size=2, blocks=0, filters=2, head=head)))
        assert isinstance(weights.value, ValueHead)
        assert weights.value.kind == config_of(weights).head == head
