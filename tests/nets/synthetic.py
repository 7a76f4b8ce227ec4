"""Random residual nets as lc0 weights files, and their outputs by plain numpy in float64: independent of the
package.
"""

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ENCODINGS = {"LINEAR16": 1, "FLOAT16": 2, "BFLOAT16": 3, "FLOAT32": 4}
EPSILON = 1e-5


@dataclass(frozen=True)
class Recipe:
    """What kind of net to make."""

    filters: int = 8
    blocks: int = 2
    squeeze: int = 4
    """0: plain blocks."""
    policy: str = "convolution"
    wdl: bool = True
    moves_left: bool = False
    mish: bool = False
    encoding: str = "LINEAR16"
    encoding_per_layer: bool = False
    batch_norm: str = "folded"
    """`folded`, `full` (means, variances, gammas, betas), or `old` (biases, means, variances)."""
    head_format: bool = True
    """False: an old file that states neither policy nor value format."""
    channels: int = 3
    """Of the 1×1 convolutions of the heads."""
    hidden: int = 10
    """Width of the hidden layer of value and moves-left heads."""
    seed: int = 0


@dataclass
class Synthetic:
    """A file and what its net computes."""

    recipe: Recipe
    data: bytes
    weights: bytes
    """The weights message alone."""
    convs: dict[str, tuple[Array, Array]]
    denses: dict[str, tuple[Array, Array]]

    def outputs(self, planes: NDArray[np.float32]) -> dict[str, Array]:
        """`policy`, `wdl` and `moves_left` of `[N, 112, 8, 8]`; a convolutional policy is `[N, 80, 8, 8]`
        planes.
        """
        act = mish if self.recipe.mish else relu
        flow = act(convolve(planes.astype(np.float64), *self.convs["input"]))
        for i in range(self.recipe.blocks):
            inner = act(convolve(flow, *self.convs[f"block{i}.1"]))
            inner = convolve(inner, *self.convs[f"block{i}.2"])
            if self.recipe.squeeze:
                pooled = inner.mean(axis=(2, 3))
                gate, bias = np.split(
                    matrix(act(matrix(pooled, *self.denses[f"se{i}.1"])), *self.denses[f"se{i}.2"]), 2, axis=1
                )
                inner = inner / (1 + np.exp(-gate))[:, :, None, None] + bias[:, :, None, None]
            flow = act(inner + flow)
        if self.recipe.policy == "convolution":
            policy = convolve(act(convolve(flow, *self.convs["policy1"])), *self.convs["policy"])
        else:
            policy = matrix(act(convolve(flow, *self.convs["policy"])).reshape(len(flow), -1), *self.denses["policy"])
        value = self._head("value", flow, act)
        if self.recipe.wdl:
            e = np.exp(value - value.max(axis=1, keepdims=True))
            wdl = e / e.sum(axis=1, keepdims=True)
        else:
            v = np.tanh(value[:, 0])
            wdl = np.stack([(1 + v) / 2, np.zeros_like(v), (1 - v) / 2], axis=1)
        result = {"policy": policy, "wdl": wdl}
        if self.recipe.moves_left:
            result["moves_left"] = act(self._head("moves_left", flow, act))[:, 0]
        return result

    def _head(self, name: str, flow: Array, act: Any) -> Array:
        board = act(convolve(flow, *self.convs[name])).reshape(len(flow), -1)
        return matrix(act(matrix(board, *self.denses[f"{name}.1"])), *self.denses[f"{name}.2"])


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def mish(x: Array) -> Array:
    return x * np.tanh(np.logaddexp(0, x))


def matrix(x: Array, weights: Array, biases: Array) -> Array:
    return x @ weights.T + biases


def convolve(x: Array, weights: Array, biases: Array) -> Array:
    size = weights.shape[2]
    margin = size // 2
    padded = np.pad(x, ((0, 0), (0, 0), (margin, margin), (margin, margin)))
    total = np.zeros((len(x), len(weights), 8, 8))
    for i in range(size):
        for j in range(size):
            total += np.einsum("oi,nihw->nohw", weights[:, :, i, j], padded[:, :, i : i + 8, j : j + 8])
    return total + biases[:, None, None]


def number(field_number: int, value: int) -> bytes:
    return varint(field_number << 3) + varint(value)


def payload(field_number: int, data: bytes) -> bytes:
    return varint(field_number << 3 | 2) + varint(len(data)) + data


def real(field_number: int, value: float) -> bytes:
    return varint(field_number << 3 | 5) + struct.pack("<f", value)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


@dataclass
class _Writer:
    recipe: Recipe
    rng: np.random.Generator
    convs: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    denses: dict[str, tuple[Array, Array]] = field(default_factory=dict)

    def layer(self, values: Array) -> tuple[bytes, Array]:
        """The bytes of a `Layer` and the values that a reader gets back."""
        recipe, flat = self.recipe, values.ravel()
        head = b""
        if recipe.encoding == "LINEAR16":
            low, high = (float(np.float32(v)) for v in (flat.min(), flat.max()))
            steps = np.rint((flat - low) / ((high - low) or 1) * 65535).clip(0, 65535).astype("<u2")
            head, data, stored = (
                real(1, low) + real(2, high),
                steps.tobytes(),
                low + steps / 65535 * (high - low),
            )
        elif recipe.encoding == "FLOAT16":
            halves = flat.astype("<f2")
            data, stored = halves.tobytes(), halves.astype(np.float64)
        elif recipe.encoding == "BFLOAT16":
            bits = flat.astype(np.float32).view(np.uint32) >> 16
            data, stored = bits.astype("<u2").tobytes(), (bits << 16).view(np.float32).astype(np.float64)
        else:
            singles = flat.astype("<f4")
            data, stored = singles.tobytes(), singles.astype(np.float64)
        tail = number(4, ENCODINGS[recipe.encoding]) if recipe.encoding_per_layer else b""
        return head + payload(3, data) + tail, stored.reshape(values.shape)

    def fields(self, layers: Mapping[int, Array]) -> tuple[bytes, dict[int, Array]]:
        data, stored = b"", {}
        for field_number, values in layers.items():
            encoded, stored[field_number] = self.layer(values)
            data += payload(field_number, encoded)
        return data, stored

    def conv(self, name: str, outputs: int, inputs: int, size: int, *, plain: bool = False) -> bytes:
        scale = 1.4 / np.sqrt(inputs * size * size)
        layers = {1: self.rng.normal(0, scale, (outputs, inputs, size, size))}
        kind = "folded" if plain else self.recipe.batch_norm
        if kind != "full":
            layers[2] = self.rng.normal(0, 0.3, outputs)
        if kind != "folded":
            layers |= {3: self.rng.normal(0, 0.3, outputs), 4: self.rng.uniform(0.5, 2, outputs)}
        if kind == "full":
            layers |= {5: self.rng.normal(1, 0.5, outputs), 6: self.rng.normal(0, 0.3, outputs)}
        data, stored = self.fields(layers)
        weights, biases = stored[1], stored.get(2, np.zeros(outputs))
        if kind != "folded":
            factor = stored.get(5, np.ones(outputs)) / np.sqrt(stored[4] + EPSILON)
            weights = weights * factor[:, None, None, None]
            biases = (biases - stored[3]) * factor + stored.get(6, np.zeros(outputs))
        self.convs[name] = (weights, biases)
        return data

    def dense(self, name: str, fields: tuple[int, int], outputs: int, inputs: int) -> bytes:
        scale = 1.4 / np.sqrt(inputs)
        weights, biases = self.rng.normal(0, scale, (outputs, inputs)), self.rng.normal(0, 0.3, outputs)
        data, stored = self.fields({fields[0]: weights, fields[1]: biases})
        self.denses[name] = (stored[fields[0]], stored[fields[1]])
        return data

    def head(self, name: str, fields: Iterable[int], outputs: int) -> bytes:
        conv, w1, b1, w2, b2 = fields
        data = payload(conv, self.conv(name, self.recipe.channels, self.recipe.filters, 1))
        data += self.dense(f"{name}.1", (w1, b1), self.recipe.hidden, self.recipe.channels * 64)
        return data + self.dense(f"{name}.2", (w2, b2), outputs, self.recipe.hidden)

    def weights(self) -> bytes:
        recipe, filters = self.recipe, self.recipe.filters
        data = payload(1, self.conv("input", filters, 112, 3))
        for i in range(recipe.blocks):
            block = payload(1, self.conv(f"block{i}.1", filters, filters, 3))
            block += payload(2, self.conv(f"block{i}.2", filters, filters, 3))
            if recipe.squeeze:
                se = self.dense(f"se{i}.1", (1, 2), recipe.squeeze, filters)
                block += payload(3, se + self.dense(f"se{i}.2", (3, 4), 2 * filters, recipe.squeeze))
            data += payload(2, block)
        if recipe.policy == "convolution":
            data += payload(11, self.conv("policy1", filters, filters, 3))
            data += payload(3, self.conv("policy", 80, filters, 3, plain=True))
        else:
            data += payload(3, self.conv("policy", recipe.channels, filters, 1))
            data += self.dense("policy", (4, 5), 1858, recipe.channels * 64)
        data += self.head("value", (6, 7, 8, 9, 10), 3 if recipe.wdl else 1)
        if recipe.moves_left:
            data += self.head("moves_left", (12, 13, 14, 15, 16), 1)
        return data


def network_format(recipe: Recipe) -> bytes:
    if not recipe.head_format:
        return number(3, 2 if recipe.squeeze else 1)
    return (
        number(1, 1)
        + number(2, 2 if recipe.wdl else 1)
        + number(3, 4 if recipe.squeeze else 3)
        + number(4, 2 if recipe.policy == "convolution" else 1)
        + number(5, 2 if recipe.wdl else 1)
        + (number(6, 1) if recipe.moves_left else b"")
        + (number(7, 1) if recipe.mish else b"")
    )


def assemble(weights: bytes, formats: bytes, *, encoding: int = 1, steps: int = 1234) -> bytes:
    """A weights file from its two main parts."""
    file_format = (number(1, encoding) if encoding else b"") + payload(2, formats)
    version = number(1, 0) + number(2, 21)
    head = varint(1 << 3 | 5) + struct.pack("<I", 0x1C0)
    parts = payload(3, version) + payload(4, file_format) + payload(5, number(1, steps))
    return head + parts + payload(10, weights)


def synthesise(recipe: Recipe) -> Synthetic:
    """A random net of that kind."""
    writer = _Writer(recipe, np.random.default_rng(recipe.seed))
    weights = writer.weights()
    data = assemble(weights, network_format(recipe), encoding=0 if recipe.encoding_per_layer else 1)
    return Synthetic(recipe, data, weights, writer.convs, writer.denses)


def random_planes(n: int, seed: int = 0) -> NDArray[np.float32]:
    """Sparse bits, a rule-50 count and constant planes, as positions have them: `[n, 112, 8, 8]`."""
    rng = np.random.default_rng(seed)
    planes = (rng.random((n, 112, 8, 8)) < 0.1).astype(np.float32)
    planes[:, 104:109] = rng.integers(0, 2, (n, 5, 1, 1))
    planes[:, 109] = rng.integers(0, 100, (n, 1, 1))
    planes[:, 110], planes[:, 111] = 0, 1
    return planes
