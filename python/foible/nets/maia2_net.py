"""Maia-2 (Tang et al., 2024): a residual tower whose channels are the tokens of a small transformer, which takes the
ratings of both players as inputs. This module turns a checkpoint into an ONNX graph for one pair of ratings
(maia-nets §1).

Each rating falls into one of eleven classes, and the embeddings of the two classes enter only the queries of each
block. For a fixed pair of ratings they amount to a bias.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from foible.errors import NetFileError
from foible.nets.encoding import PLANES, POLICY_SIZES
from foible.nets.evaluator import Floats
from foible.nets.lc0_net import BatchNorm, Conv, fold_conv
from foible.nets.maia_layers import MaiaLayers
from foible.nets.onnx_graph import Graph
from foible.nets.torch_checkpoint import Weights

TELLING: Final = "transformer.elo_layers.0.0.elo_query.weight"
"""The name of a tensor that no other net has: it identifies a Maia-2."""
HEADS, DEPTH = 16, 64
"""The number of attention heads and the width of each, which are the same in every Maia-2, whatever its width."""
CLASSES: Final = 11
LOWEST_CLASS, HIGHEST_CLASS, STEP = 1100, 2000, 100


def rating_class(rating: float) -> int:
    """The class of a rating: 0 below 1100, 1 from 1100 to 1199, …, 10 from 2000."""
    return int(min(max((rating - LOWEST_CLASS) // STEP + 1, 0), CLASSES - 1))


@dataclass(frozen=True, slots=True)
class Maia2Net:
    """A checkpoint of a Maia-2 and the sizes of its layers."""

    weights: Weights
    filters: int
    blocks: int
    """The number of residual blocks."""
    tokens: int
    """The number of channels at the end of the tower, each of which is a token of the transformer."""
    width: int
    encoders: int
    """The number of transformer blocks."""
    hidden: int
    """The width of the feed-forward layers."""

    def serialise(self, own: float, opponent: float) -> bytes:
        """The graph for a player and an opponent of these ratings, in bytes: `planes` `[N, 18, 8, 8]` → `policy`
        `[N, 1880]`, `wdl` `[N, 3]`.

        :raises NetFileError: a tensor is missing, damaged, or not of the size that its neighbours demand.
        """
        graph = Graph()
        layers = MaiaLayers(graph, self.weights)
        x = self._transformer(layers, self._tower(graph), self._told(own, opponent))
        x = layers.norm(layers.mean(layers.norm(x, "transformer.norm", self.width)), "last_ln", self.width)
        graph.name(layers.single(x, "fc_1", self.width, POLICY_SIZES["maia2"]), "policy")
        graph.name(self._value(layers, x), "wdl")
        outputs = {"policy": [POLICY_SIZES["maia2"]], "wdl": [3]}
        return graph.serialise("maia2", PLANES["maia2"], outputs)

    def _told(self, own: float, opponent: float) -> Floats:
        size = self.weights.shape("elo_embedding.weight", 2)[1]
        embedding = self.weights.array("elo_embedding.weight", CLASSES, size)
        return np.concatenate([embedding[rating_class(own)], embedding[rating_class(opponent)]])

    def _tower(self, graph: Graph) -> str:
        cnn = "chess_cnn"
        flow = graph.activate(self._conv(graph, "planes", f"{cnn}.conv1", f"{cnn}.bn1", PLANES["maia2"], self.filters))
        for number in range(self.blocks):
            inner, block = flow, f"{cnn}.layers.{number}"
            for part in "12":
                inner = inner if part == "1" else graph.activate(inner)
                inner = self._conv(graph, inner, f"{block}.conv{part}", f"{block}.bn{part}", self.filters, self.filters)
            flow = graph.activate(graph.node("Add", [inner, flow]))
        flow = self._conv(graph, flow, f"{cnn}.conv_last", f"{cnn}.bn_last", self.filters, self.tokens)
        return graph.reshape(flow, 0, self.tokens, 64)

    def _conv(self, graph: Graph, flow: str, conv: str, norm: str, inputs: int, outputs: int) -> str:
        names = (f"{norm}.{part}" for part in ("running_mean", "running_var", "weight", "bias"))
        means, variances, gammas, betas = (self.weights.array(name, outputs) for name in names)
        if variances.min() < 0:
            raise NetFileError(f"{norm}.running_var: negative variance {variances.min()}")
        weights = self.weights.array(f"{conv}.weight", outputs, inputs, 3, 3)
        none = np.zeros(outputs, np.float32)
        return graph.conv(flow, fold_conv(Conv(weights, none, BatchNorm(means, variances, gammas, betas))))

    def _transformer(self, layers: MaiaLayers, flow: str, told: Floats) -> str:
        graph, weights, width, inner = layers.graph, self.weights, self.width, HEADS * DEPTH
        x = layers.norm(layers.linear(flow, "to_patch_embedding.0", 64, width), "to_patch_embedding.1", width)
        x = layers.shifted(x, weights.array("pos_embedding", 1, self.tokens, width))
        for number in range(self.encoders):
            attention = f"transformer.elo_layers.{number}.0"
            z = layers.norm(x, f"{attention}.norm", width)
            bias = weights.array(f"{attention}.elo_query.weight", inner, len(told)) @ told
            parts = (slice(inner * part, inner * (part + 1)) for part in range(3))
            queries, keys, values = (
                layers.product(z, f"{attention}.to_qkv.weight", (3 * inner, width), part) for part in parts
            )
            attended = layers.attention([layers.shifted(queries, bias), keys, values], self.tokens, HEADS, DEPTH)
            x = graph.node("Add", [layers.linear(attended, f"{attention}.to_out.0", inner, width), x])
            feed_forward = f"transformer.elo_layers.{number}.1.net"
            z = layers.norm(x, f"{feed_forward}.0", width)
            output = layers.feed_forward(z, (f"{feed_forward}.1", f"{feed_forward}.4"), width, self.hidden)
            x = graph.node("Add", [output, x])
        return x

    def _value(self, layers: MaiaLayers, x: str) -> str:
        """Probabilities of win and loss, that of a draw being 0. The net gives only the expected result, a number that
        should lie from −1 to 1 but is unbounded, and is clipped here.
        """
        graph, hidden = layers.graph, self.weights.shape("fc_3_1.weight", 2)[0]
        value = graph.activate(layers.single(x, "fc_3_1", self.width, hidden))
        same = layers.narrow(value, "fc_3", hidden, [0, 0, 0])
        bounds = [graph.constant(np.array(bound, np.float32)) for bound in (-1, 1)]
        q = graph.node("Clip", [same, *bounds])
        lead = graph.node("Mul", [q, graph.constant(np.array([[0.5, 0, -0.5]], np.float32))])
        return layers.shifted(lead, np.array([[0.5, 0, 0.5]], np.float32))


def read_maia2(weights: Weights) -> Maia2Net:
    """Make a `Maia2Net` of a checkpoint, reading its sizes from the shapes of the tensors.

    :raises NetFileError: a tensor is missing, or has an unexpected shape.
    """
    rows = weights.shape("transformer.elo_layers.0.0.to_qkv.weight", 2)[0]
    if rows != 3 * HEADS * DEPTH:
        raise NetFileError(f"to_qkv has {rows} rows; a Maia-2 has {3 * HEADS * DEPTH}, for {HEADS} heads of {DEPTH}")
    return Maia2Net(
        weights,
        filters=weights.shape("chess_cnn.conv1.weight", 4)[0],
        blocks=weights.count("chess_cnn.layers.{}.conv1.weight"),
        tokens=weights.shape("chess_cnn.conv_last.weight", 4)[0],
        width=weights.shape("to_patch_embedding.0.weight", 2)[0],
        encoders=weights.count("transformer.elo_layers.{}.0.to_qkv.weight"),
        hidden=weights.shape("transformer.elo_layers.0.1.net.1.weight", 2)[0],
    )
