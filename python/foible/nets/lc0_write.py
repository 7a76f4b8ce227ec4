"""Writes residual nets as lc0 weights files (`.pb.gz`). `lc0_file.py` names the sources on the format."""

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from foible.errors import ConfigError
from foible.nets.encoding import LC0_INPUTS, InputEncoding
from foible.nets.lc0_file import MAGIC
from foible.nets.lc0_layers import ENCODINGS
from foible.nets.lc0_net import Activation, Block, Conv, ConvolutionalPolicy, Dense, Floats, Head, Lc0Net
from foible.nets.protobuf_wire import bytes_field, fixed32_field, float_field, number_field
from foible.runs.files import write_atomically

FileEncoding = Literal["LINEAR16", "FLOAT16", "BFLOAT16", "FLOAT32"]

_CODES: Final[Mapping[str, int]] = {name: code for code, name in ENCODINGS.items()}
_MINOR: Final[Mapping[Activation, int]] = {"relu": 21, "mish": 29}
"""The minor version x of the first lc0 0.x that read nets with this activation."""
_INPUTS: Final[Mapping[InputEncoding, int]] = {name: number for number, name in LC0_INPUTS.items()}
_LARGEST: Final[Mapping[FileEncoding, float]] = {
    "LINEAR16": float(np.finfo(np.float32).max),
    "FLOAT16": 65504.0,
    "BFLOAT16": 255 * 2.0**120,
    "FLOAT32": float(np.finfo(np.float32).max),
}
"""The largest number of each encoding."""
_MINOR_WITH_ENCODINGS = 33
"""The minor version x of the first lc0 0.x that read weights in other encodings than LINEAR16."""


def write_lc0(net: Lc0Net, path: Path, *, encoding: FileEncoding = "LINEAR16", licence: str = "") -> None:
    """Write a weights file, gzipped unless its name ends in `.pb`, whole or not at all.

    Batch norm that is not folded in stays apart, so that training can go on from the file. `licence`: the net's
    licence, which the file names.

    :raises ConfigError: a weight is not a finite number.
    :raises OSError: the file cannot be written.
    """
    data = serialise_lc0(net, encoding=encoding, licence=licence)
    write_atomically(path, data if path.suffix == ".pb" else gzip.compress(data, mtime=0))


def serialise_lc0(net: Lc0Net, *, encoding: FileEncoding = "LINEAR16", licence: str = "") -> bytes:
    """The bytes of an uncompressed weights file.

    LINEAR16 stores each layer in 65536 steps from its lowest to its highest number. A net that was read from such a
    file is written with the same steps again.
    """
    minor = _MINOR[net.activation] if encoding == "LINEAR16" else _MINOR_WITH_ENCODINGS
    file_encoding = number_field(1, _CODES[encoding]) if encoding == "LINEAR16" else b""
    return net_message(
        file_encoding + bytes_field(2, _network_format(net)),
        bytes_field(10, _weights(net, encoding)),
        minor=minor,
        licence=licence,
        training_steps=net.training_steps,
    )


def net_message(file_format: bytes, content: bytes, *, minor: int, licence: str, training_steps: int) -> bytes:
    """The bytes of a whole file. `content`: the field with the weights, or that with the ONNX model."""
    return b"".join(
        [
            fixed32_field(1, MAGIC),
            bytes_field(2, licence.encode()) if licence else b"",
            bytes_field(3, number_field(1, 0) + number_field(2, minor) + number_field(3, 0)),
            bytes_field(4, file_format),
            bytes_field(5, number_field(1, training_steps)) if training_steps else b"",
            content,
        ]
    )


def _network_format(net: Lc0Net) -> bytes:
    value = 2 if net.wdl else 1
    squeezed = any(block.se for block in net.blocks)
    fields = {
        1: _INPUTS[net.planes],
        2: value,  # output
        3: 4 if squeezed else 3,  # network: with or without squeeze-excite, heads named
        4: 2 if isinstance(net.policy, ConvolutionalPolicy) else 1,  # policy
        5: value,  # value head
    }
    if net.moves_left is not None:
        fields[6] = 1
    if net.activation == "mish":
        fields[7] = 1
    return b"".join(number_field(number, value) for number, value in fields.items())


def _weights(net: Lc0Net, encoding: FileEncoding) -> bytes:
    """The content of the `Weights` message, its fields in the order of their numbers."""
    fields = [bytes_field(1, _conv(net.input, encoding))]
    fields += [bytes_field(2, _block(block, encoding)) for block in net.blocks]
    if isinstance(net.policy, ConvolutionalPolicy):
        fields.append(bytes_field(3, _conv(net.policy.planes, encoding)))
    else:
        fields.append(bytes_field(3, _conv(net.policy.conv, encoding)))
        fields.append(_dense(4, net.policy.dense, encoding))
    fields.append(_head(6, 7, net.value, encoding))
    if isinstance(net.policy, ConvolutionalPolicy):
        fields.append(bytes_field(11, _conv(net.policy.hidden, encoding)))
    if net.moves_left is not None:
        fields.append(_head(12, 13, net.moves_left, encoding))
    return b"".join(fields)


def _block(block: Block, encoding: FileEncoding) -> bytes:
    fields = bytes_field(1, _conv(block.conv1, encoding)) + bytes_field(2, _conv(block.conv2, encoding))
    if block.se is not None:
        gating = _dense(1, block.se.squeeze, encoding) + _dense(3, block.se.excite, encoding)
        fields += bytes_field(3, gating)
    return fields


def _head(conv_field: int, dense_field: int, head: Head, encoding: FileEncoding) -> bytes:
    conv = bytes_field(conv_field, _conv(head.conv, encoding))
    return conv + _dense(dense_field, head.hidden, encoding) + _dense(dense_field + 2, head.output, encoding)


def _conv(conv: Conv, encoding: FileEncoding) -> bytes:
    layers = {1: conv.weights}
    if conv.norm is None:
        layers[2] = conv.biases
    else:
        layers |= {3: conv.norm.means, 4: conv.norm.variances, 5: conv.norm.gammas, 6: conv.norm.betas}
    return b"".join(bytes_field(number, _layer(values, encoding)) for number, values in layers.items())


def _dense(number: int, dense: Dense, encoding: FileEncoding) -> bytes:
    weights, biases = _layer(dense.weights, encoding), _layer(dense.biases, encoding)
    return bytes_field(number, weights) + bytes_field(number + 1, biases)


def _layer(values: Floats, encoding: FileEncoding) -> bytes:
    flat = values.ravel()
    if not (np.abs(flat) <= _LARGEST[encoding]).all():
        raise ConfigError(f"the net has weights that are not finite {encoding} numbers; it is not written")
    if encoding == "LINEAR16":
        return _linear16(flat)
    if encoding == "FLOAT32":
        data = flat.astype("<f4").tobytes()
    elif encoding == "FLOAT16":
        data = flat.astype("<f2").tobytes()
    else:
        data = _round_to_bfloat16(flat).tobytes()
    return bytes_field(3, data) + number_field(4, _CODES[encoding])


def _linear16(flat: Floats) -> bytes:
    """The fields of a layer in LINEAR16: the ends of its range, and a step for each number. A single number is stored
    as the upper end of a range from 0, as lc0's training writes it; equal numbers are stored as the lower end.
    """
    exact = flat.astype(np.float64)
    low, high = (exact.min(), exact.max()) if len(exact) > 1 else (0.0, exact[0] or 1.0)
    steps = np.rint((exact - low) / ((high - low) or 1.0) * 0xFFFF).astype("<u2")
    return float_field(1, float(low)) + float_field(2, float(high)) + bytes_field(3, steps.tobytes())


def _round_to_bfloat16(flat: Floats) -> NDArray[np.uint16]:
    """The upper halves of float32, rounded to nearest, ties to even."""
    bits = flat.astype("<f4").view("<u4")
    rounded: NDArray[np.uint32] = bits + 0x7FFF + (bits >> 16 & 1)
    return (rounded >> 16).astype("<u2")
