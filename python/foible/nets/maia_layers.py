"""Layers that Maia-2 and Maia-3 share, from the tensors of a checkpoint into an ONNX graph.

Between squares or tokens flow `[N, T, width]`; large weights are read when the graph is written out. PyTorch's
conventions: dense weights lie as `[out, in]`, ε of a layer norm is 1e-5, GELU is the exact one.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from foible.nets.evaluator import Floats
from foible.nets.onnx_graph import LANES, Graph
from foible.nets.torch_checkpoint import Weights

_EPSILON = 1e-5


class MaiaLayers:
    """Each method adds one layer and returns the name of its output.

    :raises NetFileError: (every method) a tensor is missing, not finite, or not of the size given.
    """

    def __init__(self, graph: Graph, weights: Weights) -> None:
        self.graph = graph
        self._weights = weights

    def linear(self, flow: str, name: str, inputs: int, outputs: int, *, biased: bool = True) -> str:
        """A dense layer on each token."""
        found = self.product(flow, f"{name}.weight", (outputs, inputs))
        return self.shifted(found, self._weights.array(f"{name}.bias", outputs)) if biased else found

    def product(self, flow: str, name: str, shape: tuple[int, int], part: slice = slice(None)) -> str:
        """Some rows of a dense layer's weights, alone."""
        weights = self._weights
        return self.graph.node("MatMul", [flow, self.graph.later(lambda: weights.array(name, *shape)[part].T)])

    def shifted(self, flow: str, biases: Floats) -> str:
        """With something added that is the same for all positions."""
        return self.graph.node("Add", [flow, self.graph.constant(biases)])

    def norm(self, flow: str, name: str, width: int) -> str:
        """A layer norm."""
        gammas, betas = (self._weights.array(f"{name}.{part}", width) for part in ("weight", "bias"))
        return self.graph.layer_norm(flow, gammas, betas, _EPSILON)

    def gelu(self, flow: str) -> str:
        """Each number times the share of the normal distribution below it."""
        graph = self.graph
        scaled = graph.node("Mul", [flow, self._number(sqrt(0.5))])
        share = graph.node("Add", [graph.node("Erf", [scaled]), self._number(1)])
        return graph.node("Mul", [graph.node("Mul", [flow, share]), self._number(0.5)])

    def feed_forward(self, flow: str, names: tuple[str, str], width: int, hidden: int) -> str:
        """Two dense layers with GELU between."""
        inner = self.gelu(self.linear(flow, names[0], width, hidden))
        return self.linear(inner, names[1], hidden, width)

    def attention(self, projected: Sequence[str], tokens: int, heads: int, depth: int, extra: str | None = None) -> str:
        """Queries, keys and values `[N, T, heads · depth]` to what each token has seen. `extra`: added to the logits,
        `[N, heads, T, T]`.
        """
        graph = self.graph
        queries, keys, values = (
            graph.node("Transpose", [graph.reshape(flow, 0, tokens, heads, depth)], perm=order)
            for flow, order in zip(projected, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
        )
        logits = graph.node("Mul", [graph.node("MatMul", [queries, keys]), self._number(depth**-0.5)])
        if extra is not None:
            logits = graph.node("Add", [logits, extra])
        seen = graph.node("MatMul", [graph.node("Softmax", [logits], axis=3), values])
        return graph.reshape(graph.node("Transpose", [seen], perm=[0, 2, 1, 3]), 0, tokens, heads * depth)

    def mean(self, flow: str) -> str:
        """Over the tokens: `[N, width]`. ONNX Runtime's ReduceMean would sum a single position up in another order."""
        turned = self.graph.node("Transpose", [flow], perm=[0, 2, 1])
        return self.graph.flatten(self.graph.node("GlobalAveragePool", [turned]))

    def single(self, flow: str, name: str, inputs: int, outputs: int) -> str:
        """A dense layer on one vector of each position, `[N, inputs]`, as a convolution: see `onnx_graph`."""
        weights = self._weights
        point = self.graph.reshape(flow, 0, inputs, 1, 1)
        kernel = self.graph.later(lambda: weights.array(f"{name}.weight", outputs, inputs)[:, :, None, None])
        biases = self.graph.constant(weights.array(f"{name}.bias", outputs))
        return self.graph.flatten(self.graph.node("Conv", [point, kernel, biases]))

    def narrow(self, flow: str, name: str, inputs: int, rows: Sequence[int]) -> str:
        """Some outputs of a dense layer that has few, `[N, len(rows)]`, computed in whole vector registers."""
        outputs = self._weights.shape(f"{name}.bias", 1)[0]
        weights = self._weights.array(f"{name}.weight", outputs, inputs)
        biases = self._weights.array(f"{name}.bias", outputs)
        wanted = np.resize(np.array(rows), LANES)
        point = self.graph.reshape(flow, 0, inputs, 1, 1)
        scales = [self.graph.constant(weights[wanted][:, :, None, None]), self.graph.constant(biases[wanted])]
        found = self.graph.flatten(self.graph.node("Conv", [point, *scales]))
        return self.graph.pick(found, np.arange(len(rows)))

    def _number(self, value: float) -> str:
        return self.graph.constant(np.array(value, np.float32))
