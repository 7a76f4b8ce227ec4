"""A residual lc0 net as an ONNX graph: `planes` `[N, 112, 8, 8]` → `policy` `[N, 1858]`, `wdl` `[N, 3]`,
`moves_left` `[N]`.

Layer conventions are lc0's (`src/neural/onnx/converter.cc` and `network_legacy.cc` of that project).
"""

from dataclasses import replace

import numpy as np
import onnx

from foible.nets.encoding import plane_index
from foible.nets.lc0_net import (
    INPUT_PLANES,
    POLICY_SIZE,
    Block,
    Conv,
    ConvolutionalPolicy,
    Dense,
    Head,
    Lc0Net,
    SqueezeExcite,
    fold_net,
)
from foible.nets.onnx_graph import CHANNELS, HIDDEN, LANES, Graph

_WDL_FROM_VALUE = Dense(np.array([[0.5], [0.0], [-0.5]], np.float32), np.array([0.5, 0.0, 0.5], np.float32))
"""Win (1 + v) / 2, draw 0, loss (1 − v) / 2."""


def to_onnx(net: Lc0Net) -> onnx.ModelProto:
    """The net as a graph with a free batch size: logits, probabilities and plies."""
    net = fold_net(net)
    graph = Graph(net.activation)
    flow = graph.activate(graph.conv("planes", net.input))
    for block in net.blocks:
        flow = _block(graph, flow, block)
    graph.name(_policy(graph, flow, net), "policy")
    value = _head(graph, flow, net.value)
    if net.wdl:
        wdl = graph.node("Softmax", [value], axis=1)
    else:
        wdl = graph.dense(graph.node("Tanh", [value]), _WDL_FROM_VALUE)
    graph.name(wdl, "wdl")
    outputs = {"policy": [POLICY_SIZE], "wdl": [3]}
    if net.moves_left is not None:
        graph.name(_moves_left(graph, flow, net.moves_left), "moves_left")
        outputs["moves_left"] = []
    return graph.model("lc0", INPUT_PLANES, outputs)


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


def _policy(graph: Graph, flow: str, net: Lc0Net) -> str:
    if isinstance(net.policy, ConvolutionalPolicy):
        planes = graph.conv(graph.activate(graph.conv(flow, net.policy.hidden)), net.policy.planes)
        return graph.pick(graph.flatten(planes), plane_index())
    conv, dense = _padded_channels(net.policy.conv, net.policy.dense)
    board = graph.activate(graph.conv(flow, conv))
    return graph.flatten(graph.conv(board, _whole_board(dense), margin=0))


def _head(graph: Graph, flow: str, head: Head) -> str:
    conv, dense = _padded_channels(head.conv, head.hidden)
    hidden, output = _padded_hidden(dense, head.output)
    board = graph.activate(graph.conv(flow, conv))
    values = graph.activate(graph.conv(board, _whole_board(hidden), margin=0))
    return graph.dense(graph.flatten(values), output)


def _moves_left(graph: Graph, flow: str, head: Head) -> str:
    """The one number per position is computed in every lane of a vector register, and one is taken.

    Else the last rows of a batch would be activated by scalar code, which rounds differently.
    """
    wide = Dense(np.repeat(head.output.weights, LANES, axis=0), np.repeat(head.output.biases, LANES))
    plies = graph.activate(_head(graph, flow, replace(head, output=wide)))
    return graph.pick(plies, 0)


def _pointwise(dense: Dense) -> Conv:
    """A dense layer over the channels of a 1×1 board as a convolution: the layout stays."""
    return Conv(dense.weights[:, :, None, None], dense.biases)


def _whole_board(dense: Dense) -> Conv:
    """A dense layer over all squares as a convolution of the size of the board.

    Matrix products take another path for a single row, and then a position's outputs would depend, in the last
    bit, on whether it came alone.
    """
    return Conv(dense.weights.reshape(len(dense.biases), -1, 8, 8), dense.biases)


def _padded_channels(conv: Conv, dense: Dense) -> tuple[Conv, Dense]:
    """The same two layers with idle channels up to a multiple of 32.

    Narrower boards are summed up in an order that depends on the size of the batch.
    """
    extra = -len(conv.biases) % CHANNELS
    weights = np.pad(conv.weights, ((0, extra), (0, 0), (0, 0), (0, 0)))
    idle = np.pad(dense.weights, ((0, 0), (0, 64 * extra)))
    return Conv(weights, np.pad(conv.biases, (0, extra))), Dense(idle, dense.biases)


def _padded_hidden(hidden: Dense, output: Dense) -> tuple[Dense, Dense]:
    """The same two layers with idle hidden numbers up to a multiple of 128, for the same reason."""
    extra = -len(hidden.biases) % HIDDEN
    weights = np.pad(hidden.weights, ((0, extra), (0, 0)))
    idle = np.pad(output.weights, ((0, 0), (0, extra)))
    return Dense(weights, np.pad(hidden.biases, (0, extra))), Dense(idle, output.biases)
