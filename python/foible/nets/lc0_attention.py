"""Attention bodies of lc0 nets: their weights, read from a file and checked (lc0-nets §4 to §6).

In shapes, `E` is the width of the embedding, `D` that of queries, keys and values, `F` that of the feed-forward layers,
and `H` the number of heads. Smolgen compresses each square to `C` numbers, and makes `G` numbers for each head. Squares
are numbered a1 = 0 … h8 = 63, as in the planes.
"""

from dataclasses import dataclass

from foible.errors import NetFileError
from foible.nets.encoding import PIECE_PLANES
from foible.nets.lc0_architecture import ENCODERS, SMOLGEN_WEIGHTS, Embedding, InnerActivation
from foible.nets.lc0_layers import Layers, Stored
from foible.nets.lc0_net import INPUT_PLANES, Floats
from foible.nets.protobuf_wire import Message

MOST_ENCODERS = 256
"""The largest number of encoder layers in a body. The deepest known bodies have 15."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A dense layer whose weights are decoded from the file's bytes only when they are needed."""

    weights: Stored
    """`[out, in]`."""
    biases: Floats
    """`[out]`."""


@dataclass(frozen=True, slots=True)
class Norm:
    """A layer norm; gammas and betas are `[width]`."""

    gammas: Floats
    betas: Floats


@dataclass(frozen=True, slots=True)
class FeedForward:
    """Two dense layers with an activation between them."""

    hidden: Linear
    output: Linear


@dataclass(frozen=True, slots=True)
class Smolgen:
    """Smolgen: layers that make attention logits from the whole board."""

    compress: Stored
    """`[C, E]`."""
    hidden: Linear
    """The layer whose input is the `64 C` compressed numbers of the board, ordered square by square."""
    hidden_norm: Norm
    generated: Linear
    """The layer with `H G` outputs."""
    generated_norm: Norm


@dataclass(frozen=True, slots=True)
class EncoderLayer:
    """An encoder layer: attention between the squares, then a feed-forward layer on each square."""

    queries: Linear
    keys: Linear
    values: Linear
    output: Linear
    norm: Norm
    smolgen: Smolgen | None
    ffn: FeedForward
    ffn_norm: Norm


@dataclass(frozen=True, slots=True)
class AttentionBody:
    """An attention body, which turns the input planes, or the output of a residual tower, into `[64, E]`."""

    embedding: Linear
    """The layer applied to each square. Its input has `112 + 64` (map) or `112 + K` (dense) numbers, or as many as the
    tower has filters.
    """
    kind: Embedding
    """The kind of embedding: `none` if and only if there is a tower before the body."""
    positions: Linear | None
    """`[64 K, 64 · 12]`: with a dense embedding, the layer from the piece planes to `K` numbers for each square, both
    ordered square by square.
    """
    embedding_norm: Norm | None
    multiply: Floats | None
    """`[E, 64]`: a gate by which the embedding is multiplied."""
    add: Floats | None
    """`[E, 64]`: a gate that is added to the embedding."""
    ffn: FeedForward | None
    ffn_norm: Norm | None
    encoders: tuple[EncoderLayer, ...]
    heads: int
    smolgen: Stored | None
    """`[4096, G]`: the last layer of smolgen, which all encoder layers share."""
    ffn_activation: InnerActivation
    smolgen_activation: InnerActivation

    @property
    def width(self) -> int:
        """The width of the embedding, E."""
        return len(self.embedding.biases)


def read_body(
    layers: Layers,
    kind: Embedding,
    filters: int | None,
    activations: tuple[InnerActivation, InnerActivation],
) -> AttentionBody:
    """Read the attention body from the weights in a file. `filters`: the number of filters of the tower before the
    body; `None` without a tower. `activations`: those of the feed-forward layers and of smolgen.

    :raises NetFileError: a layer is missing, or its size does not fit.
    """
    positions = None
    if filters is not None:
        inputs, kind = filters, "none"
    elif kind == "dense":  # made from the pieces of the newest board
        positions = read_linear(layers, 37, "embedding of positions", None, 64 * PIECE_PLANES)
        extra, rest = divmod(len(positions.biases), 64)
        if rest:
            raise NetFileError(f"embedding of positions: {len(positions.biases)} outputs are no multiple of 64")
        inputs = INPUT_PLANES + extra
    elif kind == "map":
        inputs = INPUT_PLANES + 64
    else:
        raise NetFileError("has neither residual blocks nor an input embedding before its attention body")
    embedding = read_linear(layers, 25, "embedding", None, inputs)
    width = len(embedding.biases)
    dense = kind == "dense"
    messages = layers.message.messages(ENCODERS, "encoder")
    if not 1 <= len(messages) <= MOST_ENCODERS:
        raise NetFileError(f"has {len(messages)} encoders, expected 1 to {MOST_ENCODERS}")
    heads = layers.message.integer(28)
    shared, generated = None, 0
    if SMOLGEN_WEIGHTS in layers.message.fields:
        generated, rest = divmod(layers.length(SMOLGEN_WEIGHTS, "smolgen weights"), 4096)
        if rest or not generated:
            raise NetFileError("smolgen weights: expected a multiple of 4096 numbers")
        shared = layers.stored(SMOLGEN_WEIGHTS, "smolgen weights", (4096, generated))
    activation, smolgen_activation = activations
    check_ffn(activation)
    return AttentionBody(
        embedding=embedding,
        kind=kind,
        positions=positions,
        embedding_norm=_norm(layers, 39, "embedding norm", width) if dense else None,
        multiply=_gate(layers, 33, "multiplying gate", width),
        add=_gate(layers, 34, "adding gate", width),
        ffn=_feed_forward(layers, 41, "embedding feed-forward", width) if dense else None,
        ffn_norm=_norm(layers, 42, "embedding feed-forward norm", width) if dense else None,
        encoders=tuple(read_encoder(layers, message, width, heads, generated) for message in messages),
        heads=heads,
        smolgen=shared,
        ffn_activation=activation,
        smolgen_activation=smolgen_activation,
    )


def check_ffn(activation: InnerActivation) -> None:
    """:raises NetFileError: lc0's own backends disagree on this activation."""
    if activation in ("tanh", "sigmoid"):
        raise NetFileError(f"feed-forward layers have the activation {activation}, which only one part of lc0 knows")


def read_encoder(layers: Layers, message: Message, width: int, heads: int, generated: int) -> EncoderLayer:
    """Read an encoder layer. `width`: E; `heads`: H; `generated`: G, 0 without smolgen.

    :raises NetFileError: a layer is missing, or its size does not fit.
    """
    name, inner = message.what, layers.inside(message)
    attention = inner.nested(1, f"{name} attention")
    if {10, 11, 12} & attention.message.fields.keys():
        raise NetFileError(f"{name} attention has relative position encodings, which lc0 does not run either")
    queries, keys, values = (
        read_linear(attention, field, f"{name} {what}", None, width)
        for field, what in ((1, "queries"), (3, "keys"), (5, "values"))
    )
    depth = len(queries.biases)
    for what, linear in (("keys", keys), ("values", values)):
        if len(linear.biases) != depth:
            raise NetFileError(f"{name} {what}: {len(linear.biases)} outputs, expected {depth} as of its queries")
    if heads < 1 or depth % heads:
        raise NetFileError(f"{name} queries: {depth} outputs do not divide into {heads} heads")
    has_smolgen = generated and 9 in attention.message.fields
    return EncoderLayer(
        queries=queries,
        keys=keys,
        values=values,
        output=read_linear(attention, 7, f"{name} output", width, depth),
        norm=_norm(inner, 2, f"{name} norm 1", width),
        smolgen=_smolgen(attention.nested(9, f"{name} smolgen"), width, heads * generated) if has_smolgen else None,
        ffn=_feed_forward(inner, 4, f"{name} feed-forward", width),
        ffn_norm=_norm(inner, 5, f"{name} norm 2", width),
    )


def _smolgen(layers: Layers, width: int, generated: int) -> Smolgen:
    name = layers.message.what
    channels, rest = divmod(layers.length(1, f"{name} compression"), width)
    if rest or not channels:
        raise NetFileError(f"{name} compression: expected a multiple of {width} numbers")
    hidden = read_linear(layers, 2, f"{name} layer 1", None, 64 * channels)
    return Smolgen(
        compress=layers.stored(1, f"{name} compression", (channels, width)),
        hidden=hidden,
        hidden_norm=_norm(layers, 4, f"{name} norm 1", len(hidden.biases)),
        generated=read_linear(layers, 6, f"{name} layer 2", generated, len(hidden.biases)),
        generated_norm=_norm(layers, 8, f"{name} norm 2", generated),
    )


def _feed_forward(layers: Layers, field: int, name: str, width: int) -> FeedForward:
    inner = layers.nested(field, name)
    hidden = read_linear(inner, 1, f"{name} layer 1", None, width)
    return FeedForward(hidden, read_linear(inner, 3, f"{name} layer 2", width, len(hidden.biases)))


def read_linear(layers: Layers, field: int, name: str, outputs: int | None, inputs: int) -> Linear:
    """Read a dense layer whose biases are in the field after that of the weights. `outputs` `None`: as many as it has
    biases.

    :raises NetFileError: the layer is missing, or has another size.
    """
    return linear_of(layers, (field, field + 1), name, outputs, inputs)


def linear_of(layers: Layers, fields: tuple[int, int], name: str, outputs: int | None, inputs: int) -> Linear:
    """Read a dense layer like `read_linear`, the fields of its weights and of its biases being given separately."""
    biases = layers.single(fields[1], f"{name} biases", outputs)
    if not len(biases):
        raise NetFileError(f"{name} is missing")
    return Linear(layers.stored(fields[0], f"{name} weights", (len(biases), inputs)), biases)


def _norm(layers: Layers, field: int, name: str, width: int) -> Norm:
    gammas, betas = layers.single(field, f"{name} gammas", width), layers.single(field + 1, f"{name} betas", width)
    if not len(gammas) or not len(betas):
        raise NetFileError(f"{name} is missing")
    return Norm(gammas, betas)


def _gate(layers: Layers, field: int, name: str, width: int) -> Floats | None:
    values = layers.single(field, name, 64 * width)
    return values.reshape(width, 64) if len(values) else None
