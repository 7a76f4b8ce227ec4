"""What no ONNX file may hold, looked for before a runtime sees it, and most of it before its bytes are parsed.

A runtime takes a file at its word: it opens the files that tensors name, runs loops for as often as they say, and
allocates whatever a constant claims. And a parser makes an object of a hundred bytes and more of every two bytes of a
file that holds nothing but empty messages.
"""

import math
from typing import Final

import onnx
from onnx import shape_inference

from foible.errors import NetFileError
from foible.nets.protobuf_wire import read_message

MOST_PARTS: Final = 500_000
"""Fields of all messages; the deepest nets have some 50 thousand."""
MOST_VALUES: Final = 1 << 28
"""Numbers of one tensor for one position: 1 GiB of them."""
_PACKED: Final = 64
"""Bytes of packed numbers that count as one field."""
_SMALL: Final = 1 << 12
"""Bytes of a tensor that may be a shape."""
_LOOPS: Final = (b"Loop", b"Scan")

_MODEL, _NODE, _TENSOR = (kind.DESCRIPTOR for kind in (onnx.ModelProto, onnx.NodeProto, onnx.TensorProto))
_FUNCTIONS: Final = _MODEL.fields_by_name["functions"].number
_OPERATOR: Final = _NODE.fields_by_name["op_type"].number
_ELSEWHERE: Final = tuple(_TENSOR.fields_by_name[name].number for name in ("external_data", "data_location"))


def check_parts(data: bytes) -> None:
    """Check the serialised model, every message at any depth.

    :raises NetFileError: it is damaged, has more than `MOST_PARTS` parts, weights in other files, functions, or loops.
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
    """Check how large the tensors of a checked model are for one position, as far as that stands in the model itself.
    Takes the weights from `model`.

    :raises NetFileError: one of them has more than `MOST_VALUES` numbers; or shapes contradict each other.
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
