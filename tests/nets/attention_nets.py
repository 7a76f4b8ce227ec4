"""Random lc0 nets with attention as weights files: of any size, with what is asked for and what is not."""

import struct
from dataclasses import dataclass, field

import numpy as np

from tests.nets.synthetic import assemble, number, payload, real

FLOAT32, LINEAR16 = 4, 1


@dataclass(frozen=True)
class AttentionRecipe:
    """What kind of net to make; sizes as in lc0-nets §4."""

    width: int = 8
    depth: int = 8
    heads: int = 2
    hidden: int = 12
    encoders: int = 2
    smolgen: tuple[int, int, int] | None = (2, 6, 3)
    """Channels, hidden, generated per head."""
    positions: int | None = None
    """Numbers a square of a dense embedding; `None`: the map."""
    gates: tuple[int, ...] = (33, 34)
    policy: tuple[int, int] = (8, 8)
    """Width and depth."""
    policies: tuple[int, ...] | None = None
    """Fields of several policies; `None`: the one in the old places."""
    values: tuple[int, ...] | None = None
    value: tuple[int, int] = (4, 16)
    """Channels and hidden numbers."""
    formats: dict[int, int] = field(default_factory=lambda: {1: 1, 2: 2, 3: 6, 4: 3, 5: 2, 6: 1, 7: 1, 8: 7, 9: 8})
    relative: bool = False
    """With relative position encodings."""
    encoding: int = FLOAT32
    overrides: dict[tuple[str, int], bytes | None] = field(default_factory=dict)
    """By message and field what is there instead of the layer; `None`: nothing."""
    seed: int = 0


class Writer:
    """Makes the layers of one net."""

    def __init__(self, recipe: AttentionRecipe) -> None:
        self.recipe = recipe
        self.rng = np.random.default_rng(recipe.seed)

    def layer(self, where: str, field_number: int, size: int, scale: float, mean: float = 0.0) -> bytes:
        """A field with random weights."""
        if (where, field_number) in self.recipe.overrides:
            content = self.recipe.overrides[where, field_number]
            return b"" if content is None else payload(field_number, content)
        if self.recipe.encoding == LINEAR16:
            steps = self.rng.integers(0, 1 << 16, size, np.uint16).tobytes()
            low, high = mean - 1.7 * scale, mean + 1.7 * scale
            return payload(field_number, real(1, low) + real(2, high) + payload(3, steps))
        return payload(field_number, stored(self.rng.normal(mean, scale, size)))

    def dense(self, where: str, field_number: int, outputs: int, inputs: int) -> bytes:
        weights = self.layer(where, field_number, outputs * inputs, 1 / np.sqrt(inputs))
        return weights + self.layer(where, field_number + 1, outputs, 0.1)

    def norm(self, where: str, field_number: int, width: int) -> bytes:
        return self.layer(where, field_number, width, 0.1, 1.0) + self.layer(where, field_number + 1, width, 0.1)

    def feed_forward(self, where: str) -> bytes:
        recipe = self.recipe
        return self.dense(where, 1, recipe.hidden, recipe.width) + self.dense(where, 3, recipe.width, recipe.hidden)

    def encoder(self) -> bytes:
        recipe = self.recipe
        attention = b"".join(self.dense("attention", number_, recipe.depth, recipe.width) for number_ in (1, 3, 5))
        attention += self.dense("attention", 7, recipe.width, recipe.depth)
        if recipe.smolgen is not None:
            channels, hidden, generated = recipe.smolgen
            total = recipe.heads * generated
            smolgen = self.layer("smolgen", 1, channels * recipe.width, 0.3)
            smolgen += self.dense("smolgen", 2, hidden, 64 * channels) + self.norm("smolgen", 4, hidden)
            smolgen += self.dense("smolgen", 6, total, hidden) + self.norm("smolgen", 8, total)
            attention += payload(9, smolgen)
        if recipe.relative:
            attention += payload(10, singles(1))
        parts = payload(1, attention) + self.norm("encoder", 2, recipe.width)
        return parts + payload(4, self.feed_forward("encoder ffn")) + self.norm("encoder", 5, recipe.width)

    def policy(self, fields: tuple[int, int, int], where: str) -> bytes:
        width, depth = self.recipe.policy
        queries, keys, promotions = fields
        found = self.dense(where, queries, depth, width) + self.dense(where, keys, depth, width)
        return found + self.layer(where, promotions, 4 * depth, 0.3)

    def head(self, where: str, fields: tuple[int, int, int], outputs: int) -> bytes:
        channels, hidden = self.recipe.value
        found = self.dense(where, fields[0], channels, self.recipe.width)
        found += self.dense(where, fields[1], hidden, 64 * channels)
        return found + self.dense(where, fields[2], outputs, hidden)

    def weights(self) -> bytes:
        recipe = self.recipe
        inputs = 176
        parts = []
        if recipe.positions is not None:
            parts.append(self.dense("net", 37, 64 * recipe.positions, 64 * 12))
            parts.append(self.norm("net", 39, recipe.width) + self.norm("net", 42, recipe.width))
            parts.append(payload(41, self.feed_forward("embedding ffn")))
            inputs = 112 + recipe.positions
        parts.append(self.dense("net", 25, recipe.width, inputs))
        parts += [self.layer("net", gate, 64 * recipe.width, 0.1, float(gate == 33)) for gate in recipe.gates]
        parts += [payload(27, self.encoder()) for _ in range(recipe.encoders)]
        parts.append(number(28, recipe.heads))
        if recipe.smolgen is not None:
            parts.append(self.layer("net", 35, 4096 * recipe.smolgen[2], 0.3))
        outputs = 3 if recipe.formats[5] == 2 else 1
        if recipe.policies is None:
            parts.append(self.dense("net", 4, recipe.policy[0], recipe.width) + self.policy((17, 19, 22), "net"))
        else:
            group = self.dense("policies", 1, recipe.policy[0], recipe.width)
            group += b"".join(payload(name, self.policy((3, 5, 7), "policy")) for name in recipe.policies)
            parts.append(payload(45, group))
        if recipe.values is None:
            parts.append(self.head("net", (29, 7, 9), outputs))
        else:
            heads = (payload(name, self.head("value", (1, 3, 5), outputs)) for name in recipe.values)
            parts.append(payload(44, b"".join(heads)))
        parts.append(self.head("net", (31, 13, 15), 1))
        return b"".join(parts)


def stored(values: np.ndarray) -> bytes:
    """The content of a layer in float32."""
    return payload(3, values.astype("<f4").tobytes()) + number(4, FLOAT32)


def singles(*values: float) -> bytes:
    """The content of a layer of these numbers."""
    return payload(3, struct.pack(f"<{len(values)}f", *values)) + number(4, FLOAT32)


def attention_net(recipe: AttentionRecipe) -> bytes:
    """The uncompressed file of a random net."""
    formats = b"".join(number(key, value) for key, value in recipe.formats.items())
    return assemble(Writer(recipe).weights(), formats)
