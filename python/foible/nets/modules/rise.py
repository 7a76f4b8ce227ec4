"""RISE: bottleneck blocks with depthwise convolutions and channel attention (phase-experts §3)."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from foible.errors import ConfigError
from foible.nets.encoding import Encoding
from foible.nets.lc0_net import POLICY_PLANES
from foible.nets.modules.config import Rise
from foible.nets.modules.net import InputConv, Net, Outputs, PickMoves

CRAZYARA_POLICY_PLANES = 76


class RiseNet(Net):
    """Stem, blocks, heads. Weights begin as PyTorch draws them."""

    config: Rise
    plies_unit = 100.0

    def __init__(self, config: Rise, encoding: Encoding) -> None:
        """:raises ConfigError: a block is named that does not exist."""
        for name, numbers in (("large_kernels", config.large_kernels), ("attended", config.attended)):
            for number in numbers:
                if number >= config.blocks:
                    raise ConfigError(f"{name}: there is no block {number}, expected 0 to {config.blocks - 1}")
        super().__init__(config, encoding)
        channels = config.channels
        rates = np.linspace(0, config.stochastic_depth, config.blocks).tolist()
        planes = POLICY_PLANES if encoding == "lc0" else CRAZYARA_POLICY_PLANES
        self.stem = nn.Sequential(InputConv(encoding, channels, bias=False), nn.BatchNorm2d(channels), nn.ReLU())
        self.blocks = nn.Sequential(*(Block(config, number, rate) for number, rate in enumerate(rates)))
        self.policy = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, planes, 3, padding=1, bias=False),
            PickMoves(encoding),
        )
        self.value = nn.Sequential(
            nn.Conv2d(channels, config.value_filters, 1, bias=False),
            nn.BatchNorm2d(config.value_filters),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.wdl = nn.Linear(64 * config.value_filters, 3)
        self.plies = nn.Linear(64 * config.value_filters, 1)

    def forward(self, planes: Tensor) -> Outputs:
        flow = self.blocks(self.stem(planes))
        value = self.value(flow)
        return Outputs(self.policy(flow), self.wdl(value), self.plies(value).sigmoid().squeeze(1))


class Block(nn.Module):
    """Widen, look around in each channel, narrow; the shortcut carries the attended channels, without activation."""

    def __init__(self, config: Rise, number: int, drop: float) -> None:
        super().__init__()
        channels, inner = config.channels, config.inner_width(number)
        size = 5 if number in config.large_kernels else 3
        self.attention = attention(config) if number in config.attended else None
        self.body = nn.Sequential(
            nn.Conv2d(channels, inner, 1, bias=False),
            nn.BatchNorm2d(inner),
            nn.ReLU(),
            nn.Conv2d(inner, inner, size, padding=size // 2, groups=inner, bias=False),
            nn.BatchNorm2d(inner),
            nn.ReLU(),
            nn.Conv2d(inner, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )
        self.drop = drop

    def forward(self, flow: Tensor) -> Tensor:
        if self.attention is not None:
            flow = self.attention(flow)
        return flow + self._drop_path(self.body(flow))

    def _drop_path(self, flow: Tensor) -> Tensor:
        """Stochastic depth (Huang et al. 2016), for each position by itself; what stays is scaled up."""
        if not self.training or self.drop == 0:
            return flow
        kept = torch.rand(len(flow), 1, 1, 1, device=flow.device) >= self.drop
        return flow * (kept / (1 - self.drop)).to(flow.dtype)


class Attention(nn.Module):
    """Board means → a 1-D convolution → hard sigmoid → gates of the channels."""

    def __init__(self, conv: nn.Conv1d) -> None:
        super().__init__()
        self.conv = conv

    def forward(self, flow: Tensor) -> Tensor:
        n, channels = flow.shape[:2]
        means = flow.mean((2, 3))
        mixed = self.conv(means[:, None, :] if self.conv.in_channels == 1 else means[:, :, None])
        return flow * functional.hardsigmoid(mixed).view(n, channels, 1, 1)


def attention(config: Rise) -> Attention:
    """`dense`: over a signal of length 1 only the centre of the kernel counts; the rest is there as in the paper's."""
    size = config.attention_kernel
    channels = config.channels if config.attention == "dense" else 1
    return Attention(nn.Conv1d(channels, channels, size, padding=size // 2))
