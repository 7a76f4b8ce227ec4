"""Reads and describes the files of Maia-2 and Maia-3: PyTorch checkpoints, and ONNX models that were made from them.

Other programs export such models with the ratings as inputs, and with boards of other shapes than foible's (maia-nets
§4). To run such a model for one pair of ratings, foible adds nodes before and after it: those before make the model's
inputs out of `planes` and two constants, those after make `policy` and `wdl` out of its outputs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from onnx import TensorProto, compose, helper, numpy_helper

from foible.errors import NetFileError
from foible.nets import maia2_net, maia3_net
from foible.nets.choices import Ratings
from foible.nets.description import NetDescription
from foible.nets.download import file_sha256
from foible.nets.encoding import PIECE_PLANES, PLANES, POLICY_SIZES
from foible.nets.maia2_net import HEADS, Maia2Net, rating_class, read_maia2
from foible.nets.maia3_net import Maia3Net, read_maia3
from foible.nets.maia_ratings import ANY, MAIA2, MAIA3, Family
from foible.nets.onnx_file import (
    OnnxModel,
    Values,
    check_onnx,
    check_parts,
    inputs_and_outputs,
    kind_of,
    read_bytes,
    shape_text,
    sizes_of,
)
from foible.nets.onnx_graph import tensor_info
from foible.nets.paths import ONNX_SUFFIX
from foible.nets.torch_checkpoint import is_checkpoint, open_checkpoint


def read_checkpoint(path: Path, ratings: Ratings | None, name: str) -> OnnxModel:
    """Read the net in a checkpoint, with these ratings built in, ready for a runtime.

    :raises NetFileError: the file cannot be used; the message does not name it.
    :raises ConfigError: `ratings` is `None`, or the net was not made for these ratings.
    """
    with _opened(path) as net:
        family = _family(net)
        return OnnxModel(name, net.serialise(*family.checked(ratings, path).both), False, family.encoding)


def describe_maia(path: Path, ratings: Ratings | None, name: str) -> NetDescription | None:
    """Describe a Maia-2 or Maia-3, in a checkpoint or in ONNX; `None` for any other ONNX model.

    :raises NetFileError: as `read_checkpoint`.
    :raises ConfigError: the net was not made for these ratings.
    """
    if is_checkpoint(path):
        with _opened(path) as net:
            family = _family(net)
            net.serialise(*family.checked(ratings or ANY, path).both)
            description = NetDescription(
                name,
                "pytorch",
                blocks=net.blocks if isinstance(net, Maia2Net) else None,
                filters=net.filters if isinstance(net, Maia2Net) else None,
                encoders=net.encoders,
                width=net.width,
                attention_heads=HEADS if isinstance(net, Maia2Net) else net.heads,
                history=None if isinstance(net, Maia2Net) else net.history,
            )
            return _with_facts(description, family, path, ratings)
    model = read_maia_model(read_bytes(path)) if path.name.endswith(ONNX_SUFFIX) else None
    if model is None:
        return None
    check_onnx(model.told(model.family.checked(ratings or ANY, path)), name)
    description = NetDescription(name, "onnx", history=model.boards or None)
    return _with_facts(description, model.family, path, ratings)


def _with_facts(description: NetDescription, family: Family, path: Path, ratings: Ratings | None) -> NetDescription:
    return replace(
        description,
        path=path,
        size=path.stat().st_size,
        sha256=file_sha256(path),
        licence=family.licence,
        ratings=family.ratings,
        notes=family.notes_on(ratings),
        not_opened=None if ratings else family.asks_for_ratings(path),
        value="classical" if family is MAIA2 else "wdl",
        moves_left=False,
        input=family.encoding,
    )


def _family(net: Maia2Net | Maia3Net) -> Family:
    return MAIA2 if isinstance(net, Maia2Net) else MAIA3


@contextmanager
def _opened(path: Path) -> Iterator[Maia2Net | Maia3Net]:
    with open_checkpoint(path) as weights:
        if maia2_net.TELLING in weights:
            yield read_maia2(weights)
        elif maia3_net.TELLING in weights:
            yield read_maia3(weights)
        else:
            raise NetFileError(
                "a checkpoint of PyTorch, but neither of Maia-2 nor of Maia-3; of a training of foible expected the net"
                " of its run, .pb.gz, .onnx or .txt.gz, or the run's folder"
            )


_OWN: Final = ("elo_self", "self_elo")
_OPPONENT: Final = ("elo_oppo", "oppo_elo")
_BOARDS: Final = {"boards": MAIA2, "tokens": MAIA3}
_POLICIES: Final = ("logits_maia", "logits_move", "move_logits")
_VALUES: Final = ("logits_value", "value_logits")
_MARKS: Final = tuple(name.encode() for name in (*_OWN, *_OPPONENT))
_OLDEST_OPSET: Final = 11
_RATINGS: Final = ("FLOAT", "DOUBLE", "FLOAT16", "INT32", "INT64")
"""The types of numbers that hold every rating."""
_PREFIX: Final = "maia/"


@dataclass(frozen=True, slots=True)
class MaiaModel:
    """An ONNX model of Maia-2 or Maia-3 that takes ratings as inputs."""

    family: Family
    model: onnx.ModelProto
    inputs: tuple[str, str, str]
    """The names of the inputs for the boards, for the rating of the side to move, and for the opponent's rating."""
    outputs: tuple[str, str]
    """The names of the outputs for the policy and for the value."""
    boards: int
    """The number of boards, the current one and its predecessors, that a Maia-3 takes; 0 for a Maia-2."""

    def told(self, ratings: Ratings) -> bytes:
        """The serialised model with these ratings built in, its inputs and outputs named as in `onnx_file`.

        :raises NetFileError: the model is damaged.
        """
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        try:
            model = compose.add_prefix(model, _PREFIX, inplace=True)
        except (ValueError, RuntimeError, TypeError, KeyError) as error:
            raise NetFileError(f"not a valid ONNX model: {str(error).partition(chr(10))[0]}") from None
        graph = model.graph
        front, constants = self._front({value.name: value for value in graph.input}, ratings)
        back, more = self._back()
        nodes = [*front, *graph.node, *back]
        del graph.node[:], graph.input[:], graph.output[:]
        graph.node.extend(nodes)
        graph.initializer.extend(numpy_helper.from_array(values, name) for name, values in (constants | more).items())
        encoding = self.family.encoding
        shapes = {"planes": [PLANES[encoding], 8, 8], "policy": [POLICY_SIZES[encoding]], "wdl": [3]}
        values = [tensor_info(name, shape) for name, shape in shapes.items()]
        graph.input.append(values[0])
        graph.output.extend(values[1:])
        return bytes(model.SerializeToString())

    def _front(self, taken: Values, ratings: Ratings) -> tuple[list[onnx.NodeProto], dict[str, NDArray[np.generic]]]:
        """The nodes before the model and their constants. `taken`: the inputs of the model, by name."""
        boards, *told = (_PREFIX + name for name in self.inputs)
        constants: dict[str, NDArray[np.generic]] = {"first": np.array([0], np.int64)}
        nodes = [
            helper.make_node("Shape", ["planes"], ["sizes"]),
            helper.make_node("Gather", ["sizes", "first"], ["rows"]),
        ]
        for name, rating in zip(told, ratings.both, strict=True):
            value = rating_class(rating) if self.family is MAIA2 else rating
            number = helper.tensor_dtype_to_np_dtype(taken[name].type.tensor_type.elem_type)
            constants[f"{name} value"] = np.array([value], number)
            each = helper.make_node("Expand", [f"{name} value", "rows"], [name])
            identity = helper.make_node("Identity", [f"{name} value"], [name])
            nodes.append(identity if sizes_of(taken[name]) == [1] else each)
        flow = "planes"
        if self.boards:
            # `planes` hold the boards oldest first; the model takes the last `self.boards` of them.
            seen, size = PIECE_PLANES * self.boards, PLANES["maia3"]
            bounds = {"oldest": size - seen, "end": size, "axis": 1}
            constants |= {name: np.array([value], np.int64) for name, value in bounds.items()}
            constants["squares"] = np.array([0, seen, 64], np.int64)
            nodes += [
                helper.make_node("Slice", ["planes", *bounds], ["seen"]),
                helper.make_node("Reshape", ["seen", "squares"], ["flat"]),
                helper.make_node("Transpose", ["flat"], ["turned"], perm=[0, 2, 1]),
            ]
            flow = "turned"
        nodes.append(helper.make_node("Cast", [flow], [boards], to=taken[boards].type.tensor_type.elem_type))
        return nodes, constants

    def _back(self) -> tuple[list[onnx.NodeProto], dict[str, NDArray[np.generic]]]:
        """The nodes after the model and their constants."""
        policy, value = (_PREFIX + name for name in self.outputs)
        nodes = [
            helper.make_node("Cast", [policy], ["policy"], to=TensorProto.FLOAT),
            helper.make_node("Cast", [value], ["value"], to=TensorProto.FLOAT),
        ]
        if self.family is MAIA3:
            # The model's classes are loss, draw and win, in this order.
            nodes += [
                helper.make_node("Softmax", ["value"], ["ldw"], axis=1),
                helper.make_node("Gather", ["ldw", "order"], ["wdl"], axis=1),
            ]
            return nodes, {"order": np.array([2, 1, 0], np.int64)}
        nodes += [
            helper.make_node("Reshape", ["value", "column"], ["result"]),
            helper.make_node("Clip", ["result", "least", "most"], ["q"]),
            helper.make_node("Mul", ["q", "halves"], ["lead"]),
            helper.make_node("Add", ["lead", "even"], ["wdl"]),
        ]
        row = {"halves": [[0.5, 0.0, -0.5]], "even": [[0.5, 0.0, 0.5]], "least": -1.0, "most": 1.0}
        numbers: dict[str, NDArray[np.generic]] = {name: np.array(values, np.float32) for name, values in row.items()}
        return nodes, {"column": np.array([-1, 1], np.int64), **numbers}


def read_maia_model(data: bytes) -> MaiaModel | None:
    """Parse a model that takes ratings as inputs; `None` for any other model, and for data that is no model.

    :raises NetFileError: the outputs or shapes are not those of a Maia-2 or Maia-3, or the model takes only one
        position at a time.
    """
    if not any(mark in data for mark in _MARKS):
        return None
    check_parts(data)
    try:
        model = onnx.load_from_string(data)
    except (DecodeError, ValueError, RuntimeError):
        return None
    inputs, outputs = inputs_and_outputs(model.graph)
    names = [next((name for name in known if name in inputs), None) for known in (_BOARDS, _OWN, _OPPONENT)]
    if None in names or len(inputs) != 3:
        return None
    boards, own, opponent = (str(name) for name in names)
    for name in (own, opponent):
        if kind_of(inputs[name]) not in _RATINGS:
            raise NetFileError(f"input {name} is {kind_of(inputs[name])}, expected {' or '.join(_RATINGS)}")
    family = _BOARDS[boards]
    policy, value = _output(outputs, _POLICIES, "policy"), _output(outputs, _VALUES, "value")
    opset = max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=0)
    if opset < _OLDEST_OPSET:
        raise NetFileError(f"is of ONNX opset {opset}, expected {_OLDEST_OPSET} or later")
    moves, wanted = (sizes_of(outputs[policy]) or [0])[-1], POLICY_SIZES[family.encoding]
    if moves not in (0, wanted):
        raise NetFileError(f"output {policy} has {moves} moves, expected the {wanted} of {family.name}")
    return MaiaModel(family, model, (boards, own, opponent), (policy, value), _boards(family, inputs[boards]))


def _boards(family: Family, value: onnx.ValueInfoProto) -> int:
    """The number of boards that a Maia-3 takes; 0 for a Maia-2."""
    batch, *sizes = sizes_of(value) or [-1]
    if batch > 0:
        raise NetFileError(f"takes {batch} position at a time; expected a model whose first size is free")
    if family is MAIA2 and sizes == [PLANES["maia2"], 8, 8]:
        return 0
    known = range(PIECE_PLANES, PLANES["maia3"] + 1, PIECE_PLANES)
    if family is MAIA3 and sizes[:1] == [64] and len(sizes) == 2 and sizes[1] in known:
        return sizes[1] // PIECE_PLANES
    wanted = "[N, 18, 8, 8]" if family is MAIA2 else f"[N, 64, {known[0]}] to [N, 64, {known[-1]}]"
    raise NetFileError(f"input {value.name} has shape {shape_text([0, *sizes])}, expected {wanted}")


def _output(outputs: Values, known: tuple[str, ...], what: str) -> str:
    found = next((name for name in known if name in outputs), None)
    if found is None:
        raise NetFileError(f"has no output of its {what}, {' or '.join(known)}; it has {', '.join(outputs) or 'none'}")
    return found
