"""lc0 nets with attention as ONNX graphs, with the inputs and outputs of `lc0_onnx` (lc0-nets §5 to §9).

Activations between layers are `[N, 64, width]`. Large weights are decoded when the graph is written out, one layer at a
time.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from foible.nets.encoding import PIECE_PLANES, policy_moves
from foible.nets.lc0_architecture import InnerActivation
from foible.nets.lc0_attention import AttentionBody, EncoderLayer, FeedForward, Linear, Norm, Smolgen
from foible.nets.lc0_heads import AttentionPolicy
from foible.nets.lc0_net import INPUT_PLANES, Floats
from foible.nets.onnx_graph import Graph

LOOSE, TIGHT = 1e-3, 1e-6
"""The ε of layer norms: `LOOSE` in bodies with a dense embedding and in smolgen, `TIGHT` elsewhere."""
PROMOTION_RANK, LAST_RANK = slice(48, 56), slice(56, 64)


def body(graph: Graph, flow: str, net: AttentionBody) -> str:
    """The attention body: the input planes, or the output of the tower, `[N, ·, 8, 8]` → `[N, 64, E]`."""
    dense = net.kind == "dense"
    epsilon = LOOSE if dense else TIGHT
    share = (2 * len(net.encoders)) ** -0.25
    x = graph.node(graph.default_activation, [_embedding(graph, flow, net)])
    if net.embedding_norm is not None:
        x = _norm(graph, x, net.embedding_norm, LOOSE)
    for kind, gate in (("Mul", net.multiply), ("Add", net.add)):
        if gate is not None:
            x = graph.node(kind, [x, graph.constant(np.ascontiguousarray(gate.T))])
    if net.ffn is not None and net.ffn_norm is not None:
        x = _added(graph, x, _feed_forward(graph, x, net.ffn, net.ffn_activation), share)
        x = _norm(graph, x, net.ffn_norm, LOOSE)
    logits = None if net.smolgen is None else graph.matrix(net.smolgen)
    for layer in net.encoders:
        extra = None
        if layer.smolgen is not None and logits is not None:
            extra = _smolgen(graph, x, layer.smolgen, net, logits)
        x = _encoder(graph, x, layer, net.heads, share, epsilon, net.ffn_activation, extra)
    return x


def squares_of(graph: Graph, flow: str, width: int) -> str:
    """From a board to a list of squares: `[N, width, 8, 8]` → `[N, 64, width]`."""
    return graph.node("Transpose", [graph.reshape(flow, 0, width, 64)], perm=[0, 2, 1])


def board_of(graph: Graph, flow: str, width: int) -> str:
    """From a list of squares to a board: `[N, 64, width]` → `[N, width, 8, 8]`."""
    return graph.reshape(graph.node("Transpose", [flow], perm=[0, 2, 1]), 0, width, 8, 8)


def policy(graph: Graph, flow: str, net: AttentionPolicy, embedding: InnerActivation, inner: InnerActivation) -> str:
    """The attention policy: `[N, 64, ·]` → logits `[N, 1858]`. `embedding`, `inner`: the activations of its embedding
    and of its encoders.
    """
    x = activated(graph, _linear(graph, flow, net.embedding), embedding)
    for layer in net.encoders:
        x = _encoder(graph, x, layer, net.heads, 1.0, TIGHT, inner, None)
    queries, keys = _linear(graph, x, net.queries), _linear(graph, x, net.keys)
    turned = graph.node("Transpose", [keys], perm=[0, 2, 1])
    logits = _scaled(graph, graph.node("MatMul", [queries, turned]), 1 / sqrt(len(net.queries.biases)))
    last_rank = graph.part(keys, LAST_RANK)
    # The fourth row is an offset for all three promotions; it is added to the weights of each.
    pieces = net.promotions[:3] + net.promotions[3]
    offsets = graph.node("MatMul", [last_rank, graph.constant(np.ascontiguousarray(pieces.T))])
    steps = graph.part(graph.part(logits, PROMOTION_RANK), LAST_RANK, axis=2)
    promotions = graph.node("Add", [graph.reshape(steps, 0, 8, 8, 1), graph.reshape(offsets, 0, 1, 8, 3)])
    both = graph.node("Concat", [graph.flatten(logits), graph.flatten(promotions)], axis=1)
    return graph.pick(both, _policy_index())


def activated(graph: Graph, flow: str, kind: InnerActivation) -> str:
    """Apply the activation of this name."""
    if kind == "none":
        return flow
    if kind == "swish":
        return graph.node("Mul", [flow, graph.node("Sigmoid", [flow])])
    if kind == "relu_2":
        positive = graph.node("Relu", [flow])
        return graph.node("Mul", [positive, positive])
    return graph.node(kind.capitalize(), [flow])


def _embedding(graph: Graph, flow: str, net: AttentionBody) -> str:
    if net.kind == "none":
        return _linear(graph, squares_of(graph, flow, net.embedding.weights.shape[1]), net.embedding)
    planes = squares_of(graph, flow, INPUT_PLANES)
    if net.positions is None:
        # With the embedding `map`, the extra input of a square is constant, and so is its share of the sum.
        weights = net.embedding.weights
        plain = graph.later(lambda: weights.array()[:, :INPUT_PLANES].T)
        constant = graph.later(lambda: _reach() @ weights.array()[:, INPUT_PLANES:].T + net.embedding.biases)
        return graph.node("Add", [graph.node("MatMul", [planes, plain]), constant])
    stored, biases = net.positions.weights, net.positions.biases
    pieces = graph.part(flow, slice(0, PIECE_PLANES))
    kernel = graph.later(lambda: stored.array().reshape(-1, 8, 8, PIECE_PLANES).transpose(0, 3, 1, 2))
    embedded = graph.node("Conv", [pieces, kernel, graph.constant(biases)], pads=[0] * 4)
    both = graph.node("Concat", [planes, graph.reshape(embedded, 0, 64, len(biases) // 64)], axis=2)
    return _linear(graph, both, net.embedding)


def _encoder(
    graph: Graph,
    x: str,
    layer: EncoderLayer,
    heads: int,
    share: float,
    epsilon: float,
    activation: InnerActivation,
    extra: str | None,
) -> str:
    """An encoder layer. `share`: the factor by which the output of each sublayer is multiplied before it is added.
    `extra`: attention logits from smolgen, `[N, H, 64, 64]`.
    """
    depth = len(layer.queries.biases) // heads

    def split(linear: Linear, *order: int) -> str:
        return graph.node("Transpose", [graph.reshape(_linear(graph, x, linear), 0, 64, heads, depth)], perm=order)

    queries, keys, values = (
        split(linear, *order)
        for linear, order in (
            (layer.queries, (0, 2, 1, 3)),
            (layer.keys, (0, 2, 3, 1)),
            (layer.values, (0, 2, 1, 3)),
        )
    )
    logits = _scaled(graph, graph.node("MatMul", [queries, keys]), 1 / sqrt(depth))
    if extra is not None:
        logits = graph.node("Add", [logits, extra])
    attended = graph.node("MatMul", [graph.node("Softmax", [logits], axis=3), values])
    joined = graph.reshape(graph.node("Transpose", [attended], perm=[0, 2, 1, 3]), 0, 64, heads * depth)
    x = _norm(graph, _added(graph, x, _linear(graph, joined, layer.output), share), layer.norm, epsilon)
    output = _feed_forward(graph, x, layer.ffn, activation)
    return _norm(graph, _added(graph, x, output, share), layer.ffn_norm, epsilon)


def _smolgen(graph: Graph, x: str, layer: Smolgen, net: AttentionBody, logits: str) -> str:
    """Smolgen: `[N, H, 64, 64]`, attention logits that depend on the whole board."""
    channels = layer.compress.shape[0]
    compressed = graph.node("MatMul", [x, graph.matrix(layer.compress)])
    # A layer over all squares is a convolution of the size of the board: see `lc0_onnx`.
    board = board_of(graph, compressed, channels)
    stored = layer.hidden.weights
    kernel = graph.later(lambda: stored.array().reshape(-1, 8, 8, channels).transpose(0, 3, 1, 2))
    hidden = graph.node("Conv", [board, kernel, graph.constant(layer.hidden.biases)], pads=[0] * 4)
    hidden = activated(graph, graph.flatten(hidden), net.smolgen_activation)
    hidden = _norm(graph, hidden, layer.hidden_norm, LOOSE)
    weights = layer.generated.weights
    points = graph.later(lambda: weights.array()[:, :, None, None])
    point = graph.reshape(hidden, 0, len(layer.hidden.biases), 1, 1)
    code = graph.node("Conv", [point, points, graph.constant(layer.generated.biases)])
    code = activated(graph, graph.flatten(code), net.smolgen_activation)
    code = _norm(graph, code, layer.generated_norm, LOOSE)
    generated = len(layer.generated.biases) // net.heads
    attention = graph.node("MatMul", [graph.reshape(code, 0, net.heads, generated), logits])
    return graph.reshape(attention, 0, net.heads, 64, 64)


def _feed_forward(graph: Graph, x: str, ffn: FeedForward, activation: InnerActivation) -> str:
    return _linear(graph, activated(graph, _linear(graph, x, ffn.hidden), activation), ffn.output)


def _linear(graph: Graph, flow: str, linear: Linear) -> str:
    product = graph.node("MatMul", [flow, graph.matrix(linear.weights)])
    return graph.node("Add", [product, graph.constant(linear.biases)])


def _norm(graph: Graph, flow: str, norm: Norm, epsilon: float) -> str:
    return graph.layer_norm(flow, norm.gammas, norm.betas, epsilon)


def _added(graph: Graph, x: str, found: str, share: float) -> str:
    return graph.node("Add", [x, _scaled(graph, found, share)])


def _scaled(graph: Graph, flow: str, factor: float) -> str:
    return flow if factor == 1 else graph.node("Mul", [flow, graph.constant(np.array(factor, np.float32))])


def _reach() -> Floats:
    """`[64, 64]`: 1 where a queen or a knight reaches the other square on an empty board, −1 on the diagonal."""
    reach = -np.eye(64, dtype=np.float32)
    for start, to, promotion in policy_moves():
        if not promotion:
            reach[start, to] = 1
    return reach


def _policy_index() -> NDArray[np.int64]:
    """`[1858]`: the index of each move in the concatenation of 64 × 64 pairs of squares and 8 × 8 × 3 promotions."""
    return np.array(
        [
            64 * start + to if not promotion else 4096 + 24 * (start % 8) + 3 * (to % 8) + "qrb".index(promotion)
            for start, to, promotion in policy_moves()
        ],
        np.int64,
    )
