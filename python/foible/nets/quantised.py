"""Nets in int8: the convolutions of the tower take 8-bit numbers; the first layer, the squeeze-excite layers and the
heads stay as they are.

Weights are rounded channel by channel, activations by the range that they have on calibration positions (static
quantisation of ONNX Runtime; QDQ, which OpenVINO runs too). The first layer sees counts beside flags, and what single
numbers the heads tell is not averaged over anything: rounded, these cost as much accuracy as all the tower.

The positions are random play of a fixed seed: every machine has them, and nets calibrated with games of their own came
out no nearer to their originals (docs/results.md). A quantised net lies in the cache, by the hash of what it was made
of.
"""

import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import onnx
import onnxruntime

from foible._core import Batch, ChessPosition
from foible.errors import GameFileError, NetFileError
from foible.games.chess import random_positions
from foible.nets.download import cache_folder
from foible.nets.evaluator import Floats
from foible.nets.onnx_file import OnnxModel
from foible.runs.files import replace_file, seal_file, unseal_file

CALIBRATION: Final = 256
"""Positions."""
_PLIES: Final = (0, 100)
_PART: Final = 32
_MAKING: Final = 1
"""Counts up when the same net would be quantised otherwise."""
_PREPARED: Final = ("onnx.quant.pre_process", "onnxruntime.quant")
"""Says that a graph needs no simplification first; else ONNX Runtime asks for it, and sets up the process's log."""


def quantised(model: OnnxModel) -> OnnxModel:
    """The net in int8, from the cache or, in a second or two, made and put there.

    :raises NetFileError: it has no layers for that.
    """
    path = _path(model)
    data = _kept(path)
    if data is None:
        data = _quantise(model)
        _keep(path, data)
    return replace(model, data=data)


def is_quantised(model: OnnxModel) -> bool:
    """Whether the net lies in the cache in int8."""
    return _path(model).is_file()


def has_tower(model: OnnxModel) -> bool:
    """Whether a net has layers that int8 is for."""
    return bool(tower(onnx.load_from_string(model.data).graph))


def tower(graph: onnx.GraphProto) -> list[str]:
    """The outputs of the convolutions that are quantised: those over several squares on which all outputs of the net
    depend, without the first. Empty for a net without a residual tower.
    """
    sizes = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    behind = [_behind(graph, output.name) for output in graph.output]
    convs = (node for node in graph.node if node.op_type == "Conv" and node.input[0] != "planes")
    return [
        node.output[0]
        for node in convs
        if sizes.get(node.input[1], ())[2:] == (3, 3) and all(node.output[0] in names for names in behind)
    ]


def calibration_positions() -> list[ChessPosition]:
    """From random play, the same everywhere."""
    return random_positions(CALIBRATION, plies=_PLIES)


@cache
def _calibration_fens() -> frozenset[str]:
    return frozenset(position.fen for position in calibration_positions())


def seen_in_calibration(position: ChessPosition) -> bool:
    """Whether the ranges were taken from it."""
    return position.fen in _calibration_fens()


def _behind(graph: onnx.GraphProto, output: str) -> set[str]:
    """The names of all that an output depends on."""
    found = {output}
    for node in reversed(graph.node):
        if found.intersection(node.output):
            found.update(node.input)
    return found


def _quantise(model: OnnxModel) -> bytes:
    # Brings a tool for each format and takes a while, for what a net needs once.
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static  # noqa: PLC0415

    class Calibration(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self._parts = _parts(Batch(calibration_positions()).planes(model.encoding))

        def get_next(self) -> dict[str, Floats] | None:
            return next(self._parts, None)

    proto = onnx.load_from_string(model.data)
    if not (layers := tower(proto.graph)):
        raise NetFileError(f"{model.name} has no residual tower, whose layers int8 is for")
    for node in proto.graph.node:
        node.name = node.output[0]
    proto.metadata_props.add(key=_PREPARED[0], value=_PREPARED[1])
    with tempfile.TemporaryDirectory(prefix="foible-int8-") as folder:
        path = Path(folder) / "int8.onnx"
        quantize_static(
            proto,
            path,
            Calibration(),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            nodes_to_quantize=layers,
            op_types_to_quantize=["Conv"],
        )
        return path.read_bytes()


def _parts(planes: Floats) -> Iterator[dict[str, Floats]]:
    return ({"planes": planes[i : i + _PART]} for i in range(0, len(planes), _PART))


def _path(model: OnnxModel) -> Path:
    digest = hashlib.sha256(model.data)
    digest.update(f"{model.encoding} {_MAKING} {onnxruntime.__version__} {onnx.__version__}".encode())
    return cache_folder() / "int8" / f"{digest.hexdigest()}.onnx"


def _kept(path: Path) -> bytes | None:
    """What lies in the cache, whole as it was written."""
    try:
        sealed = path.read_bytes()
        data = unseal_file(sealed)
    except (OSError, GameFileError):
        return None
    return None if data == sealed else data


def _keep(path: Path, data: bytes) -> None:
    """It is only a cache: where it cannot be written, the net is made anew each time."""
    try:
        replace_file(path, seal_file(data))
    except OSError:
        return
