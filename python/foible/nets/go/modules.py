"""Go nets as PyTorch modules, for training (SAI, §2.2, §2.3); and their conversion from and to plain arrays, or weights
files, which changes no bit of a weight.
"""

from collections.abc import Iterator, Mapping
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from foible.errors import NetFileError
from foible.nets.file_reading import naming
from foible.nets.go.leela_file import read_weights
from foible.nets.go.leela_write import write_weights
from foible.nets.go.net import BetaHead, GoNetConfig, GoWeights, ValueHead
from foible.nets.lc0_net import EPSILON, BatchNorm, Block, Conv, Dense, Floats


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
        self.blocks = nn.Sequential(*(ResidualBlock(filters) for _ in range(config.blocks)))
        self.policy = BoardPoints(filters, config.policy_filters)
        self.policy_dense = nn.Linear(config.policy_filters * config.points, config.points + 1)
        self.value = BoardPoints(filters, config.value_channels)
        board = config.value_channels * config.points
        self.value_hidden = nn.Linear(board, config.value_hidden)
        self.value_output = nn.Linear(config.value_hidden, 1)
        self.beta = BoardPoints(filters, config.value_channels) if config.head == "v" else None
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


class ResidualBlock(nn.Module):
    """A residual block: two 3×3 convolutions, the skip connection, ReLU."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.conv1 = Normed(filters, filters, 3)
        self.conv2 = Normed(filters, filters, 3)

    def forward(self, flow: Tensor) -> Tensor:
        inner: Tensor = self.conv2(self.conv1(flow).relu())
        return (inner + flow).relu()


class BoardPoints(nn.Module):
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


State = Mapping[str, Floats]
"""A module's parameters and running statistics, by name."""

_NORM: Final = ("running_mean", "running_var", "bias")


def load_go_net(path: Path) -> GoNet:
    """Read a weights file as a net that training can go on from.

    :raises NetFileError: the file cannot be used, or for the reason that `from_weights` gives.
    """
    weights = read_weights(path)
    with naming(path):
        return from_weights(weights)


def save_go_net(net: GoNet, path: Path) -> None:
    """Write a net as a weights file, `.txt.gz` or `.txt`, whole or not at all.

    :raises ConfigError: the name has another ending, or the net has weights that are not finite numbers.
    :raises OSError: the file cannot be written.
    """
    write_weights(to_weights(net), path)


def config_of(weights: GoWeights) -> GoNetConfig:
    """The configuration of the net with these weights.

    :raises NetFileError: as `from_weights`.
    """
    value, channels = weights.value, len(weights.value.conv.biases)
    hidden, conv = (None, None) if value.beta is None else (value.beta.hidden, value.beta.conv)
    if conv is not None and len(conv.biases) != channels:
        found = f"{channels} and {len(conv.biases)}"
        raise NetFileError(f"its heads for alpha and beta have {found} channels; training needs as many in both")
    return GoNetConfig(
        size=weights.size,
        blocks=len(weights.blocks),
        filters=weights.filters,
        planes=17 if weights.planes == 17 else 18,
        policy_filters=len(weights.policy.biases),
        head=value.kind,
        value_filters=channels,
        value_hidden=len(value.hidden.biases),
        beta_hidden=None if hidden is None else len(hidden.biases),
    )


def from_weights(weights: GoWeights) -> GoNet:
    """A module with a copy of these weights.

    :raises NetFileError: the two convolutions of a head of the kind `v` differ in their channels.
    """
    with torch.device("meta"):  # no weights are drawn
        net = GoNet(config_of(weights))
    state = {name: torch.from_numpy(values.copy()) for name, values in _state(weights)}
    counted = {name: torch.tensor(0) for name in net.state_dict() if name.endswith("num_batches_tracked")}
    net.load_state_dict({**counted, **state}, assign=True)
    return net


def to_weights(net: GoNet) -> GoWeights:
    """A copy of a module's weights as plain arrays."""
    state = {name: values.detach().cpu().float().numpy().copy() for name, values in net.state_dict().items()}
    blocks = (f"blocks.{number}" for number in range(net.config.blocks))
    beta = None
    if net.beta_output is not None:
        hidden = _dense(state, "beta_hidden") if net.beta_hidden is not None else None
        conv = _conv(state, "beta.conv") if net.beta is not None else None
        beta = BetaHead(_dense(state, "beta_output"), hidden, conv)
    value = _conv(state, "value.conv"), _dense(state, "value_hidden"), _dense(state, "value_output")
    return GoWeights(
        input=_conv(state, "input"),
        blocks=tuple(Block(_conv(state, f"{name}.conv1"), _conv(state, f"{name}.conv2"), None) for name in blocks),
        policy=_conv(state, "policy.conv"),
        policy_dense=_dense(state, "policy_dense"),
        value=ValueHead(*value, beta),
    )


def _conv(state: State, name: str) -> Conv:
    weights = state[f"{name}.conv.weight"]
    means, variances, shifts = (state[f"{name}.norm.{part}"] for part in _NORM)
    norm = BatchNorm(means, variances, np.ones_like(shifts), shifts)
    return Conv(weights, np.zeros_like(shifts), norm)


def _dense(state: State, name: str) -> Dense:
    return Dense(state[f"{name}.weight"], state[f"{name}.bias"])


def _state(weights: GoWeights) -> Iterator[tuple[str, Floats]]:
    yield from _conv_state("input", weights.input)
    for number, block in enumerate(weights.blocks):
        yield from _conv_state(f"blocks.{number}.conv1", block.conv1)
        yield from _conv_state(f"blocks.{number}.conv2", block.conv2)
    yield from _conv_state("policy.conv", weights.policy)
    yield from _dense_state("policy_dense", weights.policy_dense)
    value, beta = weights.value, weights.value.beta
    yield from _conv_state("value.conv", value.conv)
    yield from _dense_state("value_hidden", value.hidden)
    yield from _dense_state("value_output", value.output)
    if beta is not None:
        if beta.conv is not None:
            yield from _conv_state("beta.conv", beta.conv)
        if beta.hidden is not None:
            yield from _dense_state("beta_hidden", beta.hidden)
        yield from _dense_state("beta_output", beta.output)


def _conv_state(name: str, conv: Conv) -> Iterator[tuple[str, Floats]]:
    assert conv.norm is not None
    yield f"{name}.conv.weight", conv.weights
    for part, values in zip(_NORM, (conv.norm.means, conv.norm.variances, conv.norm.betas), strict=True):
        yield f"{name}.norm.{part}", values


def _dense_state(name: str, dense: Dense) -> Iterator[tuple[str, Floats]]:
    yield f"{name}.weight", dense.weights
    yield f"{name}.bias", dense.biases
