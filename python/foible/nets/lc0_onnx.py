"""A residual lc0 net as an ONNX graph: `planes` `[N, 112, 8, 8]` → `policy` `[N, 1858]`, `wdl` `[N, 3]`,
`moves_left` `[N]`.

Layer conventions are lc0's (`src/neural/onnx/converter.cc` and `network_legacy.cc` of that project).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

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
)
from foible.nets.policy_map import plane_index

OPSET = 18
IR_VERSION = 8
"""Old enough for every runtime of the last years."""

_LANES, _CHANNELS, _HIDDEN = 16, 32, 128
"""Widths at which the runtimes treat every position of a batch alike, bit by bit (measured)."""

_WDL_FROM_VALUE = Dense(np.array([[0.5], [0.0], [-0.5]], np.float32), np.array([0.5, 0.0, 0.5], np.float32))
"""Win (1 + v) / 2, draw 0, loss (1 − v) / 2."""


def to_onnx(net: Lc0Net) -> onnx.ModelProto:
    """The net as a graph with a free batch size: logits, probabilities and plies."""
    graph = _Graph(net.activation)
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
    outputs = [_info("policy", ["N", POLICY_SIZE]), _info("wdl", ["N", 3])]
    if net.moves_left is not None:
        graph.name(_moves_left(graph, flow, net.moves_left), "moves_left")
        outputs.append(_info("moves_left", ["N"]))
    return helper.make_model(
        helper.make_graph(
            graph.nodes, "lc0", [_info("planes", ["N", INPUT_PLANES, 8, 8])], outputs, graph.initializers
        ),
        producer_name="foible",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )


def _block(graph: "_Graph", flow: str, block: Block) -> str:
    inner = graph.conv(graph.activate(graph.conv(flow, block.conv1)), block.conv2)
    if block.se is not None:
        inner = _squeeze_excite(graph, inner, block.se)
    return graph.activate(graph.node("Add", [inner, flow]))


def _squeeze_excite(graph: "_Graph", flow: str, se: SqueezeExcite) -> str:
    pooled = graph.node("GlobalAveragePool", [flow])
    hidden = graph.activate(graph.conv(pooled, _pointwise(se.squeeze)))
    filters = len(se.excite.biases) // 2
    gates, biases = (
        graph.conv(hidden, _pointwise(Dense(se.excite.weights[part], se.excite.biases[part])))
        for part in (slice(None, filters), slice(filters, None))
    )
    gated = graph.node("Mul", [flow, graph.node("Sigmoid", [gates])])
    return graph.node("Add", [gated, biases])


def _policy(graph: "_Graph", flow: str, net: Lc0Net) -> str:
    if isinstance(net.policy, ConvolutionalPolicy):
        planes = graph.conv(graph.activate(graph.conv(flow, net.policy.hidden)), net.policy.planes)
        return graph.node("Gather", [graph.flatten(planes), graph.constant(plane_index())], axis=1)
    conv, dense = _padded_channels(net.policy.conv, net.policy.dense)
    board = graph.activate(graph.conv(flow, conv))
    return graph.flatten(graph.conv(board, _whole_board(dense), margin=0))


def _head(graph: "_Graph", flow: str, head: Head) -> str:
    conv, dense = _padded_channels(head.conv, head.hidden)
    hidden, output = _padded_hidden(dense, head.output)
    board = graph.activate(graph.conv(flow, conv))
    values = graph.activate(graph.conv(board, _whole_board(hidden), margin=0))
    return graph.dense(graph.flatten(values), output)


def _moves_left(graph: "_Graph", flow: str, head: Head) -> str:
    """The one number per position is computed in every lane of a vector register, and one is taken.

    Else the last rows of a batch would be activated by scalar code, which rounds differently.
    """
    wide = Dense(np.repeat(head.output.weights, _LANES, axis=0), np.repeat(head.output.biases, _LANES))
    plies = graph.activate(_head(graph, flow, replace(head, output=wide)))
    return graph.node("Gather", [plies, graph.constant(np.array(0, np.int64))], axis=1)


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
    extra = -len(conv.biases) % _CHANNELS
    weights = np.pad(conv.weights, ((0, extra), (0, 0), (0, 0), (0, 0)))
    idle = np.pad(dense.weights, ((0, 0), (0, 64 * extra)))
    return Conv(weights, np.pad(conv.biases, (0, extra))), Dense(idle, dense.biases)


def _padded_hidden(hidden: Dense, output: Dense) -> tuple[Dense, Dense]:
    """The same two layers with idle hidden numbers up to a multiple of 128, for the same reason."""
    extra = -len(hidden.biases) % _HIDDEN
    weights = np.pad(hidden.weights, ((0, extra), (0, 0)))
    idle = np.pad(output.weights, ((0, 0), (0, extra)))
    return Dense(weights, np.pad(hidden.biases, (0, extra))), Dense(idle, output.biases)


def _info(name: str, shape: Sequence[str | int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


class _Graph:
    """Nodes and weights of a graph that grows; each method adds one layer and returns the name of its
    output.
    """

    def __init__(self, activation: str) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self._activation = {"relu": "Relu", "mish": "Mish"}[activation]

    def node(self, kind: str, inputs: Sequence[str], **attributes: Any) -> str:
        output = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, values: NDArray[np.float32] | NDArray[np.int64]) -> str:
        name = f"weights{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def conv(self, flow: str, conv: Conv, margin: int | None = None) -> str:
        """`margin` `None`: the board keeps its size."""
        if margin is None:
            margin = conv.weights.shape[2] // 2
        weights, biases = self.constant(conv.weights), self.constant(conv.biases)
        return self.node("Conv", [flow, weights, biases], pads=[margin] * 4)

    def dense(self, flow: str, dense: Dense) -> str:
        weights, biases = self.constant(dense.weights), self.constant(dense.biases)
        return self.node("Gemm", [flow, weights, biases], transB=1)

    def activate(self, flow: str) -> str:
        return self.node(self._activation, [flow])

    def flatten(self, flow: str) -> str:
        return self.node("Flatten", [flow], axis=1)

    def name(self, flow: str, name: str) -> None:
        """Give the output of the last node its public name."""
        assert self.nodes[-1].output[0] == flow
        self.nodes[-1].output[0] = name
