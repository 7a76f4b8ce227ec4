"""Layers of an lc0 weights file: decodes their four encodings, and checks every shape.

Convolutions and the layers of residual nets are decoded, and folded with batch norm, in float64 and rounded once. The
rule-50 plane counts to 100, which would magnify the rounding errors that float32 makes on the plane's small weights.
"""

from dataclasses import dataclass, field
from math import prod

import numpy as np

from foible.errors import NetFileError
from foible.nets.lc0_net import EPSILON, BatchNorm, Conv, Dense, Doubles, Floats, fold_into
from foible.nets.protobuf_wire import Message

ENCODINGS = {1: "LINEAR16", 2: "FLOAT16", 3: "BFLOAT16", 4: "FLOAT32"}
"""The encodings of weights, by their number in the file. A layer that names none is in LINEAR16, whatever encoding the
file as a whole names (lc0-nets §2).
"""
_WIDTHS = {"LINEAR16": 2, "FLOAT16": 2, "BFLOAT16": 2, "FLOAT32": 4}


_CHUNK = 1 << 20
"""The number of weights that are checked at a time, to save memory."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The weights of a layer as a view of the file's bytes, decoded each time they are needed.

    Otherwise a large net would be in memory twice before a runtime has it.
    """

    data: memoryview
    encoding: str
    low: float
    """The number that step 0 stands for in LINEAR16."""
    high: float
    """The number that step 65535 stands for in LINEAR16."""
    shape: tuple[int, ...]

    def array(self) -> Floats:
        """The decoded weights in float32, computed as lc0 does."""
        return self._decoded(self.data).reshape(self.shape)

    def is_finite(self) -> bool:
        """Whether every weight is a finite number."""
        if self.encoding == "LINEAR16":
            return bool(np.isfinite([self.low, self.high]).all())
        step = _CHUNK * _WIDTHS[self.encoding]
        parts = (self._decoded(self.data[start : start + step]) for start in range(0, len(self.data), step))
        return all(bool(np.isfinite(part).all()) for part in parts)

    def _decoded(self, data: memoryview) -> Floats:
        if self.encoding == "FLOAT32":
            return np.frombuffer(data, "<f4").astype(np.float32, copy=False)
        if self.encoding == "FLOAT16":
            return np.frombuffer(data, "<f2").astype(np.float32)
        steps = np.frombuffer(data, "<u2")
        if self.encoding == "BFLOAT16":
            return (steps.astype(np.uint32) << 16).view(np.float32)
        share = steps.astype(np.float32)
        share /= np.float32(0xFFFF)
        values = (np.float32(1) - share) * np.float32(self.low)
        share *= np.float32(self.high)
        values += share
        return values


@dataclass(frozen=True, slots=True)
class Layers:
    """Reads the layers that are fields of one message.

    :raises NetFileError: (every method) a layer is missing, not finite, or not of the size that its
        neighbours demand.
    """

    message: Message
    folded: bool = True
    """Whether batch norm is folded into its convolution."""
    encodings: set[str] = field(default_factory=set)
    """The encodings of all layers read so far."""

    def inside(self, message: Message) -> "Layers":
        """The layers of a nested message."""
        return Layers(message, self.folded, self.encodings)

    def conv(self, number: int, name: str, outputs: int | None, inputs: int, size: int) -> Conv:
        """A convolution with its batch norm, if any. `outputs` `None`: as many as the batch norm or the biases have."""
        block = self.message.message(number, name)
        if block is None:
            raise NetFileError(f"{name} is missing")
        inner = self.inside(block)
        means = inner.vector(3, f"{name} means", outputs)
        biases = inner.vector(2, f"{name} biases", outputs)
        if outputs is None:
            outputs = len(means) or len(biases)
        if not outputs:
            raise NetFileError(f"{name} has neither biases nor batch norm")
        weights = inner.array(1, f"{name} weights", (outputs, inputs, size, size))
        if not len(biases):
            biases = np.zeros(outputs, np.float64)
        _check_size(f"{name} biases", len(biases), (outputs,))
        norm = None
        if len(means):
            norm = inner._norm(name, means - biases)
            biases = np.zeros(outputs, np.float64)
        if norm is not None and not self.folded:
            return Conv(_single(weights, name), _single(biases, name), BatchNorm(*(_single(v, name) for v in norm)))
        if norm is not None:
            weights, biases = fold_into(weights, *norm)
        return Conv(_single(weights, name), _single(biases, name))

    def dense(self, weights: int, biases: int, name: str, outputs: int | None, inputs: int) -> Dense:
        """A dense layer. `outputs` `None`: as many as it has biases."""
        b = self.vector(biases, f"{name} biases", outputs)
        if not len(b):
            raise NetFileError(f"{name} is missing")
        w = self.array(weights, f"{name} weights", (len(b), inputs))
        return Dense(_single(w, name), _single(b, name))

    def nested(self, number: int, name: str) -> "Layers":
        """The layers of a nested message, which must be there."""
        message = self.message.message(number, name)
        if message is None:
            raise NetFileError(f"{name} is missing")
        return self.inside(message)

    def length(self, number: int, name: str) -> int:
        """The number of weights of a layer; 0 when it is absent."""
        layer = self.message.message(number, name)
        return 0 if layer is None else self._measured(layer, name)[1]

    def stored(self, number: int, name: str, shape: tuple[int, ...]) -> "Stored":
        """A layer of a known shape, checked, but left undecoded in the file's bytes."""
        layer = self.message.message(number, name)
        if layer is None:
            raise NetFileError(f"{name}: missing, expected {prod(shape)} numbers")
        encoding, count = self._measured(layer, name)
        _check_size(name, count, shape)
        low, high = (layer.float32(1), layer.float32(2)) if encoding == "LINEAR16" else (0.0, 0.0)
        stored = Stored(layer.bytes(3), encoding, low, high, shape)
        if not stored.is_finite():
            raise NetFileError(f"{name}: holds numbers that are not finite")
        self.encodings.add(encoding)
        return stored

    def single(self, number: int, name: str, length: int | None) -> Floats:
        """The numbers of a layer in the file's order, `[n]`, in float32; empty when the layer is absent. A length other
        than `length` is an error.
        """
        count = self.length(number, name)
        if number not in self.message.fields or not count:
            return np.zeros(0, np.float32)
        return self.stored(number, name, (count if length is None else length,)).array()

    def _measured(self, layer: Message, name: str) -> tuple[str, int]:
        """The encoding and the number of weights of a layer."""
        encoding = self._encoding(layer, name)
        data = layer.bytes(3)
        count, rest = divmod(len(data), _WIDTHS[encoding])
        if rest:
            raise NetFileError(f"{name}: {len(data)} bytes are no whole number of {encoding} weights")
        return encoding, count

    def array(self, number: int, name: str, shape: tuple[int, ...]) -> Doubles:
        """The weights of a layer of a known shape, in float64."""
        values = self.vector(number, name, prod(shape))
        _check_size(name, len(values), shape)
        return values.reshape(shape)

    def vector(self, number: int, name: str, length: int | None) -> Doubles:
        """The numbers of a layer in the file's order, `[n]`, in float64; empty when the layer is absent. A length other
        than `length` is an error.
        """
        layer = self.message.message(number, name)
        if layer is None:
            return np.zeros(0, np.float64)
        encoding, count = self._measured(layer, name)
        if length is not None:
            _check_size(name, count, (length,))
        values = _decode(layer, layer.bytes(3), encoding)
        if not np.isfinite(values).all():
            raise NetFileError(f"{name}: holds numbers that are not finite")
        self.encodings.add(encoding)
        return values

    def _encoding(self, layer: Message, name: str) -> str:
        code = layer.integer(4, 1)
        if (encoding := ENCODINGS.get(code)) is None:
            raise NetFileError(f"{name}: weights encoding {code}, expected one of {', '.join(ENCODINGS.values())}")
        return encoding

    def _norm(self, name: str, means: Doubles) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """Read a batch norm: its means, variances, gammas and betas. Absent gammas are 1, absent betas 0."""
        outputs = len(means)
        variances = self.array(4, f"{name} variances", (outputs,))
        gammas = self.vector(5, f"{name} gammas", outputs)
        betas = self.vector(6, f"{name} betas", outputs)
        if not (variances > -EPSILON).all():
            raise NetFileError(f"{name}: negative variance {variances.min()}")
        return (
            means,
            variances,
            gammas if len(gammas) else np.ones(outputs, np.float64),
            betas if len(betas) else np.zeros(outputs, np.float64),
        )


def _decode(layer: Message, data: memoryview, encoding: str) -> Doubles:
    if encoding == "FLOAT32":
        return np.frombuffer(data, "<f4").astype(np.float64)
    if encoding == "FLOAT16":
        return np.frombuffer(data, "<f2").astype(np.float64)
    steps = np.frombuffer(data, "<u2")
    if encoding == "BFLOAT16":
        return (steps.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    low, high = layer.float32(1), layer.float32(2)
    with np.errstate(invalid="ignore"):  # an infinite bound gives numbers that are not finite: `vector` refuses them
        return steps / 0xFFFF * (high - low) + low


def _single(values: Doubles, name: str) -> Floats:
    """Round to float32.

    :raises NetFileError: a number is too large for float32.
    """
    if values.size and np.abs(values).max() > np.finfo(np.float32).max:
        raise NetFileError(f"{name}: batch norm overflows 32-bit floats")
    return values.astype(np.float32)


def _check_size(name: str, found: int, shape: tuple[int, ...]) -> None:
    if found != prod(shape):
        times = f" = {' × '.join(map(str, shape))}" if len(shape) > 1 else ""
        raise NetFileError(f"{name}: {found} numbers, expected {prod(shape)}{times}")
