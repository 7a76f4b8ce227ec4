"""The ONNX models that foible runs: the names and shapes of their inputs and outputs, and the checks of a file for
them.

`planes` float32 `[N, 112, 8, 8]` → `policy` `[N, 1858]` logits, `wdl` `[N, 3]` probabilities for the side to move, and
optionally `moves_left` `[N]` plies; N is free. A net in CrazyAra's encoding has 52 planes and a policy of 4864 moves;
in Maia-2's, 18 and 1880; in Maia-3's, 96 and 4352.

That a file is harmless is checked before a runtime sees it, and for the most part before it is parsed. A runtime trusts
its file: it opens the files that tensors name, runs a loop as often as the file says, and allocates whatever a constant
claims to need. And in a parser, a file of nothing but empty messages takes up a hundred bytes and more of memory for
every two bytes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import onnx
from google.protobuf.message import DecodeError
from onnx import shape_inference

from foible.errors import NetFileError
from foible.nets.encoding import LC0_INPUTS, PLANES, POLICY_SIZES, InputEncoding
from foible.nets.file_reading import MAX_BYTES, check_is_no_stand_in, naming
from foible.nets.lc0_file import AttentionNet
from foible.nets.lc0_net import Lc0Net
from foible.nets.lc0_onnx import INPUT_KEY, serialise
from foible.nets.protobuf_wire import read_message
from foible.toml import AnyPath, expand

_OTHERS: Final[tuple[InputEncoding, ...]] = ("crazyara", "maia2", "maia3")
"""The input encodings that are not lc0's; each has a number of planes of its own."""
_OPTIONAL = {"moves_left": ()}
Values = Mapping[str, onnx.ValueInfoProto]
"""Inputs or outputs of a model, by name."""


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A model that was checked, or was made by foible, and is ready for a runtime."""

    name: str
    """The net's name in reports."""
    data: bytes
    """The serialised `ModelProto`."""
    moves_left: bool
    """Whether the model has the output `moves_left`."""
    encoding: InputEncoding = "lc0"
    """The encoding, which tells what its input planes and the entries of its policy mean."""

    @property
    def planes(self) -> int:
        """The number of input planes."""
        return PLANES[self.encoding]

    @property
    def policy_size(self) -> int:
        """The width of the policy output."""
        return POLICY_SIZES[self.encoding]


def model_from_lc0(net: Lc0Net | AttentionNet, name: str) -> OnnxModel:
    """Convert an lc0 net to a model that is ready for a runtime. `name`: its name in reports."""
    encoding = net.planes if isinstance(net, Lc0Net) else net.input
    return OnnxModel(name, serialise(net), net.moves_left is not None, encoding)


def read_onnx(path: AnyPath, name: str) -> OnnxModel:
    """Read and check a model file.

    :raises NetFileError: the file cannot be read, is larger than 1 GiB, is no valid ONNX model, is refused by
        `check_parts` or `check_sizes`, or its inputs and outputs are not those that this module describes; the message
        names the file.
    """
    path = expand(path)
    with naming(path):
        return check_onnx(read_bytes(path), name)


def read_bytes(path: Path) -> bytes:
    """The bytes of a model file, unchecked.

    :raises NetFileError: the file cannot be read, or is larger than 1 GiB.
    """
    if path.exists() and not path.is_file():
        raise NetFileError("not a file")
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MAX_BYTES else b""
    except OSError as error:
        raise NetFileError(f"cannot be read: {error.strerror}") from None
    if size > MAX_BYTES:
        raise NetFileError(f"larger than {MAX_BYTES >> 20} MiB")
    return data


def check_onnx(data: bytes, name: str) -> OnnxModel:
    """Check a serialised model.

    :raises NetFileError: as `read_onnx`, without the file's name.
    """
    check_is_no_stand_in(data)
    check_parts(data)
    try:
        model = onnx.load_from_string(data)
        onnx.checker.check_model(data)
        check_sizes(model)
    except NetFileError:
        raise
    except (DecodeError, onnx.checker.ValidationError, ValueError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise NetFileError(f"not a valid ONNX model: {reason or type(error).__name__}") from None
    inputs, outputs = inputs_and_outputs(model.graph)
    if _is_of_go(inputs, outputs):
        raise NetFileError("a net for Go; foible runs those from weights files, .txt.gz or .txt")
    encoding = _encoding(inputs, {entry.key: entry.value for entry in model.metadata_props})
    _check_values("input", inputs, {"planes": (PLANES[encoding], 8, 8)}, {})
    _check_values("output", outputs, {"policy": (POLICY_SIZES[encoding],), "wdl": (3,)}, _OPTIONAL)
    return OnnxModel(name, data, "moves_left" in outputs, encoding)


def inputs_and_outputs(graph: onnx.GraphProto) -> tuple[Values, Values]:
    """What a model takes, without the weights that its file may list as inputs, and what it gives, both by name."""
    weights = {tensor.name for tensor in graph.initializer}
    inputs = {value.name: value for value in graph.input if value.name not in weights}
    return inputs, {value.name: value for value in graph.output}


def _is_of_go(inputs: Values, outputs: Values) -> bool:
    """Whether a model is a Go net: its policy has one entry for each point of the square board and one for the pass."""
    if "planes" not in inputs or "policy" not in outputs:
        return False
    shapes = [sizes_of(value) for value in (inputs["planes"], outputs["policy"])]
    match shapes:
        case [[_, _, rows, columns], [_, moves]]:
            return rows == columns and moves == rows * columns + 1
    return False


def _encoding(inputs: Values, said: Mapping[str, str]) -> InputEncoding:
    """The encoding of a model, which follows from its number of planes. If that is of no encoding in `_OTHERS`, it is
    one of lc0's: the one that the metadata `said` name, or else the classical one.
    """
    sizes = sizes_of(inputs["planes"]) if "planes" in inputs else []
    found = sizes[1] if len(sizes) > 1 else 0
    if other := next((encoding for encoding in _OTHERS if PLANES[encoding] == found), None):
        return other
    name = said.get(INPUT_KEY, "lc0")
    for encoding in LC0_INPUTS.values():
        if encoding == name:
            return encoding
    raise NetFileError(f"takes the unknown input {name!r}; expected one of {', '.join(LC0_INPUTS.values())}")


def _check_values(
    kind: str,
    found: Values,
    required: Mapping[str, Sequence[int]],
    optional: Mapping[str, Sequence[int]],
) -> None:
    if missing := required.keys() - found.keys():
        raise NetFileError(f"has no {kind} {', '.join(sorted(missing))}; it has {', '.join(found) or 'none'}")
    if kind == "input" and len(found) > len(required):
        raise NetFileError(f"has the inputs {', '.join(found)}; only {', '.join(required)} is given to it")
    for name, shape in {**required, **optional}.items():
        if name in found:
            _check_value(f"{kind} {name}", found[name], shape)


def _check_value(what: str, value: onnx.ValueInfoProto, shape: Sequence[int]) -> None:
    if value.type.tensor_type.elem_type != onnx.TensorProto.FLOAT:
        raise NetFileError(f"{what} is {kind_of(value)}, expected float32")
    if sizes_of(value) != [0, *shape]:
        found, wanted = shape_text(sizes_of(value)), shape_text([0, *shape])
        raise NetFileError(f"{what} has shape {found}, expected {wanted} with N free")


def kind_of(value: onnx.ValueInfoProto) -> str:
    """The type of the numbers of an input or output, as ONNX names it, such as `INT64`."""
    number = value.type.tensor_type.elem_type
    kinds = {of_kind: kind for kind, of_kind in onnx.TensorProto.DataType.items()}
    return kinds.get(number, f"type {number}") if number else "not a tensor"


def sizes_of(value: onnx.ValueInfoProto) -> list[int]:
    """The size of each dimension of an input or output; 0 for a dimension of free size."""
    return [dim.dim_value for dim in value.type.tensor_type.shape.dim]


def shape_text(sizes: Sequence[int]) -> str:
    """The shape of an input or output in words, such as `[N, 112, 8, 8]`, with N for a free size."""
    return f"[{', '.join(str(size or 'N') for size in sizes)}]"


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
        sizes = [size or 1 for size in sizes_of(value)]
        if math.prod(sizes) > MOST_VALUES:
            shape = shape_text(sizes)
            raise NetFileError(f"its tensor {value.name} has shape {shape}; expected at most {MOST_VALUES:,} numbers")
