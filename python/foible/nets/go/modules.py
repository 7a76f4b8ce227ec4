"""Go nets as PyTorch modules, for training (SAI, §2.2, §2.3)."""

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn

from foible.nets.go.net import GoNetConfig
from foible.nets.lc0_net import EPSILON


class GoAnswers(NamedTuple):
    """Raw outputs for N positions, from the viewpoint of the side to move."""

    policy: Tensor
    """`[N, size² + 1]`: logits of the points, row by row from A1, and of the pass."""
    value: Tensor
    """`[N]`: alpha, in points without komi; with a head of the kind `lz`, the value before its tanh."""
    raw: Tensor | None
    """`[N]`: the logarithm of beta, which is in units of 10 / S per point on a board of S points; `None` with a head of
    the kind `lz`.
    """


class GoNet(nn.Module):
    """A Go net. Its input is planes `[N, planes, size, size]`, which `input_planes` makes from those of a batch."""

    def __init__(self, config: GoNetConfig) -> None:
        """Weights are drawn from torch's global generator."""
        super().__init__()
        self.config = config
        filters = config.filters
        self.input = Normed(config.planes, filters, 3)
        self.blocks = nn.Sequential(*(Block(filters) for _ in range(config.blocks)))
        self.policy = Board(filters, config.policy_filters)
        self.policy_dense = nn.Linear(config.policy_filters * config.points, config.points + 1)
        self.value = Board(filters, config.value_channels)
        board = config.value_channels * config.points
        self.value_hidden = nn.Linear(board, config.value_hidden)
        self.value_output = nn.Linear(config.value_hidden, 1)
        self.beta = Board(filters, config.value_channels) if config.head == "v" else None
        self.beta_hidden = nn.Linear(board, config.beta_numbers) if config.beta_numbers else None
        self.beta_output = nn.Linear(config.beta_numbers or config.value_hidden, 1) if config.head != "lz" else None
        self.apply(_draw)

    if TYPE_CHECKING:

        def __call__(self, planes: Tensor) -> GoAnswers: ...

    def forward(self, planes: Tensor) -> GoAnswers:
        flow = self.blocks(self.input(planes).relu())
        board = self.value(flow)
        hidden = self.value_hidden(board).relu()
        return GoAnswers(
            self.policy_dense(self.policy(flow)),
            self.value_output(hidden).squeeze(1),
            self._raw(flow, board, hidden),
        )

    def _raw(self, flow: Tensor, board: Tensor, hidden: Tensor) -> Tensor | None:
        if self.beta_output is None:
            return None
        if self.beta is not None:
            board = self.beta(flow)
        if self.beta_hidden is not None:
            hidden = self.beta_hidden(board).relu()
        raw: Tensor = self.beta_output(hidden).squeeze(1)
        return raw


class Shift(nn.BatchNorm2d):
    """Batch norm with a learned shift and no learned scale."""

    def __init__(self, channels: int) -> None:
        super().__init__(channels, eps=EPSILON, affine=False)
        self.bias = nn.Parameter(torch.zeros(channels))


class Normed(nn.Module):
    """A convolution without biases that keeps the size of the board, followed by batch norm."""

    def __init__(self, inputs: int, outputs: int, size: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=False)
        self.norm = Shift(outputs)

    def forward(self, flow: Tensor) -> Tensor:
        normed: Tensor = self.norm(self.conv(flow))
        return normed


class Block(nn.Module):
    """A residual block: two 3×3 convolutions, the skip connection, ReLU."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.conv1 = Normed(filters, filters, 3)
        self.conv2 = Normed(filters, filters, 3)

    def forward(self, flow: Tensor) -> Tensor:
        inner: Tensor = self.conv2(self.conv1(flow).relu())
        return (inner + flow).relu()


class Board(nn.Module):
    """A 1×1 convolution and ReLU, flattened: the points of the first channel, then those of the second, and so on."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.conv = Normed(inputs, outputs, 1)

    def forward(self, flow: Tensor) -> Tensor:
        board: Tensor = self.conv(flow).relu().flatten(1)
        return board


def _draw(module: nn.Module) -> None:
    """Initialise a layer: weights from a normal distribution with standard deviation √(2 / sum of the shape's entries),
    truncated at two standard deviations; biases 0.
    """
    if isinstance(module, nn.Conv2d | nn.Linear):
        deviation = sqrt(2 / sum(module.weight.shape))
        nn.init.trunc_normal_(module.weight, std=deviation, a=-2 * deviation, b=2 * deviation)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
