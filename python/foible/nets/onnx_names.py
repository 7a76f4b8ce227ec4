"""ONNX models inside lc0's files, which name their inputs and outputs as they please, under the names that foible runs
(lc0-nets §1).
"""

from typing import Final

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto, compose, helper, numpy_helper

from foible.errors import NetFileError
from foible.nets.encoding import POLICY_SIZES, InputEncoding
from foible.nets.lc0_net import INPUT_PLANES
from foible.nets.lc0_onnx import metadata_of
from foible.nets.onnx_safety import check_parts
from foible.nets.protobuf_wire import Message

_FIELDS: Final = {"input": 3, "value": 4, "wdl": 5, "policy": 6, "moves left": 7}
"""Fields of lc0's message about a model that hold names."""
_OURS: Final = ("planes", "policy", "wdl")
_PREFIX: Final = "lc0/"


def with_foible_names(content: Message, planes: InputEncoding) -> bytes:
    """The model in lc0's message about it. `planes`: those that it takes.

    :raises NetFileError: there is no model, it is damaged, or it lacks what the message names.
    """
    data = content.bytes(1)
    if not data:
        raise NetFileError("holds no ONNX model, though its format is NETWORK_ONNX")
    names = {what: _text(content, field) for what, field in _FIELDS.items()}
    if (names["input"], names["policy"], names["wdl"]) == _OURS and planes == "lc0":
        return bytes(data)
    check_parts(bytes(data))
    try:
        model = onnx.load_from_string(bytes(data))
        model = compose.add_prefix(model, _PREFIX, inplace=True)
    except (DecodeError, ValueError, RuntimeError, TypeError, KeyError) as error:
        raise NetFileError(f"not a valid ONNX model: {str(error).partition(chr(10))[0]}") from None
    _rename(model.graph, names)
    helper.set_model_props(model, {entry.key: entry.value for entry in model.metadata_props} | metadata_of(planes))
    return bytes(model.SerializeToString())


def _text(content: Message, field: int) -> str:
    return bytes(content.bytes(field)).decode(errors="replace")


def _rename(graph: onnx.GraphProto, names: dict[str, str]) -> None:
    """Puts nodes between foible's names and the model's own."""
    weights = {tensor.name for tensor in graph.initializer}
    inputs = {value.name: value for value in graph.input if value.name not in weights}
    outputs = {value.name: value for value in graph.output}
    for what, found in (("input", inputs), *((what, outputs) for what in names if what != "input")):
        if names[what] and _PREFIX + names[what] not in found:
            there = ", ".join(name.removeprefix(_PREFIX) for name in found) or "none"
            raise NetFileError(f"its ONNX model has no {what} {names[what]!r}; it has {there}")
    if not names["input"] or not names["policy"] or not (names["wdl"] or names["value"]):
        raise NetFileError("does not name the input, the policy and the value of its ONNX model")
    if len(inputs) != 1:
        raise NetFileError(f"its ONNX model has {len(inputs)} inputs, expected the planes alone")
    own = _PREFIX + names["input"]
    kind = inputs[own].type.tensor_type.elem_type
    graph.node.insert(0, helper.make_node("Cast", ["planes"], [own], to=kind))
    kept = [value for value in graph.input if value.name != own]
    del graph.input[:], graph.output[:]
    graph.input.extend([_value("planes", [INPUT_PLANES, 8, 8]), *kept])
    _add_output(graph, names["policy"], "policy", [POLICY_SIZES["lc0"]])
    if names["wdl"]:
        _add_output(graph, names["wdl"], "wdl", [3])
    else:
        _cast(graph, names["value"], "value")
        for name, row in (("halves", [[0.5, 0.0, -0.5]]), ("even", [[0.5, 0.0, 0.5]])):
            graph.initializer.append(numpy_helper.from_array(np.array(row, np.float32), name))
        graph.node.append(helper.make_node("Mul", ["value", "halves"], ["lead"]))
        graph.node.append(helper.make_node("Add", ["lead", "even"], ["wdl"]))
        graph.output.append(_value("wdl", [3]))
    if names["moves left"]:
        _cast(graph, names["moves left"], "plies")
        graph.initializer.append(numpy_helper.from_array(np.array([-1], np.int64), "flat"))
        graph.node.append(helper.make_node("Reshape", ["plies", "flat"], ["moves_left"]))
        graph.output.append(_value("moves_left", []))


def _add_output(graph: onnx.GraphProto, own: str, name: str, shape: list[int]) -> None:
    _cast(graph, own, name)
    graph.output.append(_value(name, shape))


def _cast(graph: onnx.GraphProto, own: str, name: str) -> None:
    graph.node.append(helper.make_node("Cast", [_PREFIX + own], [name], to=TensorProto.FLOAT))


def _value(name: str, shape: list[int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape])
