"""lc0's residual nets (post-activation, squeeze-excite with gates and biases), with the layers of its weights files."""

import torch
from torch import Tensor, nn

from foible.errors import ConfigError
from foible.nets.encoding import Encoding
from foible.nets.lc0_net import POLICY_PLANES, POLICY_SIZE
from foible.nets.modules.config import SeResNet
from foible.nets.modules.net import InputConv, Net, Outputs, PickMoves

NO_DRAW = -1e4
"""The logit of a draw for nets whose value knows no draws: it makes the probability of a draw 0."""


class SeResNetNet(Net):
    """An lc0 residual net: input convolution, blocks and heads."""

    config: SeResNet

    def __init__(self, config: SeResNet, encoding: Encoding) -> None:
        """:raises ConfigError: the encoding is not lc0's."""
        if encoding != "lc0":
            raise ConfigError(f"encoding = {encoding}: a net of the kind se-resnet takes lc0's planes")
        super().__init__(config, encoding)
        conv = InputConv(encoding, config.filters, bias=not config.batch_norm)
        self.input = Normed(conv, norm=config.batch_norm)
        self.blocks = nn.Sequential(*(Block(config) for _ in range(config.blocks)))
        self.policy: ConvolutionalPolicy | ClassicalPolicy
        self.policy = ConvolutionalPolicy(config) if config.policy == "convolution" else ClassicalPolicy(config)
        self.value = Head(config, config.value_filters, config.value_hidden, 3 if config.value == "wdl" else 1)
        self.moves_left = (
            Head(config, config.moves_left_filters, config.moves_left_hidden, 1) if config.moves_left else None
        )
        self.activation = activation(config)
        for module in self.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.xavier_normal_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)

    def forward(self, planes: Tensor) -> Outputs:
        flow = self.blocks(self.activation(self.input(planes)))
        wdl = self.value(flow)
        if wdl.shape[1] == 1:  # win (1 + tanh v) / 2, loss (1 − tanh v) / 2
            wdl = torch.cat([wdl, torch.full_like(wdl, NO_DRAW), -wdl], 1)
        plies = None if self.moves_left is None else self.activation(self.moves_left(flow)).squeeze(1)
        return Outputs(self.policy(flow), wdl, plies)


class Normed(nn.Module):
    """A convolution and its batch norm, if any."""

    def __init__(self, conv: nn.Conv2d, *, norm: bool) -> None:
        super().__init__()
        self.conv = conv
        self.norm = nn.BatchNorm2d(conv.out_channels) if norm else nn.Identity()

    def forward(self, flow: Tensor) -> Tensor:
        normed: Tensor = self.norm(self.conv(flow))
        return normed


class Block(nn.Module):
    """A residual block: two 3×3 convolutions, squeeze-excite if configured, the skip connection, activation."""

    def __init__(self, config: SeResNet) -> None:
        super().__init__()
        self.conv1 = convolution(config, config.filters, 3)
        self.conv2 = convolution(config, config.filters, 3)
        self.se = SqueezeExcite(config) if config.squeeze else None
        self.activation = activation(config)

    def forward(self, flow: Tensor) -> Tensor:
        inner: Tensor = self.conv2(self.activation(self.conv1(flow)))
        if self.se is not None:
            inner = self.se(inner)
        gated: Tensor = self.activation(inner + flow)
        return gated


class SqueezeExcite(nn.Module):
    """Squeeze-excite: means of the channels over the board → dense layer → activation → dense layer to a gate (sigmoid)
    and a bias for each channel.
    """

    def __init__(self, config: SeResNet) -> None:
        super().__init__()
        self.squeeze = nn.Linear(config.filters, config.squeeze)
        self.excite = nn.Linear(config.squeeze, 2 * config.filters)
        self.activation = activation(config)

    def forward(self, flow: Tensor) -> Tensor:
        both = self.excite(self.activation(self.squeeze(flow.mean((2, 3)))))
        gates, biases = both[:, :, None, None].chunk(2, 1)
        gated: Tensor = flow * gates.sigmoid() + biases
        return gated


class ConvolutionalPolicy(nn.Module):
    """Two 3×3 convolutions to 80 planes, from which the moves are picked."""

    def __init__(self, config: SeResNet) -> None:
        super().__init__()
        self.hidden = convolution(config, config.filters, 3)
        self.planes = Normed(nn.Conv2d(config.filters, POLICY_PLANES, 3, padding=1), norm=False)
        self.activation = activation(config)
        self.pick = PickMoves("lc0")

    def forward(self, flow: Tensor) -> Tensor:
        logits: Tensor = self.pick(self.planes(self.activation(self.hidden(flow))))
        return logits


class ClassicalPolicy(nn.Module):
    """A 1×1 convolution and a dense layer with one output per move."""

    def __init__(self, config: SeResNet) -> None:
        super().__init__()
        self.hidden = convolution(config, config.policy_filters, 1)
        self.dense = nn.Linear(64 * config.policy_filters, POLICY_SIZE)
        self.activation = activation(config)

    def forward(self, flow: Tensor) -> Tensor:
        logits: Tensor = self.dense(self.activation(self.hidden(flow)).flatten(1))
        return logits


class Head(nn.Module):
    """The head for the value or for the moves left: a 1×1 convolution and two dense layers."""

    def __init__(self, config: SeResNet, filters: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.conv = convolution(config, filters, 1)
        self.hidden = nn.Linear(64 * filters, hidden)
        self.output = nn.Linear(hidden, outputs)
        self.activation = activation(config)

    def forward(self, flow: Tensor) -> Tensor:
        board = self.activation(self.conv(flow)).flatten(1)
        answer: Tensor = self.output(self.activation(self.hidden(board)))
        return answer


def convolution(config: SeResNet, outputs: int, size: int) -> Normed:
    """A convolution on the tower's channels that keeps the size of the board, with batch norm if configured."""
    conv = nn.Conv2d(config.filters, outputs, size, padding=size // 2, bias=not config.batch_norm)
    return Normed(conv, norm=config.batch_norm)


def activation(config: SeResNet) -> nn.Module:
    """The activation that follows the convolutions and the hidden layers."""
    return nn.Mish() if config.activation == "mish" else nn.ReLU()
