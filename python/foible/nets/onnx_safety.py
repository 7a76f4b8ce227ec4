"""Checks that an ONNX file is harmless, made before a runtime sees it, and most of them before it is parsed.

A runtime trusts its file: it opens the files that tensors name, runs a loop as often as the file says, and allocates
whatever a constant claims to need. And in a parser, a file of nothing but empty messages takes up a hundred bytes and
more of memory for every two bytes.
"""

import math
from typing import Final

import onnx
from onnx import shape_inference

from foible.errors import NetFileError
from foible.nets.protobuf_wire import read_message

MOST_PARTS: Final = 500_000
"""The largest number of fields in all messages together; the deepest nets have some 50 thousand."""
MOST_VALUES: Final = 1 << 28
"""The largest number of values in a tensor for one position; in float32 they take 1 GiB."""
_PACKED: Final = 64
"""Packed numbers count as one field for each so many bytes."""
_SMALL: Final = 1 << 12
"""The largest size in bytes of a tensor that may hold a shape, so that its values are kept for shape inference."""
_LOOPS: Final = (b"Loop", b"Scan")

_MODEL, _NODE, _TENSOR = (kind.DESCRIPTOR for kind in (onnx.ModelProto, onnx.NodeProto, onnx.TensorProto))
_FUNCTIONS: Final = _MODEL.fields_by_name["functions"].number
_OPERATOR: Final = _NODE.fields_by_name["op_type"].number
_ELSEWHERE: Final = tuple(_TENSOR.fields_by_name[name].number for name in ("external_data", "data_location"))


def check_parts(data: bytes) -> None:
    """Check a serialised model, in every message at any depth.

    :raises NetFileError: the model is damaged, has more than `MOST_PARTS` fields, or has weights in other files,
        functions of its own, or loops.
    """
    waiting = [(memoryview(data), _MODEL)]
    parts = 0
    while waiting:
        view, kind = waiting.pop()
        try:
            fields = read_message(view, kind.name, MOST_PARTS).fields
        except NetFileError as error:
            raise NetFileError(f"not a valid ONNX model: {error}") from None
        parts += sum(map(len, fields.values()))
        if kind is _MODEL and _FUNCTIONS in fields:
            raise NetFileError("has functions of its own; expected them inlined, as onnx.inliner does")
        if kind is _TENSOR and any(value != 0 for number in _ELSEWHERE for value in fields.get(number, ())):
            raise NetFileError("keeps its weights in other files; save it as one file")
        if kind is _NODE and any(loop in fields.get(_OPERATOR, ()) for loop in _LOOPS):
            raise NetFileError("has a Loop or Scan, which may never end; expected a model without")
        for number, values in fields.items():
            field = kind.fields_by_number.get(number)
            views = [value for value in values if not isinstance(value, int)]
            if field is None or field.type in (field.TYPE_BYTES, field.TYPE_STRING):
                continue
            if field.message_type is not None:
                waiting += [(inside, field.message_type) for inside in views]
            elif field.type not in (field.TYPE_FLOAT, field.TYPE_DOUBLE):
                parts += sum(len(packed) for packed in views) // _PACKED
        if parts > MOST_PARTS:
            raise NetFileError(f"has more than {MOST_PARTS:,} parts, which no net has")


def check_sizes(model: onnx.ModelProto) -> None:
    """Check how large the tensors of a model are for one position, as far as the model itself tells. The model must
    have passed `check_parts`; its weights are removed.

    :raises NetFileError: a tensor has more than `MOST_VALUES` numbers, or shapes contradict each other.
    """
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) > _SMALL:
            tensor.ClearField("raw_data")
    graph = shape_inference.infer_shapes(model, data_prop=True).graph
    for value in (*graph.value_info, *graph.output):
        sizes = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
        if math.prod(sizes) > MOST_VALUES:
            shape = ", ".join(map(str, sizes))
            raise NetFileError(f"its tensor {value.name} has shape [{shape}]; expected at most {MOST_VALUES:,} numbers")
