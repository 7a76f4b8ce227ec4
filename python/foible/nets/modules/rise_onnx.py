"""RISE as an ONNX graph from which training can go on: weights and running statistics bear their names in the module.

The runtimes fold batch norm and all other arithmetic between weights away when they load the model.
"""

from collections.abc import Mapping

import numpy as np
import onnx

from foible.nets.encoding import PLANES, POLICY_SIZES, Encoding, plane_index
from foible.nets.lc0_net import EPSILON, Floats
from foible.nets.modules.config import Rise
from foible.nets.modules.net import input_scale
from foible.nets.onnx_graph import CHANNELS, Graph


def rise_to_onnx(
    config: Rise, encoding: Encoding, state: Mapping[str, Floats], metadata: Mapping[str, str], plies_unit: float
) -> onnx.ModelProto:
    """`planes` → `policy` logits, `wdl` probabilities, `moves_left` plies `[N]`, and the same once more as `mlh`
    `[N, 1]`, as lc0 wants it. `state`: by the names of the module's `state_dict`. `plies_unit`: as in `Net`.
    """
    graph = _Rise(state)
    scale = graph.constant(input_scale(encoding)[None, :, None, None])
    flow = graph.node("Conv", ["planes", graph.node("Mul", [graph.state("stem.0.weight"), scale])], pads=[1] * 4)
    flow = graph.activate(graph.norm(flow, "stem.1"))
    for number in range(config.blocks):
        flow = _block(graph, flow, f"blocks.{number}", config, number)
    graph.name(_policy(graph, flow, encoding), "policy")
    board = _value_board(graph, flow, config)
    graph.name(graph.node("Softmax", [_from_board(graph, board, "wdl", config)], axis=1), "wdl")
    share = graph.node("Sigmoid", [_from_board(graph, board, "plies", config)])
    plies = graph.node("Mul", [share, graph.constant(np.array(plies_unit, np.float32))])
    graph.name(graph.pick(plies, 0), "moves_left")
    graph.name(graph.pick(plies, np.array([0])), "mlh")
    outputs = {"policy": [POLICY_SIZES[encoding]], "wdl": [3], "moves_left": [], "mlh": [1]}
    return graph.model("rise", PLANES[encoding], outputs, metadata)


class _Rise(Graph):
    """Layers by their names in the module."""

    def __init__(self, state: Mapping[str, Floats]) -> None:
        super().__init__()
        self._state = state

    def state(self, name: str) -> str:
        return self.constant(self._state[name], name)

    def named_conv(self, flow: str, name: str, groups: int = 1) -> str:
        size = self._state[f"{name}.weight"].shape[2]
        return self.node("Conv", [flow, self.state(f"{name}.weight")], pads=[size // 2] * 4, group=groups)

    def norm(self, flow: str, name: str) -> str:
        parts = [self.state(f"{name}.{part}") for part in ("weight", "bias", "running_mean", "running_var")]
        return self.node("BatchNormalization", [flow, *parts], epsilon=EPSILON)

    def pad(self, flow: str, axis: int, extra: int) -> str:
        """Zeros at the end of an axis of four."""
        pads = np.zeros(8, np.int64)
        pads[4 + axis] = extra
        return self.node("Pad", [flow, self.constant(pads)]) if extra else flow


def _block(graph: _Rise, flow: str, name: str, config: Rise, number: int) -> str:
    if number in config.attended:
        flow = _attention(graph, flow, f"{name}.attention.conv", config)
    inner = graph.activate(graph.norm(graph.named_conv(flow, f"{name}.body.0"), f"{name}.body.1"))
    inner = graph.named_conv(inner, f"{name}.body.3", groups=config.inner_width(number))
    inner = graph.activate(graph.norm(inner, f"{name}.body.4"))
    return graph.node("Add", [flow, graph.norm(graph.named_conv(inner, f"{name}.body.6"), f"{name}.body.7")])


def _attention(graph: _Rise, flow: str, name: str, config: Rise) -> str:
    """The 1-D convolution as one over a board of one file: `[N, C, 1, 1]` or, along the channels, `[N, 1, C, 1]`."""
    means = graph.node("GlobalAveragePool", [flow])
    last = graph.constant(np.array([3], np.int64))
    weights = graph.node("Unsqueeze", [graph.state(f"{name}.weight"), last])
    margin = config.attention_kernel // 2
    if config.attention == "eca":
        means = graph.node("Transpose", [means], perm=[0, 2, 1, 3])
    mixed = graph.node("Conv", [means, weights, graph.state(f"{name}.bias")], pads=[margin, 0, margin, 0])
    if config.attention == "eca":
        mixed = graph.node("Transpose", [mixed], perm=[0, 2, 1, 3])
    return graph.node("Mul", [flow, graph.node("HardSigmoid", [mixed], alpha=1 / 6, beta=0.5)])


def _policy(graph: _Rise, flow: str, encoding: Encoding) -> str:
    hidden = graph.activate(graph.norm(graph.named_conv(flow, "policy.0"), "policy.1"))
    logits = graph.flatten(graph.named_conv(hidden, "policy.3"))
    return graph.pick(logits, plane_index()) if encoding == "lc0" else logits


def _value_board(graph: _Rise, flow: str, config: Rise) -> str:
    """What both value heads see, with idle channels."""
    board = graph.activate(graph.norm(graph.named_conv(flow, "value.0"), "value.1"))
    return graph.pad(board, 1, -config.value_filters % CHANNELS)


def _from_board(graph: _Rise, board: str, name: str, config: Rise) -> str:
    """A dense layer over all squares."""
    shape = graph.constant(np.array([-1, config.value_filters, 8, 8], np.int64))
    weights = graph.node("Reshape", [graph.state(f"{name}.weight"), shape])
    weights = graph.pad(weights, 1, -config.value_filters % CHANNELS)
    return graph.flatten(graph.node("Conv", [board, weights, graph.state(f"{name}.bias")]))
