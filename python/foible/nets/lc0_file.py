"""Reads lc0 weights files (`.pb.gz`, `.pb`) into plain arrays: residual nets as `Lc0Net`; nets with attention in the
body, in the policy or in both, and nets with several heads to choose from, as `AttentionNet`. The first aim is safety
on untrusted input.

The sources on the format are `lczero-common/proto/net.proto` for field numbers and enumerations, and lc0's loader for
the magic number, the defaults of old files and the convention for batch norm (variances, epsilon 1e-5).
"""

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from foible.errors import NetFileError
from foible.nets.encoding import InputEncoding
from foible.nets.file_reading import MAX_BYTES, check_expansion, check_is_no_stand_in, naming, unpacked
from foible.nets.lc0_architecture import POLICY_HEADS, VALUE_HEADS, Architecture, read_architecture
from foible.nets.lc0_attention import AttentionBody, read_body
from foible.nets.lc0_heads import (
    DEFAULT_HEADS,
    AttentionPolicy,
    Heads,
    Policy,
    heads_of,
    read_moves_left,
    read_policy,
    read_value,
)
from foible.nets.lc0_layers import ENCODINGS, Layers
from foible.nets.lc0_net import INPUT_PLANES, Activation, Block, Conv, Head, Lc0Net, SqueezeExcite
from foible.nets.protobuf_wire import Message, fixed32_field, read_message
from foible.toml import AnyPath, expand

MAGIC = 0x1C0
"""The first field of every weights file."""

_MAGIC = fixed32_field(1, MAGIC)
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Tower:
    """An input convolution and residual blocks."""

    input: Conv
    blocks: tuple[Block, ...]

    @property
    def filters(self) -> int:
        """The number of channels."""
        return len(self.input.biases)


@dataclass(frozen=True, slots=True)
class AttentionNet:
    """A net as read from a weights file, with one policy and one value chosen. Large weights stay in the file's bytes,
    undecoded.
    """

    architecture: Architecture
    tower: Tower | None
    body: AttentionBody | None
    policy: Policy
    value: Head
    moves_left: Head | None
    heads: Heads
    """The names of the chosen policy and value."""
    policies: tuple[str, ...]
    """The names of all policies in the file."""
    values: tuple[str, ...]
    """The names of all values in the file."""
    encoding: str
    """How the file stores the weights, as in `Lc0Net`."""
    training_steps: int
    """0 when the file does not say."""

    @property
    def input(self) -> InputEncoding:
        """The encoding of the net's input planes."""
        return self.architecture.input

    @property
    def activation(self) -> Activation:
        """The activation of all layers for which the file names no other."""
        return self.architecture.activation

    @property
    def wdl(self) -> bool:
        """Whether the value head tells draws apart."""
        return self.architecture.wdl


def read_lc0(path: AnyPath, *, folded: bool = True, max_bytes: int = MAX_BYTES) -> Lc0Net:
    """Read a weights file of a residual net, gzipped or not. `folded`: fold batch norm into the convolutions.

    :raises NetFileError: the file cannot be read, is cut off, expands beyond `max_bytes`, is no lc0 weights
        file, or holds a net that is not of the residual family; the message names the file.
    """
    path = expand(path)
    with naming(path):
        return parse_lc0(read_contents(path, max_bytes), folded=folded)


def parse_lc0(data: bytes | bytearray, *, folded: bool = True) -> Lc0Net:
    """Parse an uncompressed weights file of a residual net.

    :raises NetFileError: as `read_lc0`, without the file's name.
    """
    net = parse_net(data, folded=folded)
    if isinstance(net, AttentionNet):
        raise NetFileError("has attention or several heads; expected a residual net with one head of each kind")
    return net


def parse_net(data: bytes | bytearray, heads: Heads | None = None, *, folded: bool = True) -> Lc0Net | AttentionNet:
    """Parse an uncompressed weights file. `heads`: the heads to use if the file has several; `None`: the default ones.
    `folded`: fold batch norm into the convolutions.

    :raises NetFileError: the file is damaged, holds something else than weights of lc0's layers, or has no such heads.
    """
    check_magic(data)
    net = read_message(memoryview(data), "net")
    file_format = net.message(4, "format") or Message("format", {})
    if (code := file_format.integer(1)) > max(ENCODINGS):
        raise NetFileError(f"unknown weights encoding {code}, expected one of {', '.join(ENCODINGS.values())}")
    network_format = file_format.message(2, "network format")
    weights = net.message(10, "weights")
    kind = read_architecture(network_format, weights or Message("weights", {}))
    if weights is None:
        raise NetFileError("holds no weights")
    layers = Layers(weights, folded)
    training = net.message(5, "training parameters")
    training_steps = training.integer(1) if training else 0
    blocks = weights.messages(2, "block")
    several = weights.fields.keys() & {POLICY_HEADS, VALUE_HEADS}
    if kind.attention and not blocks:
        return read_attention_net(layers, kind, None, heads, training_steps)
    inputs = layers.conv(1, "input convolution", outputs=None, inputs=INPUT_PLANES, size=3)
    filters = len(inputs.biases)
    tower = Tower(inputs, tuple(_block(layers, block, filters) for block in blocks))
    chosen = heads or DEFAULT_HEADS
    if kind.attention or kind.policy == "attention" or several:
        return read_attention_net(layers, kind, tower, heads, training_steps)
    policy = read_policy(layers, kind.policy, chosen.policy, filters, dense_embedding=False)
    assert not isinstance(policy, AttentionPolicy)
    return Lc0Net(
        input=tower.input,
        blocks=tower.blocks,
        policy=policy,
        value=read_value(layers, kind, chosen.value, filters),
        moves_left=read_moves_left(layers, kind, filters),
        activation=kind.activation,
        encoding="+".join(sorted(layers.encodings)),
        training_steps=training_steps,
        planes=kind.input,
    )


def read_attention_net(
    layers: Layers, architecture: Architecture, tower: Tower | None, heads: Heads | None, training_steps: int
) -> AttentionNet:
    """Read the body and the heads of a net from the weights in a file, of which the tower, if any, is read already.

    `heads`: the policy and the value to choose; `None`: the default ones.

    :raises NetFileError: the file has no head of that name, a layer is missing, or its size does not fit.
    """
    heads = heads or DEFAULT_HEADS
    kind = architecture
    body = None
    if kind.attention:
        activations = kind.ffn_activation, kind.smolgen_activation
        body = read_body(layers, kind.embedding, None if tower is None else tower.filters, activations)
    width = 0 if tower is None else tower.filters
    if body is not None:
        width = body.width
    dense = kind.attention and kind.embedding == "dense"
    policy = read_policy(layers, kind.policy, heads.policy, width, dense_embedding=dense)
    policies, values = heads_of(layers)
    return AttentionNet(
        architecture=kind,
        tower=tower,
        body=body,
        policy=policy,
        value=read_value(layers, kind, heads.value, width),
        moves_left=read_moves_left(layers, kind, width),
        heads=heads,
        policies=policies,
        values=values,
        encoding="+".join(sorted(layers.encodings)),
        training_steps=training_steps,
    )


def check_magic(data: bytes | bytearray) -> None:
    """:raises NetFileError: the data are not those of an lc0 weights file."""
    if data[: len(_MAGIC)] != _MAGIC:
        check_is_no_stand_in(data)
        start = bytes(data[:5]).hex() or "nothing"
        raise NetFileError(f"not an lc0 weights file: starts with {start}, expected {_MAGIC.hex()}")


def read_contents(path: Path, max_bytes: int = MAX_BYTES) -> bytes | bytearray:
    """The uncompressed content of a weights file. Of a file that does not begin as one, only the first chunk is read.

    :raises NetFileError: the file cannot be read, is cut off, or expands beyond `max_bytes`.
    """
    with unpacked(path, max_bytes) as (stream, limit):
        return _read_up_to(stream, limit)


def _read_up_to(stream: IO[bytes] | gzip.GzipFile, limit: int) -> bytearray:
    data = bytearray()
    while chunk := stream.read(_CHUNK):
        data += chunk
        if data[: len(_MAGIC)] != _MAGIC:
            break
        check_expansion(len(data), limit)
    return data


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
