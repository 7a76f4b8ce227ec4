"""Layers that Maia-2 and Maia-3 share, built from the tensors of a checkpoint into an ONNX graph.

Activations between layers are `[N, T, width]` for T tokens or squares. Large weights are read only when the graph is
written out. The conventions are PyTorch's: dense weights are `[out, in]`, the ε of a layer norm is 1e-5, and GELU is
the exact one, not an approximation.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from foible.nets.evaluator import Floats
from foible.nets.onnx_graph import LANES, Graph
from foible.nets.torch_checkpoint import Weights

_EPSILON = 1e-5


class MaiaLayers:
    """Adds layers to a graph. Each method adds one layer and returns the name of its output; `flow` names its input.

    :raises NetFileError: (every method) a tensor is missing, not finite, or not of the size given.
    """

    def __init__(self, graph: Graph, weights: Weights) -> None:
        self.graph = graph
        self._weights = weights

    def linear(self, flow: str, name: str, inputs: int, outputs: int, *, biased: bool = True) -> str:
        """A dense layer applied to each token."""
        product = self.product(flow, f"{name}.weight", (outputs, inputs))
        return self.shifted(product, self._weights.array(f"{name}.bias", outputs)) if biased else product

    def product(self, flow: str, name: str, shape: tuple[int, int], part: slice = slice(None)) -> str:
        """A dense layer without biases; `part` selects some rows of its weights, that is some outputs."""
        weights = self._weights
        return self.graph.node("MatMul", [flow, self.graph.later(lambda: weights.array(name, *shape)[part].T)])

    def shifted(self, flow: str, biases: Floats) -> str:
        """Add a constant, the same for all positions."""
        return self.graph.node("Add", [flow, self.graph.constant(biases)])

    def norm(self, flow: str, name: str, width: int) -> str:
        """A layer norm."""
        gammas, betas = (self._weights.array(f"{name}.{part}", width) for part in ("weight", "bias"))
        return self.graph.layer_norm(flow, gammas, betas, _EPSILON)

    def gelu(self, flow: str) -> str:
        """The exact GELU: each number times the cumulative normal distribution at that number."""
        graph = self.graph
        scaled = graph.node("Mul", [flow, self._number(sqrt(0.5))])
        share = graph.node("Add", [graph.node("Erf", [scaled]), self._number(1)])
        return graph.node("Mul", [graph.node("Mul", [flow, share]), self._number(0.5)])

    def feed_forward(self, flow: str, names: tuple[str, str], width: int, hidden: int) -> str:
        """Two dense layers with GELU between them, given by their names."""
        inner = self.gelu(self.linear(flow, names[0], width, hidden))
        return self.linear(inner, names[1], hidden, width)

    def attention(self, projected: Sequence[str], tokens: int, heads: int, depth: int, extra: str | None = None) -> str:
        """Multi-head attention: queries, keys and values `[N, T, heads · depth]` → its output for each token, of the
        same shape. `extra`: `[N, heads, T, T]`, a bias to be added to the attention logits.
        """
        graph = self.graph
        queries, keys, values = (
            graph.node("Transpose", [graph.reshape(flow, 0, tokens, heads, depth)], perm=order)
            for flow, order in zip(projected, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
        )
        logits = graph.node("Mul", [graph.node("MatMul", [queries, keys]), self._number(depth**-0.5)])
        if extra is not None:
            logits = graph.node("Add", [logits, extra])
        attended = graph.node("MatMul", [graph.node("Softmax", [logits], axis=3), values])
        return graph.reshape(graph.node("Transpose", [attended], perm=[0, 2, 1, 3]), 0, tokens, heads * depth)

    def mean(self, flow: str) -> str:
        """The mean over the tokens, `[N, width]`. A ReduceMean would not do: ONNX Runtime's adds in another order when
        there is only one position.
        """
        turned = self.graph.node("Transpose", [flow], perm=[0, 2, 1])
        return self.graph.flatten(self.graph.node("GlobalAveragePool", [turned]))

    def single(self, flow: str, name: str, inputs: int, outputs: int) -> str:
        """A dense layer applied to one vector per position, `[N, inputs]`; written as a convolution, for the reason
        given in `onnx_graph`.
        """
        weights = self._weights
        point = self.graph.reshape(flow, 0, inputs, 1, 1)
        kernel = self.graph.later(lambda: weights.array(f"{name}.weight", outputs, inputs)[:, :, None, None])
        biases = self.graph.constant(weights.array(f"{name}.bias", outputs))
        return self.graph.flatten(self.graph.node("Conv", [point, kernel, biases]))

    def narrow(self, flow: str, name: str, inputs: int, rows: Sequence[int]) -> str:
        """Selected outputs of a dense layer with few outputs, `[N, len(rows)]`. They are repeated until they fill a
        whole vector register, so that all positions are computed alike.
        """
        outputs = self._weights.shape(f"{name}.bias", 1)[0]
        weights = self._weights.array(f"{name}.weight", outputs, inputs)
        biases = self._weights.array(f"{name}.bias", outputs)
        wanted = np.resize(np.array(rows), LANES)
        point = self.graph.reshape(flow, 0, inputs, 1, 1)
        scales = [self.graph.constant(weights[wanted][:, :, None, None]), self.graph.constant(biases[wanted])]
        narrowed = self.graph.flatten(self.graph.node("Conv", [point, *scales]))
        return self.graph.pick(narrowed, np.arange(len(rows)))

    def _number(self, value: float) -> str:
        return self.graph.constant(np.array(value, np.float32))
