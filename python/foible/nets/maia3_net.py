"""Maia-3 ("Chessformer", 2026): a transformer over the 64 squares with a geometric attention bias, which takes the
ratings of both players as inputs. This module turns a checkpoint into an ONNX graph for one pair of ratings
(maia-nets §2).

Every square gets embeddings of both ratings in addition to its pieces. For a fixed pair of ratings they amount to a
bias of the first layer.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from foible.errors import NetFileError
from foible.nets.encoding import PIECE_PLANES, PLANES, POLICY_SIZES
from foible.nets.lc0_attention_onnx import LAST_RANK, PROMOTION_RANK, board_of, squares_of
from foible.nets.maia_layers import MaiaLayers
from foible.nets.onnx_graph import Graph
from foible.nets.torch_checkpoint import Weights

TELLING: Final = "token_projection.weight"
"""The name of a tensor that no other net has: it identifies a Maia-3."""
LOWEST, HIGHEST = 600, 2600
"""The range of ratings for which Maia-3 is meant."""
_SCALE: Final = 5000
_BIAS: Final = "gab_shared_weight"
_OLDER: Final = {"smolgen": "gab"}
"""Parts of the names of tensors in older files, and what they are called now: the geometric attention bias."""
_EPSILON: Final = float(np.finfo(np.float32).eps)
"""The ε of the RMS norms, which is added to the mean square before the root is taken."""


@dataclass(frozen=True, slots=True)
class Maia3Net:
    """A checkpoint of a Maia-3 and the sizes of its layers."""

    weights: Weights
    history: int
    """The number of boards, the current one and earlier ones, that the net sees."""
    width: int
    encoders: int
    """The number of transformer blocks."""
    heads: int
    hidden: int
    """The width of the feed-forward layers."""
    told: int
    """The length of the embedding of a rating."""
    generated: int
    """The length of the vector from which the attention bias of a head is made."""
    per_square: int
    """The length to which each square is compressed to compute the attention bias; 0 if the mean over the squares is
    used instead.
    """

    def serialise(self, own: float, opponent: float) -> bytes:
        """The graph for a player and an opponent of these ratings, in bytes: `planes` `[N, 96, 8, 8]` → `policy`
        `[N, 4352]`, `wdl` `[N, 3]`.

        :raises NetFileError: a tensor is missing, damaged, or not of the size that its neighbours demand.
        """
        graph = Graph()
        layers = MaiaLayers(graph, self.weights)
        x = self._squares(graph, own, opponent)
        shared = graph.later(lambda: self.weights.array(_BIAS, 64 * 64, self.generated).T)
        for number in range(self.encoders):
            x = self._block(layers, x, f"transformer.layers.{number}", shared)
        x = layers.norm(x, "transformer.norm", self.width)
        graph.name(self._policy(layers, x), "policy")
        graph.name(self._value(layers, x), "wdl")
        outputs = {"policy": [POLICY_SIZES["maia3"]], "wdl": [3]}
        return graph.serialise("maia3", PLANES["maia3"], outputs)

    def _squares(self, graph: Graph, own: float, opponent: float) -> str:
        """Embed the squares: `[N, 96, 8, 8]` → `[N, 64, width]`. Boards that the net does not see get weights of 0."""
        seen = PIECE_PLANES * self.history
        weights = self.weights.array(TELLING, self.width, seen + 2 * self.told)
        low, high = (self.weights.array(f"elo_embedding_{end}.weight", 1, self.told)[0] for end in ("low", "high"))
        # The names in the checkpoint are the wrong way round: `low` is the embedding of a rating of 5000.
        shares = [min(max(rating, 0), _SCALE) / _SCALE for rating in (own, opponent)]
        told = np.concatenate([share * low + (1 - share) * high for share in shares])
        biases = self.weights.array("token_projection.bias", self.width) + weights[:, seen:] @ told
        planes = np.zeros((PLANES["maia3"], self.width), np.float32)
        planes[-seen:] = weights[:, :seen].T
        pieces = squares_of(graph, "planes", PLANES["maia3"])
        product = graph.node("MatMul", [pieces, graph.constant(planes)])
        return graph.node("Add", [product, graph.constant(biases.astype(np.float32))])

    def _block(self, layers: MaiaLayers, x: str, block: str, shared: str) -> str:
        graph, width = layers.graph, self.width
        attention = f"{block}.self_attn"
        parts = (slice(width * part, width * (part + 1)) for part in range(3))
        projected = [layers.product(x, f"{attention}.mha.in_proj_weight", (3 * width, width), part) for part in parts]
        bias = self._attention_bias(layers, x, attention, shared)
        attended = layers.attention(projected, 64, self.heads, width // self.heads, bias)
        output = layers.product(attended, f"{attention}.mha.out_proj.weight", (width, width))
        x = self._root_mean_square(graph, graph.node("Add", [output, x]), f"{block}.norm1.weight")
        output = layers.feed_forward(x, (f"{block}.linear1", f"{block}.linear2"), width, self.hidden)
        return self._root_mean_square(graph, graph.node("Add", [output, x]), f"{block}.norm2.weight")

    def _root_mean_square(self, graph: Graph, x: str, name: str) -> str:
        axis = graph.constant(np.array([-1], np.int64))
        mean = graph.node("ReduceMean", [graph.node("Mul", [x, x]), axis], keepdims=1)
        epsilon = graph.constant(np.array(_EPSILON, np.float32))
        root = graph.node("Sqrt", [graph.node("Add", [mean, epsilon])])
        return graph.node("Mul", [graph.node("Div", [x, root]), graph.constant(self.weights.array(name, self.width))])

    def _attention_bias(self, layers: MaiaLayers, x: str, name: str, shared: str) -> str:
        """The geometric attention bias, `[N, heads, 64, 64]`, computed from a summary of the board."""
        graph, inner = layers.graph, self.weights.shape(f"{name}.sm2.bias", 1)[0]
        made = self.heads * self.generated
        if self.per_square:
            squares = layers.linear(x, f"{name}.sm1", self.width, self.per_square)
            hidden = self._whole_board(graph, squares, f"{name}.sm2", inner)
        else:
            hidden = layers.single(layers.mean(x), f"{name}.sm2", self.width, inner)
        hidden = layers.norm(layers.gelu(hidden), f"{name}.ln1", inner)
        summary = layers.norm(layers.gelu(layers.single(hidden, f"{name}.sm3", inner, made)), f"{name}.ln2", made)
        found = graph.node("MatMul", [graph.reshape(summary, 0, self.heads, self.generated), shared])
        return graph.reshape(found, 0, self.heads, 64, 64)

    def _whole_board(self, graph: Graph, squares: str, name: str, outputs: int) -> str:
        """A dense layer over all squares, written as a convolution of the size of the board; in the checkpoint its
        weights are ordered square by square.
        """
        weights, channels = self.weights, self.per_square
        kernel = graph.later(
            lambda: (
                weights.array(f"{name}.weight", outputs, 64 * channels)
                .reshape(outputs, 8, 8, channels)
                .transpose(0, 3, 1, 2)
            )
        )
        board = board_of(graph, squares, channels)
        return graph.flatten(
            graph.node("Conv", [board, kernel, graph.constant(weights.array(f"{name}.bias", outputs))], pads=[0] * 4)
        )

    def _policy(self, layers: MaiaLayers, x: str) -> str:
        graph = layers.graph
        size = self.weights.shape("proj_sq_from.weight", 2)[0]
        start, goal = (layers.linear(x, f"proj_sq_{end}", self.width, size, biased=False) for end in ("from", "to"))
        # Dividing one factor by √size divides all products by it.
        scaled = graph.node("Mul", [start, graph.constant(np.array(size**-0.5, np.float32))])
        logits = graph.node("MatMul", [scaled, graph.node("Transpose", [goal], perm=[0, 2, 1])])
        pieces = self.weights.array("promo_bias_proj.weight", 4, size) * np.float32(size**0.5)
        offsets = graph.node("MatMul", [graph.part(goal, LAST_RANK), graph.constant(np.ascontiguousarray(pieces.T))])
        steps = graph.part(graph.part(logits, PROMOTION_RANK), LAST_RANK, axis=2)
        promotions = graph.node("Add", [graph.reshape(steps, 0, 8, 8, 1), graph.reshape(offsets, 0, 1, 8, 4)])
        return graph.node("Concat", [graph.flatten(logits), graph.flatten(promotions)], axis=1)

    def _value(self, layers: MaiaLayers, x: str) -> str:
        """The probabilities of win, draw and loss; the net's own order is loss, draw, win."""
        graph, hidden = layers.graph, self.weights.shape("fc_value_hid.bias", 1)[0]
        mean = layers.norm(layers.mean(x), "last_ln", self.width)
        value = graph.activate(layers.single(mean, "fc_value_hid", self.width, hidden))
        return graph.node("Softmax", [layers.narrow(value, "fc_value", hidden, [2, 1, 0])], axis=1)


def read_maia3(weights: Weights) -> Maia3Net:
    """Make a `Maia3Net` of a checkpoint, reading its sizes from the shapes of the tensors.

    :raises NetFileError: a tensor is missing or has an unexpected shape, or the net sees more than the encoding shows.
    """
    weights = weights.renamed(_OLDER)
    if _BIAS not in weights:
        raise NetFileError(
            f"has no tensor {_BIAS}; expected a Maia-3 with geometric attention bias, which relpos and abspos lack"
        )
    width, columns = weights.shape(TELLING, 2)
    told = weights.shape("elo_embedding_low.weight", 2)[1]
    history, rest = divmod(columns - 2 * told, PIECE_PLANES)
    most = PLANES["maia3"] // PIECE_PLANES
    if rest or history < 1:
        raise NetFileError(f"{TELLING}: {columns} columns are no boards and two ratings; a net that sees clocks?")
    if history > most:
        raise NetFileError(f"sees {history} boards; foible shows at most {most}")
    attention = "transformer.layers.0.self_attn"
    generated = weights.shape(_BIAS, 2)[1]
    heads, rest = divmod(weights.shape(f"{attention}.sm3.weight", 2)[0], generated)
    if rest or not heads or width % heads:
        raise NetFileError(f"{attention}.sm3.weight: its rows make no whole number of heads for a width of {width}")
    compress = f"{attention}.sm1.weight"
    return Maia3Net(
        weights,
        history=history,
        width=width,
        encoders=weights.count("transformer.layers.{}.linear1.weight"),
        heads=heads,
        hidden=weights.shape("transformer.layers.0.linear1.weight", 2)[0],
        told=told,
        generated=generated,
        per_square=weights.shape(compress, 2)[0] if compress in weights else 0,
    )
