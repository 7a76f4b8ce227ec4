"""A Go net as an ONNX graph: `planes` `[N, 18 or 17, size, size]` → `policy` `[N, size² + 1]`, logits, the pass last;
and `alpha` and `beta`, each `[N]`, or `value` `[N]`, −1 to 1. All outputs are from the viewpoint of the side to move.

Dense layers are matrix products in these graphs: written as convolutions, as in the graphs of chess nets, they would
make small nets half as fast.
"""

from collections.abc import Mapping

import numpy as np
import onnx

from foible.nets.choices import Precision
from foible.nets.go.margin import HIGHEST_BETA, LOWEST_BETA, beta_constant
from foible.nets.go.net import BetaHead, GoWeights
from foible.nets.graph_workers import GraphModel
from foible.nets.lc0_net import Conv, fold_conv
from foible.nets.onnx_graph import Graph

_AT_LEAST: Mapping[Precision, int] = {"f32": 2, "bf16": 32}
"""The smallest batch that a Go net is given in each precision. A matrix product with a single row is rounded
differently from one with more; in bf16 that holds for up to 16 rows when the matrix is small (measured).
"""


def graph_model(weights: GoWeights, name: str) -> GraphModel:
    """A Go net as a graph that is ready for a runtime. `name`: its name in reports."""
    size = weights.size
    outputs: dict[str, tuple[int, ...]] = {"policy": (size * size + 1,), "value": ()}
    if weights.value.beta is not None:
        outputs = {"policy": (size * size + 1,), "alpha": (), "beta": ()}
    data = to_onnx(weights).SerializeToString()
    return GraphModel(name, data, (weights.planes, size, size), outputs, _AT_LEAST)


def to_onnx(weights: GoWeights) -> onnx.ModelProto:
    """The net as a graph with a free batch size, batch norm folded in."""
    graph, value = Graph(), weights.value
    flow = _activated(graph, "planes", weights.input)
    for block in weights.blocks:
        inner = graph.conv(_activated(graph, flow, block.conv1), fold_conv(block.conv2))
        flow = graph.activate(graph.node("Add", [inner, flow]))
    policy = graph.flatten(_activated(graph, flow, weights.policy))
    graph.name(graph.dense(policy, weights.policy_dense), "policy")
    outputs = {"policy": [len(weights.policy_dense.biases)]}
    board = graph.flatten(_activated(graph, flow, value.conv))
    hidden = graph.activate(graph.dense(board, value.hidden))
    judged = graph.dense(hidden, value.output)
    if value.beta is None:
        graph.name(graph.pick(graph.node("Tanh", [judged]), 0), "value")
        return _model(graph, weights, {**outputs, "value": []})
    graph.name(graph.pick(judged, 0), "alpha")
    graph.name(graph.pick(_beta(graph, flow, board, hidden, value.beta, weights.size), 0), "beta")
    return _model(graph, weights, {**outputs, "alpha": [], "beta": []})


def _activated(graph: Graph, flow: str, conv: Conv) -> str:
    return graph.activate(graph.conv(flow, fold_conv(conv)))


def _beta(graph: Graph, flow: str, board: str, hidden: str, head: BetaHead, size: int) -> str:
    """Beta, `[N, 1]`: c · exp(raw), clipped to its range (SAI, §1.2, §1.3)."""
    if head.conv is not None:
        board = graph.flatten(_activated(graph, flow, head.conv))
    if head.hidden is not None:
        hidden = graph.activate(graph.dense(board, head.hidden))
    raw = graph.dense(hidden, head.output)
    numbers = (beta_constant(size), LOWEST_BETA, HIGHEST_BETA)
    scale, lowest, highest = (graph.constant(np.array(number, np.float32)) for number in numbers)
    return graph.node("Clip", [graph.node("Mul", [graph.node("Exp", [raw]), scale]), lowest, highest])


def _model(graph: Graph, weights: GoWeights, outputs: dict[str, list[int]]) -> onnx.ModelProto:
    model = graph.model("go", weights.planes, outputs)
    board = model.graph.input[0].type.tensor_type.shape
    board.dim[2].dim_value = board.dim[3].dim_value = weights.size
    return model
