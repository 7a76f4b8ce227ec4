"""RISE nets, of bottleneck blocks with depthwise convolutions and channel attention (phase-experts §3); and their
conversion to ONNX graphs from which training can go on.
"""

from collections.abc import Mapping

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from foible.errors import ConfigError
from foible.nets.encoding import PLANES, POLICY_SIZES, Encoding, plane_index
from foible.nets.lc0_net import EPSILON, POLICY_PLANES, Floats
from foible.nets.modules.config import Rise
from foible.nets.modules.net import InputConv, Net, Outputs, PickMoves, input_scale
from foible.nets.onnx_graph import CHANNELS, Graph

CRAZYARA_POLICY_PLANES = 76


class RiseNet(Net):
    """A RISE net: stem, blocks and heads. Weights are initialised as PyTorch does by default."""

    config: Rise
    plies_unit = 100.0

    def __init__(self, config: Rise, encoding: Encoding) -> None:
        """:raises ConfigError: the configuration gives a property to a block that does not exist."""
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
    """A bottleneck block: a 1×1 convolution that widens, a depthwise convolution, and a 1×1 convolution that narrows.
    The skip connection carries the output of the channel attention, if any; no activation follows the sum.
    """

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
        """Stochastic depth (Huang et al. 2016): in training, drop the block's output for each position independently,
        and scale up the outputs that are kept.
        """
        if not self.training or self.drop == 0:
            return flow
        kept = torch.rand(len(flow), 1, 1, 1, device=flow.device) >= self.drop
        return flow * (kept / (1 - self.drop)).to(flow.dtype)


class Attention(nn.Module):
    """Channel attention: the means of the channels over the board → a 1-D convolution → hard sigmoid → a factor for
    each channel.
    """

    def __init__(self, conv: nn.Conv1d) -> None:
        super().__init__()
        self.conv = conv

    def forward(self, flow: Tensor) -> Tensor:
        n, channels = flow.shape[:2]
        means = flow.mean((2, 3))
        mixed = self.conv(means[:, None, :] if self.conv.in_channels == 1 else means[:, :, None])
        return flow * functional.hardsigmoid(mixed).view(n, channels, 1, 1)


def attention(config: Rise) -> Attention:
    """The channel attention of a block. In the `dense` kind the signal has length 1, so only the centre of the kernel
    has an effect; the rest is kept because the published nets have it.
    """
    size = config.attention_kernel
    channels = config.channels if config.attention == "dense" else 1
    return Attention(nn.Conv1d(channels, channels, size, padding=size // 2))


def rise_to_onnx(
    config: Rise, encoding: Encoding, state: Mapping[str, Floats], metadata: Mapping[str, str], plies_unit: float
) -> onnx.ModelProto:
    """A RISE net as an ONNX graph: `planes` → `policy` logits, `wdl` probabilities, `moves_left` plies `[N]`, and the
    plies again as `mlh` `[N, 1]`, the shape that lc0 expects. `state`: the weights, by their names in the module's
    `state_dict`. `plies_unit`: as in `Net`.

    Weights and running statistics keep the names that they have in the module, so that training can go on from the
    graph. The runtimes fold batch norm and all other arithmetic between constants when they load the model.
    """
    graph = _Rise(state)
    scale = graph.constant(input_scale(encoding)[None, :, None, None])
    flow = graph.node("Conv", ["planes", graph.node("Mul", [graph.state("stem.0.weight"), scale])], pads=[1] * 4)
    flow = graph.activate(graph.norm(flow, "stem.1"))
    for number in range(config.blocks):
        flow = _block(graph, flow, f"blocks.{number}", config, number)
    graph.name(_policy(graph, flow, encoding), "policy")
    board = _value_board(graph, flow, config)
    graph.name(graph.node("Softmax", [_from_board(graph, board, "wdl", config)], axis=1), "wdl")
    share = graph.node("Sigmoid", [_from_board(graph, board, "plies", config)])
    plies = graph.node("Mul", [share, graph.constant(np.array(plies_unit, np.float32))])
    graph.name(graph.pick(plies, 0), "moves_left")
    graph.name(graph.pick(plies, np.array([0])), "mlh")
    outputs = {"policy": [POLICY_SIZES[encoding]], "wdl": [3], "moves_left": [], "mlh": [1]}
    return graph.model("rise", PLANES[encoding], outputs, metadata)


class _Rise(Graph):
    """A graph whose layers are added by their names in the module; their weights are found in its `state_dict`."""

    def __init__(self, state: Mapping[str, Floats]) -> None:
        super().__init__()
        self._state = state

    def state(self, name: str) -> str:
        return self.constant(self._state[name], name)

    def named_conv(self, flow: str, name: str, groups: int = 1) -> str:
        size = self._state[f"{name}.weight"].shape[2]
        return self.node("Conv", [flow, self.state(f"{name}.weight")], pads=[size // 2] * 4, group=groups)

    def norm(self, flow: str, name: str) -> str:
        parts = [self.state(f"{name}.{part}") for part in ("weight", "bias", "running_mean", "running_var")]
        return self.node("BatchNormalization", [flow, *parts], epsilon=EPSILON)

    def pad(self, flow: str, axis: int, extra: int) -> str:
        """Append `extra` zeros along one axis of a four-dimensional tensor."""
        pads = np.zeros(8, np.int64)
        pads[4 + axis] = extra
        return self.node("Pad", [flow, self.constant(pads)]) if extra else flow


def _block(graph: _Rise, flow: str, name: str, config: Rise, number: int) -> str:
    if number in config.attended:
        flow = _attention(graph, flow, f"{name}.attention.conv", config)
    inner = graph.activate(graph.norm(graph.named_conv(flow, f"{name}.body.0"), f"{name}.body.1"))
    inner = graph.named_conv(inner, f"{name}.body.3", groups=config.inner_width(number))
    inner = graph.activate(graph.norm(inner, f"{name}.body.4"))
    return graph.node("Add", [flow, graph.norm(graph.named_conv(inner, f"{name}.body.6"), f"{name}.body.7")])


def _attention(graph: _Rise, flow: str, name: str, config: Rise) -> str:
    """Channel attention, its 1-D convolution written as a 2-D one over a board that is one file wide: `[N, C, 1, 1]`
    or, for `eca`, along the channels, `[N, 1, C, 1]`.
    """
    means = graph.node("GlobalAveragePool", [flow])
    last = graph.constant(np.array([3], np.int64))
    weights = graph.node("Unsqueeze", [graph.state(f"{name}.weight"), last])
    margin = config.attention_kernel // 2
    if config.attention == "eca":
        means = graph.node("Transpose", [means], perm=[0, 2, 1, 3])
    mixed = graph.node("Conv", [means, weights, graph.state(f"{name}.bias")], pads=[margin, 0, margin, 0])
    if config.attention == "eca":
        mixed = graph.node("Transpose", [mixed], perm=[0, 2, 1, 3])
    return graph.node("Mul", [flow, graph.node("HardSigmoid", [mixed], alpha=1 / 6, beta=0.5)])


def _policy(graph: _Rise, flow: str, encoding: Encoding) -> str:
    hidden = graph.activate(graph.norm(graph.named_conv(flow, "policy.0"), "policy.1"))
    logits = graph.flatten(graph.named_conv(hidden, "policy.3"))
    return graph.pick(logits, plane_index()) if encoding == "lc0" else logits


def _value_board(graph: _Rise, flow: str, config: Rise) -> str:
    """The board that the heads for value and plies share, with idle channels appended (see `onnx_graph`)."""
    board = graph.activate(graph.norm(graph.named_conv(flow, "value.0"), "value.1"))
    return graph.pad(board, 1, -config.value_filters % CHANNELS)


def _from_board(graph: _Rise, board: str, name: str, config: Rise) -> str:
    """A dense layer over all squares of the value board, written as a convolution of the size of the board."""
    shape = graph.constant(np.array([-1, config.value_filters, 8, 8], np.int64))
    weights = graph.node("Reshape", [graph.state(f"{name}.weight"), shape])
    weights = graph.pad(weights, 1, -config.value_filters % CHANNELS)
    return graph.flatten(graph.node("Conv", [board, weights, graph.state(f"{name}.bias")]))
