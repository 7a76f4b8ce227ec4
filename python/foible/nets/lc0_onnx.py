"""An lc0 net as an ONNX graph: `planes` `[N, 112, 8, 8]` → `policy` `[N, 1858]`, `wdl` `[N, 3]`,
`moves_left` `[N]`.

The layers follow lc0's conventions (`src/neural/onnx/converter.cc` and `network_legacy.cc` of that project).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import onnx

from foible.nets import lc0_attention_onnx
from foible.nets.encoding import InputEncoding, plane_index
from foible.nets.lc0_architecture import InnerActivation
from foible.nets.lc0_file import AttentionNet
from foible.nets.lc0_heads import AttentionPolicy
from foible.nets.lc0_net import (
    INPUT_PLANES,
    POLICY_SIZE,
    Block,
    ClassicalPolicy,
    Conv,
    ConvolutionalPolicy,
    Dense,
    Head,
    Lc0Net,
    SqueezeExcite,
    fold_conv,
    fold_head,
    fold_net,
    fold_policy,
)
from foible.nets.onnx_graph import CHANNELS, HIDDEN, LANES, Graph

INPUT_KEY: Final = "foible input"
"""The metadata key under which a model names its input encoding, if that is not lc0's classical one."""
_WDL_FROM_VALUE = Dense(np.array([[0.5], [0.0], [-0.5]], np.float32), np.array([0.5, 0.0, 0.5], np.float32))
"""The layer that turns a value v into win (1 + v) / 2, draw 0 and loss (1 − v) / 2."""


def serialise(net: Lc0Net | AttentionNet) -> bytes:
    """The net as a serialised graph with a free batch size, whose outputs are logits, probabilities and plies."""
    if isinstance(net, Lc0Net):
        return bytes(to_onnx(net).SerializeToString())
    kind = net.architecture
    graph = Graph(net.activation)
    flow, width = "planes", INPUT_PLANES
    if net.tower is not None:
        blocks = tuple(Block(fold_conv(block.conv1), fold_conv(block.conv2), block.se) for block in net.tower.blocks)
        flow, width = _tower(graph, fold_conv(net.tower.input), blocks), net.tower.filters
    squares = None
    if net.body is not None:
        squares, width = lc0_attention_onnx.body(graph, flow, net.body), net.body.width
        flow = lc0_attention_onnx.board_of(graph, squares, width)
    if isinstance(net.policy, AttentionPolicy):
        squares = squares or lc0_attention_onnx.squares_of(graph, flow, width)
        inner: tuple[InnerActivation, InnerActivation] = ("selu", "selu")
        if kind.attention:
            inner = (kind.activation, kind.ffn_activation)
        graph.name(lc0_attention_onnx.policy(graph, squares, net.policy, *inner), "policy")
    else:
        graph.name(_policy(graph, flow, fold_policy(net.policy)), "policy")
    outputs = _value(graph, flow, fold_head(net.value), wdl=kind.wdl)
    if net.moves_left is not None:
        outputs |= _moves_left(graph, flow, fold_head(net.moves_left), "Relu")
    return graph.serialise("lc0", INPUT_PLANES, outputs, metadata_of(kind.input))


def to_onnx(net: Lc0Net) -> onnx.ModelProto:
    """A residual net as a graph with a free batch size, whose outputs are logits, probabilities and plies."""
    net = fold_net(net)
    graph = Graph(net.activation)
    flow = _tower(graph, net.input, net.blocks)
    graph.name(_policy(graph, flow, net.policy), "policy")
    outputs = _value(graph, flow, net.value, wdl=net.wdl)
    if net.moves_left is not None:
        outputs |= _moves_left(graph, flow, net.moves_left, graph.default_activation)
    return graph.model("lc0", INPUT_PLANES, outputs, metadata_of(net.planes))


def metadata_of(planes: InputEncoding) -> dict[str, str]:
    """The metadata of a model that name its input encoding; empty for lc0's classical planes."""
    return {} if planes == "lc0" else {INPUT_KEY: planes}


def _tower(graph: Graph, inputs: Conv, blocks: Sequence[Block]) -> str:
    flow = graph.activate(graph.conv("planes", inputs))
    for block in blocks:
        flow = _block(graph, flow, block)
    return flow


def _value(graph: Graph, flow: str, head: Head, *, wdl: bool) -> dict[str, list[int]]:
    """Add the output `wdl`, and return the shapes of the outputs `policy` and `wdl`."""
    value = _head(graph, flow, head)
    if wdl:
        wdl_output = graph.node("Softmax", [value], axis=1)
    else:
        wdl_output = graph.dense(graph.node("Tanh", [value]), _WDL_FROM_VALUE)
    graph.name(wdl_output, "wdl")
    return {"policy": [POLICY_SIZE], "wdl": [3]}


def _block(graph: Graph, flow: str, block: Block) -> str:
    inner = graph.conv(graph.activate(graph.conv(flow, block.conv1)), block.conv2)
    if block.se is not None:
        inner = _squeeze_excite(graph, inner, block.se)
    return graph.activate(graph.node("Add", [inner, flow]))


def _squeeze_excite(graph: Graph, flow: str, se: SqueezeExcite) -> str:
    pooled = graph.node("GlobalAveragePool", [flow])
    hidden = graph.activate(graph.conv(pooled, _pointwise(se.squeeze)))
    filters = len(se.excite.biases) // 2
    gates, biases = (
        graph.conv(hidden, _pointwise(Dense(se.excite.weights[part], se.excite.biases[part])))
        for part in (slice(None, filters), slice(filters, None))
    )
    gated = graph.node("Mul", [flow, graph.node("Sigmoid", [gates])])
    return graph.node("Add", [gated, biases])


def _policy(graph: Graph, flow: str, policy: ClassicalPolicy | ConvolutionalPolicy) -> str:
    if isinstance(policy, ConvolutionalPolicy):
        planes = graph.conv(graph.activate(graph.conv(flow, policy.hidden)), policy.planes)
        return graph.pick(graph.flatten(planes), plane_index())
    conv, dense = _padded_channels(policy.conv, policy.dense)
    board = graph.activate(graph.conv(flow, conv))
    return graph.flatten(graph.conv(board, _whole_board(dense), margin=0))


def _head(graph: Graph, flow: str, head: Head) -> str:
    conv, dense = _padded_channels(head.conv, head.hidden)
    hidden, output = _padded_hidden(dense, head.output)
    board = graph.activate(graph.conv(flow, conv))
    values = graph.activate(graph.conv(board, _whole_board(hidden), margin=0))
    return graph.dense(graph.flatten(values), output)


def _moves_left(graph: Graph, flow: str, head: Head, activation: str) -> dict[str, list[int]]:
    """Add the output `moves_left`, and return its shape.

    The number is computed once for every lane of a vector register, and one copy is kept. Otherwise the runtime would
    apply the activation to the last rows of a batch in scalar code, which rounds differently.
    """
    wide = Dense(np.repeat(head.output.weights, LANES, axis=0), np.repeat(head.output.biases, LANES))
    plies = graph.node(activation, [_head(graph, flow, replace(head, output=wide))])
    graph.name(graph.pick(plies, 0), "moves_left")
    return {"moves_left": []}


def _pointwise(dense: Dense) -> Conv:
    """A dense layer over the channels of a 1×1 board, written as a convolution so that the memory layout stays."""
    return Conv(dense.weights[:, :, None, None], dense.biases)


def _whole_board(dense: Dense) -> Conv:
    """A dense layer over all squares, written as a convolution of the size of the board.

    The runtimes compute matrix products with a single row by another kernel, so the last bit of a position's outputs
    would depend on whether it is alone in its batch.
    """
    return Conv(dense.weights.reshape(len(dense.biases), -1, 8, 8), dense.biases)


def _padded_channels(conv: Conv, dense: Dense) -> tuple[Conv, Dense]:
    """The same two layers, padded with idle channels to a multiple of 32.

    With fewer channels the runtimes add in an order that depends on the batch size.
    """
    extra = -len(conv.biases) % CHANNELS
    weights = np.pad(conv.weights, ((0, extra), (0, 0), (0, 0), (0, 0)))
    idle = np.pad(dense.weights, ((0, 0), (0, 64 * extra)))
    return Conv(weights, np.pad(conv.biases, (0, extra))), Dense(idle, dense.biases)


def _padded_hidden(hidden: Dense, output: Dense) -> tuple[Dense, Dense]:
    """The same two layers, the hidden one padded with idle units to a multiple of 128, for the same reason as in
    `_padded_channels`.
    """
    extra = -len(hidden.biases) % HIDDEN
    weights = np.pad(hidden.weights, ((0, extra), (0, 0)))
    idle = np.pad(output.weights, ((0, 0), (0, extra)))
    return Dense(weights, np.pad(hidden.biases, (0, extra))), Dense(idle, output.biases)
