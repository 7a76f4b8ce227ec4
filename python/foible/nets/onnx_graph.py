"""Builds an ONNX graph layer by layer.

In the runtimes, a position's outputs must be the same, bit by bit, whatever batch the position is in. Therefore graphs
have dense layers written as convolutions of the size of the board, and widths padded to multiples at which the runtimes
compute every position alike (measured).
"""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from foible.nets.lc0_layers import Stored
from foible.nets.lc0_net import Conv, Dense
from foible.nets.protobuf_wire import bytes_field, bytes_head, number_field

OPSET = 18
IR_VERSION = 8
"""The version of the ONNX file format: old enough for every runtime of the last years."""

LANES, CHANNELS, HIDDEN = 16, 32, 128
"""The multiples to which sizes are padded: the number of outputs of a layer with few, the channels of a head, and the
units of a hidden layer.
"""


_GRAPH, _INITIALIZER = 7, 5
_DIMS, _DATA_TYPE, _NAME, _RAW_DATA = 1, 2, 8, 9
"""The numbers of fields of the messages `ModelProto`, `GraphProto` and `TensorProto`."""


class Graph:
    """The nodes and weights of a graph. Most methods add one layer and return the name of its output; `flow` is the
    name of the layer's input.
    """

    def __init__(self, activation: str = "relu") -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.default_activation = {"relu": "Relu", "mish": "Mish"}[activation]
        self._later: list[tuple[str, Callable[[], NDArray[np.float32]]]] = []

    def node(self, kind: str, inputs: Sequence[str], **attributes: Any) -> str:
        """A node of an operator of ONNX, by the names of its inputs; attributes are the operator's."""
        output = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, values: NDArray[np.float32] | NDArray[np.int64], name: str | None = None) -> str:
        """A constant, such as the weights of a layer; returns its name, which is made up unless it is given."""
        name = name or f"weights{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(values, order="C"), name))
        return name

    def later(self, make: Callable[[], NDArray[np.float32]]) -> str:
        """Add weights that `make` computes only when the graph is written out, which only `serialise` does."""
        name = f"large{len(self._later)}"
        self._later.append((name, make))
        return name

    def matrix(self, weights: Stored) -> str:
        """Weights `[out, in]` of a file, transposed to `[in, out]` as the right side of a product; decoded only when
        the graph is written out.
        """
        return self.later(lambda: weights.array().T)

    def conv(self, flow: str, conv: Conv, margin: int | None = None) -> str:
        """A convolution with zero padding of width `margin`; `None`: so much that the board keeps its size."""
        if margin is None:
            margin = conv.weights.shape[2] // 2
        weights, biases = self.constant(conv.weights), self.constant(conv.biases)
        return self.node("Conv", [flow, weights, biases], pads=[margin] * 4)

    def dense(self, flow: str, dense: Dense) -> str:
        """A dense layer: `[N, in]` → `[N, out]`."""
        weights, biases = self.constant(dense.weights), self.constant(dense.biases)
        return self.node("Gemm", [flow, weights, biases], transB=1)

    def activate(self, flow: str) -> str:
        """The graph's default activation."""
        return self.node(self.default_activation, [flow])

    def flatten(self, flow: str) -> str:
        """One row of numbers for each position: `[N, …]` → `[N, K]`."""
        return self.node("Flatten", [flow], axis=1)

    def reshape(self, flow: str, *shape: int) -> str:
        """Reshape the input; a 0 in `shape` keeps the size of that dimension."""
        return self.node("Reshape", [flow, self._shape(shape)])

    def _shape(self, shape: tuple[int, ...]) -> str:
        name = "shape_" + "x".join(map(str, shape))
        if all(initializer.name != name for initializer in self.initializers):
            self.constant(np.array(shape, np.int64), name)
        return name

    def pick(self, flow: str, columns: NDArray[np.int64] | int) -> str:
        """Select columns of `[N, …]`; a single number selects one column and drops the axis, giving `[N]`."""
        return self.node("Gather", [flow, self.constant(np.array(columns, np.int64))], axis=1)

    def part(self, flow: str, part: slice, axis: int = 1) -> str:
        """A slice along an axis."""
        bounds = [self.constant(np.array([value], np.int64)) for value in (part.start, part.stop, axis)]
        return self.node("Slice", [flow, *bounds])

    def layer_norm(self, flow: str, gammas: NDArray[np.float32], betas: NDArray[np.float32], epsilon: float) -> str:
        """A layer norm over the last axis."""
        scales = [self.constant(gammas), self.constant(betas)]
        return self.node("LayerNormalization", [flow, *scales], axis=-1, epsilon=epsilon)

    def name(self, flow: str, name: str) -> None:
        """Give the output of the last node its public name."""
        assert self.nodes[-1].output[0] == flow
        self.nodes[-1].output[0] = name

    def model(
        self,
        name: str,
        planes: int,
        outputs: Mapping[str, Sequence[int]],
        metadata: Mapping[str, str] | None = None,
    ) -> onnx.ModelProto:
        """The finished model, from `planes` `[N, planes, 8, 8]` to outputs of these shapes, each preceded by a free N.
        It lacks the weights that were left for later.
        """
        graph = helper.make_graph(
            self.nodes,
            name,
            [tensor_info("planes", [planes, 8, 8])],
            [tensor_info(output, shape) for output, shape in outputs.items()],
            self.initializers,
        )
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, producer_name="foible", opset_imports=opsets, ir_version=IR_VERSION)
        helper.set_model_props(model, dict(metadata or {}))
        return model

    def serialise(
        self,
        name: str,
        planes: int,
        outputs: Mapping[str, Sequence[int]],
        metadata: Mapping[str, str] | None = None,
    ) -> bytes:
        """The bytes of the finished model, including the weights that were left for later. These are computed, written
        and dropped one by one, so that they are not in memory twice: each is appended as a part of the message, and
        readers of protocol buffers merge the parts.
        """
        out = BytesIO()
        out.write(self.model(name, planes, outputs, metadata).SerializeToString())
        for weights_name, make in self._later:
            values = np.ascontiguousarray(make(), "<f4")
            head = b"".join(number_field(_DIMS, size) for size in values.shape)
            head += number_field(_DATA_TYPE, TensorProto.FLOAT) + bytes_field(_NAME, weights_name.encode())
            head += bytes_head(_RAW_DATA, values.nbytes)
            inner = bytes_head(_INITIALIZER, len(head) + values.nbytes)
            out.write(bytes_head(_GRAPH, len(inner) + len(head) + values.nbytes) + inner + head)
            out.write(values.data)
        return out.getvalue()


def tensor_info(name: str, shape: Sequence[int]) -> onnx.ValueInfoProto:
    """The description of an input or output of float32 `[N, …]`, where `shape` is that of one position."""
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape])
