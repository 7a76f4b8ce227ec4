"""Layers of an lc0 weights file: the four encodings, and the check of every shape.

Decoding and folding are done in float64 and rounded once: the rule-50 plane counts to 100, which would
magnify what float32 loses on the small weights behind it.
"""

from dataclasses import dataclass, field
from math import prod

import numpy as np

from foible.errors import NetFileError
from foible.nets.lc0_net import EPSILON, BatchNorm, Conv, Dense, Doubles, Floats, fold_into
from foible.nets.protobuf_wire import Message

ENCODINGS = {1: "LINEAR16", 2: "FLOAT16", 3: "BFLOAT16", 4: "FLOAT32"}
"""By their number in the file."""
_WIDTHS = {"LINEAR16": 2, "FLOAT16": 2, "BFLOAT16": 2, "FLOAT32": 4}


@dataclass(frozen=True, slots=True)
class Layers:
    """Reads the layers that are fields of one message.

    :raises NetFileError: (every method) a layer is missing, not finite, or not of the size that its
        neighbours demand.
    """

    message: Message
    default_encoding: str | None
    """Of layers that do not name their own; `None` when the file names none either."""
    folded: bool = True
    """Whether batch norm is folded into its convolution."""
    encodings: set[str] = field(default_factory=set)
    """Collects what was met."""

    def inside(self, message: Message) -> "Layers":
        """The layers of a nested message."""
        return Layers(message, self.default_encoding, self.folded, self.encodings)

    def conv(self, number: int, name: str, outputs: int | None, inputs: int, size: int) -> Conv:
        """A convolution with its batch norm, if any. `outputs` `None`: as many as biases."""
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

    def array(self, number: int, name: str, shape: tuple[int, ...]) -> Doubles:
        """A layer of a known shape."""
        values = self.vector(number, name, prod(shape))
        _check_size(name, len(values), shape)
        return values.reshape(shape)

    def vector(self, number: int, name: str, length: int | None) -> Doubles:
        """A layer as it lies in the file, `[n]`; empty when absent. Another length than `length` is an
        error.
        """
        layer = self.message.message(number, name)
        if layer is None:
            return np.zeros(0, np.float64)
        encoding = self._encoding(layer, name)
        data = layer.bytes(3)
        count, rest = divmod(len(data), _WIDTHS[encoding])
        if rest:
            raise NetFileError(f"{name}: {len(data)} bytes are no whole number of {encoding} weights")
        if length is not None:
            _check_size(name, count, (length,))
        values = _decode(layer, data, encoding)
        if not np.isfinite(values).all():
            raise NetFileError(f"{name}: holds numbers that are not finite")
        self.encodings.add(encoding)
        return values

    def _encoding(self, layer: Message, name: str) -> str:
        code = layer.integer(4)
        encoding = ENCODINGS.get(code) if code else self.default_encoding
        if encoding is None:
            known = ", ".join(ENCODINGS.values())
            raise NetFileError(f"{name}: weights encoding {code or 'not named'}, expected one of {known}")
        return encoding

    def _norm(self, name: str, means: Doubles) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """Means, variances, gammas, betas; absent gammas are 1, betas 0."""
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
    return steps / 0xFFFF * (high - low) + low


def _single(values: Doubles, name: str) -> Floats:
    """Rounded to float32."""
    if values.size and np.abs(values).max() > np.finfo(np.float32).max:
        raise NetFileError(f"{name}: batch norm overflows 32-bit floats")
    return values.astype(np.float32)


def _check_size(name: str, found: int, shape: tuple[int, ...]) -> None:
    if found != prod(shape):
        times = f" = {' × '.join(map(str, shape))}" if len(shape) > 1 else ""
        raise NetFileError(f"{name}: {found} numbers, expected {prod(shape)}{times}")
