from collections.abc import Mapping

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from foible.errors import ConfigError
from foible.nets.encoding import PLANES, Encoding, plane_index
from foible.nets.modules import Rise, build
from foible.nets.modules.net import Outputs, input_scale
from foible.nets.modules.rise import Block, RiseNet
from tests.nets.modules.nets import ECA_RISE, SMALL_RISE, random_net

BLOCKS = [118112, 134912, 151712, 168512, 185312, 202112, 218912, 190944, 252512, 269312, 286112, 225568, 225568]
BLOCKS += [242880, 353312]


def numbers(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def test_the_paper_s_net_has_the_paper_s_numbers_of_parameters() -> None:
    net = build(Rise(), "crazyara")
    assert isinstance(net, RiseNet)
    blocks = [block for block in net.blocks if isinstance(block, Block)]
    assert numbers(net.stem) == 120_320
    assert [numbers(block.body) for block in blocks] == BLOCKS
    assert sum(numbers(block.attention) for block in blocks if block.attention) == 1_639_680
    assert numbers(net.policy) == 765_440
    assert numbers(net.value) + numbers(net.wdl) + numbers(net.plies) == 4116
    assert numbers(net) == 5_755_348
    assert sum(module.num_features for module in net.modules() if isinstance(module, nn.BatchNorm2d)) == 16_520


def test_with_eca_each_attention_has_six_parameters() -> None:
    assert numbers(build(Rise(attention="eca"), "crazyara")) == 4_115_698


@pytest.mark.parametrize("encoding", ["lc0", "crazyara"])
@pytest.mark.parametrize("config", [SMALL_RISE, ECA_RISE], ids=["dense", "eca"])
def test_it_computes_what_the_specification_says(config: Rise, encoding: Encoding) -> None:
    net = random_net(config, encoding)
    planes = torch.randn(3, PLANES[encoding], 8, 8)
    with torch.no_grad():
        found, expected = net(planes), by_specification(net.state_dict(), config, encoding, planes)
    assert found.policy.std() > 0.01
    for one, other in zip(found, expected, strict=True):
        assert one is not None
        assert other is not None
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def by_specification(state: Mapping[str, Tensor], config: Rise, encoding: Encoding, planes: Tensor) -> Outputs:
    """phase-experts §3, layer by layer."""

    def conv(x: Tensor, name: str, groups: int = 1) -> Tensor:
        weight = state[f"{name}.weight"]
        return functional.conv2d(x, weight, padding=weight.shape[2] // 2, groups=groups)

    def norm(x: Tensor, name: str) -> Tensor:
        mean, variance, gamma, beta = (
            state[f"{name}.{part}"][:, None, None] for part in ("running_mean", "running_var", "weight", "bias")
        )
        return (x - mean) / (variance + 1e-5).sqrt() * gamma + beta

    x = norm(conv(planes * torch.from_numpy(input_scale(encoding))[:, None, None], "stem.0"), "stem.1").relu()
    for i in range(config.blocks):
        if i in config.attended:
            means = x.mean((2, 3))
            weight, bias = state[f"blocks.{i}.attention.conv.weight"], state[f"blocks.{i}.attention.conv.bias"]
            taps = weight.shape[2]
            if config.attention == "dense":
                mixed = means @ weight[:, :, taps // 2].T + bias
            else:
                padded = functional.pad(means, (taps // 2, taps // 2))
                mixed = sum((padded[:, t : t + means.shape[1]] * weight[0, 0, t] for t in range(taps)), bias)
            x = x * (functional.relu6(mixed + 3) / 6)[:, :, None, None]
        body = f"blocks.{i}.body"
        inner = norm(conv(x, f"{body}.0"), f"{body}.1").relu()
        inner = norm(conv(inner, f"{body}.3", groups=inner.shape[1]), f"{body}.4").relu()
        x = x + norm(conv(inner, f"{body}.6"), f"{body}.7")
    policy = conv(norm(conv(x, "policy.0"), "policy.1").relu(), "policy.3").flatten(1)
    value = norm(conv(x, "value.0"), "value.1").relu().flatten(1)
    wdl = value @ state["wdl.weight"].T + state["wdl.bias"]
    plies = value @ state["plies.weight"].T + state["plies.bias"]
    picked = policy[:, torch.from_numpy(plane_index())] if encoding == "lc0" else policy
    return Outputs(picked, wdl, torch.sigmoid(plies)[:, 0])


def test_the_eca_kernel_of_256_channels_has_five_taps() -> None:
    assert Rise().attention_kernel == 5
    assert Rise(channels=64).attention_kernel == 3


def test_stochastic_depth_drops_later_blocks_more_often_and_keeps_the_mean() -> None:
    config = Rise(blocks=3, channels=8, inner=8, large_kernels=(), attended=(), stochastic_depth=0.6)
    net = random_net(config).train()
    assert isinstance(net, RiseNet)
    ones = torch.ones(20_000, 1, 1, 1)
    for block, rate in zip(net.blocks, (0, 0.3, 0.6), strict=True):
        assert isinstance(block, Block)
        kept = block._drop_path(ones)
        assert (kept == 0).float().mean().item() == pytest.approx(rate, abs=0.02)
        assert kept.mean().item() == pytest.approx(1, abs=0.04)
        assert torch.equal(block.eval()._drop_path(ones), ones)


def test_a_block_that_does_not_exist_is_named() -> None:
    with pytest.raises(ConfigError, match="attended: there is no block 8, expected 0 to 4"):
        build(Rise(blocks=5, large_kernels=(), attended=(2, 8)))
