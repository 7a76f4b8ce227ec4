"""lc0 weights files (`.pb.gz`, `.pb`) to plain arrays. Safe on untrusted input first.

Format facts: `lczero-common/proto/net.proto` for field numbers and enumerations, lc0's loader for the magic
number, the defaults of old files and the batch-norm convention (variances, epsilon 1e-5).
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from foible.errors import NetFileError
from foible.nets.lc0_layers import ENCODINGS, Layers
from foible.nets.lc0_net import (
    INPUT_PLANES,
    POLICY_PLANES,
    POLICY_SIZE,
    Activation,
    Block,
    ClassicalPolicy,
    ConvolutionalPolicy,
    Head,
    Lc0Net,
    SqueezeExcite,
)
from foible.nets.protobuf_wire import Message, fixed32_field, read_message

MAX_BYTES = 1 << 30
"""Largest uncompressed weights file that is read by default, in bytes. The largest residual nets have some
0.4 GB.
"""

MAGIC = 0x1C0
"""The first field of every weights file."""

_MAGIC = fixed32_field(1, MAGIC)
_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 1 << 20
_SURE, _EXPANSION = 64 << 20, 64
"""Weights shrink by a factor of 1 to 3: past the first 64 MiB, what grows more than 64-fold is no net."""

_INPUTS = {
    2: "INPUT_112_WITH_CASTLING_PLANE",
    3: "INPUT_112_WITH_CANONICALIZATION",
    4: "INPUT_112_WITH_CANONICALIZATION_HECTOPLIES",
    5: "INPUT_112_WITH_CANONICALIZATION_V2",
    132: "INPUT_112_WITH_CANONICALIZATION_HECTOPLIES_ARMAGEDDON",
    133: "INPUT_112_WITH_CANONICALIZATION_V2_ARMAGEDDON",
}
_STRUCTURES = {
    5: "NETWORK_ONNX",
    6: "NETWORK_ATTENTIONBODY_WITH_HEADFORMAT",
    7: "NETWORK_ATTENTIONBODY_WITH_MULTIHEADFORMAT",
    134: "NETWORK_AB_LEGACY_WITH_MULTIHEADFORMAT",
}
_WITH_HEAD_FORMATS = (3, 4)
_ATTENTION_FIELDS = {
    21: "policy encoder",
    25: "embedding",
    27: "encoder",
    35: "smolgen",
    44: "value_heads",
    45: "policy_heads",
}


def read_lc0(path: Path, *, folded: bool = True, max_bytes: int = MAX_BYTES) -> Lc0Net:
    """Read a weights file, gzipped or not. `folded`: with batch norm folded into the convolutions.

    :raises NetFileError: the file cannot be read, is cut off, expands beyond `max_bytes`, is no lc0 weights
        file, or holds a net that is not of the residual family; the message names the file.
    """
    with naming(path):
        return parse_lc0(read_contents(path, max_bytes), folded=folded)


def parse_lc0(data: bytes | bytearray, *, folded: bool = True) -> Lc0Net:
    """Parse an uncompressed weights file.

    :raises NetFileError: as `read_lc0`, without the file's name.
    """
    check_magic(data)
    net = read_message(memoryview(data), "net")
    file_format = net.message(4, "format") or Message("format", {})
    weights = net.message(10, "weights")
    network_format = file_format.message(2, "network format") or Message("network format", {})
    _refuse_other_families(network_format, weights)
    if weights is None:
        raise NetFileError("holds no weights")
    layers = Layers(weights, _file_encoding(file_format), folded)
    training = net.message(5, "training parameters")
    inputs = layers.conv(1, "input convolution", outputs=None, inputs=INPUT_PLANES, size=3)
    filters = len(inputs.biases)
    return Lc0Net(
        input=inputs,
        blocks=tuple(_block(layers, block, filters) for block in weights.messages(2, "block")),
        policy=_policy(layers, network_format, filters),
        value=_head(layers, "value", (6, 7, 8, 9, 10), filters, _value_outputs(network_format)),
        moves_left=_moves_left(layers, network_format, filters),
        activation=_activation(network_format),
        encoding="+".join(sorted(layers.encodings)),
        training_steps=training.integer(1) if training else 0,
    )


def check_magic(data: bytes | bytearray) -> None:
    """:raises NetFileError: it is no lc0 weights file."""
    if data[: len(_MAGIC)] != _MAGIC:
        start = bytes(data[:5]).hex() or "nothing"
        raise NetFileError(f"not an lc0 weights file: starts with {start}, expected {_MAGIC.hex()}")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Puts the name of a file before what is wrong with it."""
    try:
        yield
    except NetFileError as error:
        raise NetFileError(f"{path}: {error}") from None


def read_contents(path: Path, max_bytes: int = MAX_BYTES) -> bytes | bytearray:
    """A weights file unpacked; no more than its first chunk where it is none.

    :raises NetFileError: it cannot be read, is cut off, or expands beyond `max_bytes`.
    """
    if not path.is_file():
        raise NetFileError("no such file" if not path.exists() else "not a file")
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == _GZIP_MAGIC
            file.seek(0)
            size = path.stat().st_size
            if not zipped:
                return _read_up_to(file, max_bytes)
            with gzip.GzipFile(fileobj=file) as stream:
                return _read_up_to(stream, min(max_bytes, _SURE + size * _EXPANSION))
    except EOFError:
        raise NetFileError("cut off: the gzip stream ends early") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise NetFileError(f"damaged gzip stream: {error}") from None
    except OSError as error:
        raise NetFileError(f"cannot be read: {error.strerror}") from None


def _read_up_to(stream: IO[bytes] | gzip.GzipFile, limit: int) -> bytearray:
    data = bytearray()
    while chunk := stream.read(_CHUNK):
        data += chunk
        if data[: len(_MAGIC)] != _MAGIC:
            break
        if len(data) > limit:
            raise NetFileError(f"expands beyond {limit >> 20} MiB, which no weights file of this size does")
    return data


def _refuse_other_families(network_format: Message, weights: Message | None) -> None:
    structure = network_format.integer(3)
    supported = "foible reads residual nets (plain or squeeze-excite)"
    if structure in _STRUCTURES:
        raise NetFileError(f"is of the kind {_STRUCTURES[structure]}; {supported}")
    attention = [name for number, name in _ATTENTION_FIELDS.items() if weights and number in weights.fields]
    if attention:
        raise NetFileError(f"has an attention body or heads ({', '.join(attention)}); {supported}")
    if structure not in (0, 1, 2, *_WITH_HEAD_FORMATS):
        raise NetFileError(f"is of the unknown kind {structure}; {supported}")
    if (planes := network_format.integer(1, 1)) > 1:
        found = _INPUTS.get(planes, f"unknown format {planes}")
        raise NetFileError(f"input planes are {found}; foible encodes INPUT_CLASSICAL_112_PLANE")


def _file_encoding(file_format: Message) -> str | None:
    code = file_format.integer(1)
    if code > 1:
        raise NetFileError(f"unknown weights encoding {code}, expected LINEAR16 (1)")
    return ENCODINGS.get(code)


def _activation(network_format: Message) -> Activation:
    code = network_format.integer(7)
    if code > 1:
        raise NetFileError(f"unknown default activation {code}, expected ReLU (0) or Mish (1)")
    return "mish" if code else "relu"


def _block(layers: Layers, block: Message, filters: int) -> Block:
    inner = layers.inside(block)
    name = block.what
    se = block.message(3, f"{name} squeeze-excite")
    return Block(
        conv1=inner.conv(1, f"{name} convolution 1", filters, filters, 3),
        conv2=inner.conv(2, f"{name} convolution 2", filters, filters, 3),
        se=None if se is None else _squeeze_excite(layers.inside(se), se.what, filters),
    )


def _squeeze_excite(layers: Layers, name: str, filters: int) -> SqueezeExcite:
    squeeze = layers.dense(1, 2, f"{name} layer 1", None, filters)
    return SqueezeExcite(squeeze, layers.dense(3, 4, f"{name} layer 2", 2 * filters, len(squeeze.biases)))


def _policy(layers: Layers, network_format: Message, filters: int) -> ClassicalPolicy | ConvolutionalPolicy:
    code = network_format.integer(4) if network_format.integer(3) in _WITH_HEAD_FORMATS else 1
    if code == 2:
        return ConvolutionalPolicy(
            hidden=layers.conv(11, "policy convolution 1", filters, filters, 3),
            planes=layers.conv(3, "policy convolution 2", POLICY_PLANES, filters, 3),
        )
    if code == 3:
        raise NetFileError("has a POLICY_ATTENTION head; foible reads classical and convolutional policies")
    if code != 1:
        raise NetFileError(f"unknown policy format {code}, expected POLICY_CLASSICAL or POLICY_CONVOLUTION")
    conv = layers.conv(3, "policy convolution", None, filters, 1)
    return ClassicalPolicy(conv, layers.dense(4, 5, "policy layer", POLICY_SIZE, 64 * len(conv.biases)))


def _value_outputs(network_format: Message) -> int:
    code = network_format.integer(5) if network_format.integer(3) in _WITH_HEAD_FORMATS else 1
    if code not in (1, 2):
        raise NetFileError(f"unsupported value format {code}, expected VALUE_CLASSICAL or VALUE_WDL")
    return 3 if code == 2 else 1


def _moves_left(layers: Layers, network_format: Message, filters: int) -> Head | None:
    code = network_format.integer(6)
    if code > 1:
        raise NetFileError(f"unknown moves-left format {code}, expected MOVES_LEFT_V1")
    return _head(layers, "moves-left", (12, 13, 14, 15, 16), filters, 1) if code else None


def _head(layers: Layers, name: str, numbers: tuple[int, int, int, int, int], filters: int, outputs: int) -> Head:
    conv_field, w1, b1, w2, b2 = numbers
    conv = layers.conv(conv_field, f"{name} convolution", None, filters, 1)
    hidden = layers.dense(w1, b1, f"{name} layer 1", None, 64 * len(conv.biases))
    return Head(conv, hidden, layers.dense(w2, b2, f"{name} layer 2", outputs, len(hidden.biases)))
