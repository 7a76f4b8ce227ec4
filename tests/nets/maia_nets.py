"""Checkpoints as PyTorch writes them, and Maia-2 and Maia-3 nets of any size with random weights."""

import io
import struct
import zipfile
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Tensors = dict[str, NDArray[np.float32]]


def text(value: str) -> bytes:
    data = value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def several(*parts: bytes) -> bytes:
    """A tuple."""
    return b"(" + b"".join(parts) + b"t"


def tensor(entry: str, shape: tuple[int, ...], strides: tuple[int, ...], count: int, offset: int = 0) -> bytes:
    """The instructions of a pickle that make a tensor."""
    storage = several(text("storage"), b"ctorch\nFloatStorage\n", text(entry), text("cuda:0"), number(count)) + b"Q"
    sizes = (several(*map(number, values)) for values in (shape, strides))
    hooks = b"ccollections\nOrderedDict\n)R"
    return b"ctorch._utils\n_rebuild_tensor_v2\n" + several(storage, number(offset), *sizes, b"\x89", hooks) + b"R"


def dictionary(items: Mapping[str, bytes]) -> bytes:
    return b"}(" + b"".join(text(name) + value for name, value in items.items()) + b"u"


def strides_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))


def checkpoint(tensors: Tensors, *, inside: str | None = "model_state_dict") -> bytes:
    """`inside`: the key of the tensors in a larger dictionary; `None`: they are all there is."""
    items = {
        name: tensor(str(key), values.shape, strides_of(values.shape), values.size)
        for key, (name, values) in enumerate(tensors.items())
    }
    found = dictionary(items)
    entries = {str(key): values.astype("<f4").tobytes() for key, values in enumerate(tensors.values())}
    return archive(found if inside is None else dictionary({inside: found}), entries)


def archive(pickle: bytes, entries: Mapping[str, bytes], folder: str = "net") -> bytes:
    """A file from the instructions of its pickle."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(f"{folder}/data.pkl", b"\x80\x02" + pickle + b".")
        file.writestr(f"{folder}/byteorder", b"little")
        for name, data in entries.items():
            file.writestr(f"{folder}/data/{name}", data)
    return out.getvalue()


class Random:
    """Weights by name, of the size that keeps numbers where they are."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.tensors: Tensors = {}

    def weights(self, name: str, *shape: int) -> None:
        fan = max(1, int(np.prod(shape[1:])))
        self.tensors[name] = (self._rng.standard_normal(shape) * fan**-0.5).astype(np.float32)

    def near(self, name: str, size: int, centre: float) -> None:
        self.tensors[name] = (centre + self._rng.uniform(-0.2, 0.2, size)).astype(np.float32)

    def linear(self, name: str, inputs: int, outputs: int) -> None:
        self.weights(f"{name}.weight", outputs, inputs)
        self.near(f"{name}.bias", outputs, 0)

    def norm(self, name: str, size: int) -> None:
        self.near(f"{name}.weight", size, 1)
        self.near(f"{name}.bias", size, 0)

    def batch_norm(self, name: str, size: int) -> None:
        self.norm(name, size)
        self.near(f"{name}.running_mean", size, 0)
        self.near(f"{name}.running_var", size, 1)


def maia2(
    filters: int = 4, width: int = 8, blocks: int = 1, encoders: int = 1, tokens: int = 4, told: int = 3, seed: int = 1
) -> Tensors:
    """The shipped ones have 256, 1024, 5, 2, 8, 128."""
    net = Random(seed)
    cnn = "chess_cnn"
    convs = [("conv1", "bn1", 18, filters), ("conv_last", "bn_last", filters, tokens)]
    convs += [(f"layers.{i}.conv{k}", f"layers.{i}.bn{k}", filters, filters) for i in range(blocks) for k in (1, 2)]
    for conv, norm, inputs, outputs in convs:
        net.weights(f"{cnn}.{conv}.weight", outputs, inputs, 3, 3)
        net.batch_norm(f"{cnn}.{norm}", outputs)
    net.linear("to_patch_embedding.0", 64, width)
    net.norm("to_patch_embedding.1", width)
    net.weights("pos_embedding", 1, tokens, width)
    for i in range(encoders):
        attention, feed_forward = f"transformer.elo_layers.{i}.0", f"transformer.elo_layers.{i}.1.net"
        net.norm(f"{attention}.norm", width)
        net.weights(f"{attention}.to_qkv.weight", 3 * 1024, width)
        net.weights(f"{attention}.elo_query.weight", 1024, 2 * told)
        net.linear(f"{attention}.to_out.0", 1024, width)
        net.norm(f"{feed_forward}.0", width)
        net.linear(f"{feed_forward}.1", width, width)
        net.linear(f"{feed_forward}.4", width, width)
    net.norm("transformer.norm", width)
    net.norm("last_ln", width)
    net.linear("fc_1", width, 1880)
    net.linear("fc_3_1", width, 16)
    net.linear("fc_3", 16, 1)
    net.weights("elo_embedding.weight", 11, told)
    return net.tensors


def maia3(
    width: int = 8,
    heads: int = 2,
    blocks: int = 1,
    history: int = 8,
    told: int = 3,
    generated: int = 4,
    per_square: int = 2,
    inner: int = 4,
    hidden: int = 8,
    seed: int = 1,
) -> Tensors:
    """The 23M has 512, 16, 8, 8, 128, 128, 32, 128, 512; the 5M 256, 8, 8, 8, 128, 64, 0, 64, 256."""
    net = Random(seed)
    net.weights("gab_shared_weight", 4096, generated)
    for end in ("low", "high"):
        net.weights(f"elo_embedding_{end}.weight", 1, told)
    net.linear("token_projection", 12 * history + 2 * told, width)
    for i in range(blocks):
        layer = f"transformer.layers.{i}"
        attention = f"{layer}.self_attn"
        net.weights(f"{attention}.mha.in_proj_weight", 3 * width, width)
        net.weights(f"{attention}.mha.out_proj.weight", width, width)
        if per_square:
            net.linear(f"{attention}.sm1", width, per_square)
        net.linear(f"{attention}.sm2", 64 * per_square or width, inner)
        net.norm(f"{attention}.ln1", inner)
        net.linear(f"{attention}.sm3", inner, heads * generated)
        net.norm(f"{attention}.ln2", heads * generated)
        net.linear(f"{layer}.linear1", width, 2 * width)
        net.linear(f"{layer}.linear2", 2 * width, width)
        for number_of_norm in "12":
            net.near(f"{layer}.norm{number_of_norm}.weight", width, 1)
    net.norm("transformer.norm", width)
    net.norm("last_ln", width)
    net.linear("fc_value_hid", width, hidden)
    net.linear("fc_value", hidden, 3)
    for end in ("from", "to"):
        net.weights(f"proj_sq_{end}.weight", hidden, width)
    net.weights("promo_bias_proj.weight", 4, hidden)
    return net.tensors
