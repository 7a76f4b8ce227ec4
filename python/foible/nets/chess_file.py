"""Reads and writes the file of a chess net: weights of lc0's layers, or an ONNX model, by itself or inside an lc0 file.

The kind of lc0 file that holds a model (`NETWORK_ONNX`) is for nets that lc0's own layers cannot express. The file
gives the names of the model's inputs and outputs, which may be any. Its field numbers are from `net.proto`; the shapes
of the outputs are from lc0's converter and its ONNX backend: the policy has 1858 columns whatever the head, `wdl` holds
probabilities, the moves left are `[N, 1]`.
"""

from pathlib import Path
from typing import Final

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto, compose, helper, numpy_helper

from foible.errors import ConfigError, NetFileError
from foible.nets.choices import Ratings
from foible.nets.encoding import POLICY_SIZES, InputEncoding
from foible.nets.file_reading import naming
from foible.nets.lc0_architecture import ONNX_INSIDE, input_encoding
from foible.nets.lc0_file import AttentionNet, check_magic, parse_net, read_contents
from foible.nets.lc0_heads import Heads
from foible.nets.lc0_net import INPUT_PLANES, Lc0Net
from foible.nets.lc0_onnx import metadata_of
from foible.nets.lc0_write import net_message
from foible.nets.maia_file import read_checkpoint, read_maia_model
from foible.nets.named_nets import at_heads, at_rating
from foible.nets.onnx_file import OnnxModel, check_onnx, check_parts, inputs_and_outputs, model_from_lc0, read_bytes
from foible.nets.onnx_graph import tensor_info
from foible.nets.paths import ONNX_SUFFIX, net_name
from foible.nets.protobuf_wire import Message, bytes_field, number_field, read_message
from foible.nets.rating_plane import fold_rating
from foible.nets.torch_checkpoint import is_checkpoint

_FIELDS: Final = {"input": 3, "value": 4, "wdl": 5, "policy": 6, "moves left": 7}
"""The fields of lc0's message about a model that hold the names of its input and outputs."""
_OURS: Final = ("planes", "policy", "wdl")
_PREFIX: Final = "lc0/"
"""What the names of the model's parts get in front of them, so that they differ from foible's for inputs and outputs.
"""
_MINOR: Final = 28
"""The minor version x of the first lc0 0.x that read files with an ONNX model."""
_FLOAT32: Final = 1
"""The number of this type in lc0's message about a model."""
NO_RATING: Final = "an ONNX model plays at no rating of choice; expected an lc0 weights file"
NO_HEADS: Final = "an ONNX model has no heads to choose from; expected an lc0 weights file"


def with_foible_names(content: Message, planes: InputEncoding) -> bytes:
    """The serialised model in lc0's message about it, its input and outputs being renamed as foible expects
    (lc0-nets §1).

    `planes`: the encoding of the model's input planes.

    :raises NetFileError: there is no model, it is damaged, or it lacks an input or output that the message names.
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
    """Rename the input and the outputs by nodes that connect foible's names with the model's own.

    :raises NetFileError: `names` are incomplete, or the model lacks one of them or has several inputs.
    """
    inputs, outputs = inputs_and_outputs(graph)
    for role, values in (("input", inputs), *((role, outputs) for role in names if role != "input")):
        if names[role] and _PREFIX + names[role] not in values:
            present = ", ".join(name.removeprefix(_PREFIX) for name in values) or "none"
            raise NetFileError(f"its ONNX model has no {role} {names[role]!r}; it has {present}")
    if not names["input"] or not names["policy"] or not (names["wdl"] or names["value"]):
        raise NetFileError("does not name the input, the policy and the value of its ONNX model")
    if len(inputs) != 1:
        raise NetFileError(f"its ONNX model has {len(inputs)} inputs, expected the planes alone")
    own = _PREFIX + names["input"]
    kind = inputs[own].type.tensor_type.elem_type
    graph.node.insert(0, helper.make_node("Cast", ["planes"], [own], to=kind))
    kept = [value for value in graph.input if value.name != own]
    del graph.input[:], graph.output[:]
    graph.input.extend([tensor_info("planes", [INPUT_PLANES, 8, 8]), *kept])
    _add_output(graph, names["policy"], "policy", [POLICY_SIZES["lc0"]])
    if names["wdl"]:
        _add_output(graph, names["wdl"], "wdl", [3])
    else:
        _cast(graph, names["value"], "value")
        for name, row in (("halves", [[0.5, 0.0, -0.5]]), ("even", [[0.5, 0.0, 0.5]])):
            graph.initializer.append(numpy_helper.from_array(np.array(row, np.float32), name))
        graph.node.append(helper.make_node("Mul", ["value", "halves"], ["lead"]))
        graph.node.append(helper.make_node("Add", ["lead", "even"], ["wdl"]))
        graph.output.append(tensor_info("wdl", [3]))
    if names["moves left"]:
        _cast(graph, names["moves left"], "plies")
        graph.initializer.append(numpy_helper.from_array(np.array([-1], np.int64), "flat"))
        graph.node.append(helper.make_node("Reshape", ["plies", "flat"], ["moves_left"]))
        graph.output.append(tensor_info("moves_left", []))


def _add_output(graph: onnx.GraphProto, own: str, name: str, shape: list[int]) -> None:
    _cast(graph, own, name)
    graph.output.append(tensor_info(name, shape))


def _cast(graph: onnx.GraphProto, own: str, name: str) -> None:
    graph.node.append(helper.make_node("Cast", [_PREFIX + own], [name], to=TensorProto.FLOAT))


def read_chess_net(
    path: Path, ratings: Ratings | None = None, heads: Heads | None = None, *, folded: bool = True
) -> Lc0Net | AttentionNet | bytes:
    """Read the file of a chess net: a net of lc0's layers, or a serialised ONNX model, not yet checked.

    `ratings`: the ratings of the players that the net is to imitate, if it was trained with ratings. `heads`: the heads
    to use if the net has several; `None`: the default ones. `folded`: fold batch norm into the convolutions.

    :raises NetFileError: the file cannot be read, is damaged or holds a net of another kind; or ratings or heads are
        asked for that the net does not have; the message does not name the file.
    :raises ConfigError: heads are asked of an ONNX model, or a rating of one that takes no ratings; or an opponent's
        rating is given for a net that takes one rating only.
    """
    if is_checkpoint(path):
        raise NetFileError("a checkpoint of Maia-2 or Maia-3 runs in openvino or onnxruntime")
    data = read_bytes(path) if path.name.endswith(ONNX_SUFFIX) else read_contents(path)
    model = data if path.name.endswith(ONNX_SUFFIX) else embedded_onnx(data)
    if model is not None:
        if heads is not None:
            raise ConfigError(f"{path}: {NO_HEADS}")
        if maia := read_maia_model(bytes(model)):
            return maia.told(maia.family.checked(ratings, path))
        if ratings is not None:
            raise ConfigError(f"{path}: {NO_RATING}")
        return bytes(model)
    net = parse_net(data, heads, folded=folded)
    if ratings is None:
        return net
    if isinstance(net, AttentionNet):
        raise NetFileError("was trained without ratings, and plays at none")
    if ratings.opponent is not None:
        raise ConfigError(f"{path}:{ratings}: is told one rating only; those of two players are for Maia-2 and Maia-3")
    return fold_rating(net, ratings.own)


def read_model(path: Path, ratings: Ratings | None = None, heads: Heads | None = None) -> OnnxModel:
    """Read the net in a file, which may also be a checkpoint of Maia-2 or Maia-3, as a model ready for a runtime.

    :raises NetFileError: the file cannot be used; the message names it.
    :raises ConfigError: as `read_chess_net`; or the net needs ratings and none are given.
    """
    name = at_heads(at_rating(net_name(path), ratings), heads)
    with naming(path):
        if is_checkpoint(path):
            return read_checkpoint(path, ratings, name)
        return model_of(read_chess_net(path, ratings, heads), name)


def model_of(net: Lc0Net | AttentionNet | bytes, name: str) -> OnnxModel:
    """Convert the result of `read_chess_net` to a model ready for a runtime. `name`: the net's name in reports.

    :raises NetFileError: an ONNX model is not one that foible can run (see `onnx_file`).
    """
    return check_onnx(net, name) if isinstance(net, bytes) else model_from_lc0(net, name)


def embed_onnx(model: bytes, *, training_steps: int = 0, licence: str = "") -> bytes:
    """The bytes of an uncompressed lc0 file that holds a model with the input `planes` (lc0's 112) and the outputs
    `policy`, `wdl` and `mlh`, the plies left.

    The file follows the published format; it was not tried in lc0 itself.
    """
    formats = {
        1: 1,  # input: 112 classical planes
        2: 2,  # output: win, draw, loss
        3: ONNX_INSIDE,
        4: 1,  # policy: as from a classical head
        5: 2,  # value: win, draw, loss
        6: 1,  # moves left
    }
    names = {3: "planes", 5: "wdl", 6: "policy", 7: "mlh"}
    content = bytes_field(1, model) + number_field(2, _FLOAT32)
    content += b"".join(bytes_field(number, name.encode()) for number, name in names.items())
    return net_message(
        bytes_field(2, b"".join(number_field(number, value) for number, value in formats.items())),
        bytes_field(11, content),
        minor=_MINOR,
        licence=licence,
        training_steps=training_steps,
    )


def embedded_onnx(data: bytes | bytearray) -> bytes | None:
    """The serialised model inside an uncompressed lc0 file, its input and outputs being named as foible expects; `None`
    if the file holds weights.

    :raises NetFileError: the file is not lc0's, is damaged, or claims to hold a model and does not.
    """
    check_magic(data)
    net = read_message(memoryview(data), "net")
    file_format = net.message(4, "format")
    network_format = file_format.message(2, "network format") if file_format else None
    if network_format is None or network_format.integer(3) != ONNX_INSIDE:
        return None
    content = net.message(11, "ONNX model")
    if content is None:
        raise NetFileError("holds no ONNX model, though its format is NETWORK_ONNX")
    return with_foible_names(content, input_encoding(network_format))
