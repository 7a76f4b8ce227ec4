"""Nets in int8: the convolutions of the residual tower compute with 8-bit numbers; the first layer, the squeeze-excite
layers and the heads stay in f32.

Weights are rounded channel by channel, activations according to their range on calibration positions (static
quantisation of ONNX Runtime, in the QDQ format, which OpenVINO runs too). The first layer and the heads are left alone
because rounding them costs as much accuracy as rounding the whole tower: the input mixes counts with flags, and errors
in the few outputs of a head do not average out.

The calibration positions come from random play with a fixed seed, so every machine has the same; nets calibrated on
games of their own came out no closer to their originals (docs/results.md). A quantised net is kept in the cache, under
the hash of what it was made from.
"""

import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import onnx

from foible._core import Batch, ChessPosition
from foible.errors import GameFileError, NetFileError
from foible.extras import version_of
from foible.games.chess import random_positions
from foible.nets.download import cache_folder
from foible.nets.evaluator import Floats
from foible.nets.onnx_file import OnnxModel
from foible.runs.files import replace_file, seal_file, unseal_file

CALIBRATION: Final = 256
"""The number of calibration positions."""
_PLIES: Final = (0, 100)
_PART: Final = 32
_MAKING: Final = 1
"""The version of the quantisation method, to be increased when the method changes; it is part of the key in the
cache.
"""
_PREPARED: Final = ("onnx.quant.pre_process", "onnxruntime.quant")
"""The metadata entry that tells ONNX Runtime that a graph needs no simplification before it is quantised. Without it,
ONNX Runtime asks for that in the log, whose handlers it sets up for the whole process.
"""


def quantised(model: OnnxModel) -> OnnxModel:
    """The net in int8, from the cache; if it is not there, it is quantised, which takes a second or two, and put there.

    :raises NetFileError: the net has no residual tower, whose layers int8 is for.
    """
    path = _path(model)
    data = _kept(path)
    if data is None:
        data = _quantise(model)
        _keep(path, data)
    return replace(model, data=data)


def is_quantised(model: OnnxModel) -> bool:
    """Whether the net in int8 is in the cache already."""
    return _path(model).is_file()


def has_tower(model: OnnxModel) -> bool:
    """Whether a net has layers that int8 is for: a residual tower."""
    return bool(tower(onnx.load_from_string(model.data).graph))


def tower(graph: onnx.GraphProto) -> list[str]:
    """The names of the outputs of the convolutions to be quantised: the 3×3 convolutions on which all outputs of the
    net depend, except the first. Empty for a net without a residual tower.
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
    """The calibration positions, from random play with a fixed seed: the same on every machine."""
    return random_positions(CALIBRATION, plies=_PLIES)


@cache
def _calibration_fens() -> frozenset[str]:
    return frozenset(position.fen for position in calibration_positions())


def seen_in_calibration(position: ChessPosition) -> bool:
    """Whether the position is one of the calibration positions."""
    return position.fen in _calibration_fens()


def _behind(graph: onnx.GraphProto, output: str) -> set[str]:
    """The names of all tensors on which an output depends, itself included."""
    behind = {output}
    for node in reversed(graph.node):
        if behind.intersection(node.output):
            behind.update(node.input)
    return behind


def _quantise(model: OnnxModel) -> bytes:
    # Imported here because it takes a while, and each net is quantised only once.
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
    digest.update(f"{model.encoding} {_MAKING} {version_of('onnxruntime')} {onnx.__version__}".encode())
    return cache_folder() / "int8" / f"{digest.hexdigest()}.onnx"


def _kept(path: Path) -> bytes | None:
    """The content of a file in the cache; `None` if it is absent, or incomplete or damaged according to its
    checksum.
    """
    try:
        sealed = path.read_bytes()
        data = unseal_file(sealed)
    except (OSError, GameFileError):
        return None
    return None if data == sealed else data


def _keep(path: Path, data: bytes) -> None:
    """Put a quantised net into the cache. Errors are ignored: without the cache, the net is quantised each time."""
    try:
        replace_file(path, seal_file(data))
    except OSError:
        return
