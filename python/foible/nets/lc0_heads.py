"""The heads of lc0 nets, of which a file may hold several of one kind: their names, the choice among them, and their
weights (lc0-nets §7, §8).

A file with several policies or values is opened with one of each: `vanilla` (trained on visits) and `winner` (trained
on the result of the game), unless the net's name asks for others, as `bt4.pb.gz:optimistic` or
`bt4.pb.gz:optimistic+q` do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from foible.errors import ConfigError, NetFileError
from foible.nets.lc0_architecture import POLICY_HEADS, VALUE_HEADS, Architecture, PolicyKind
from foible.nets.lc0_attention import EncoderLayer, Linear, linear_of, read_encoder, read_linear
from foible.nets.lc0_layers import Layers
from foible.nets.lc0_net import (
    POLICY_PLANES,
    POLICY_SIZE,
    ClassicalPolicy,
    Conv,
    ConvolutionalPolicy,
    Dense,
    Floats,
    Head,
)

POLICIES: Final[Mapping[str, int]] = {"vanilla": 3, "optimistic": 4, "soft": 5, "opponent": 6}
"""The names of the policies, and the numbers of their fields in a file."""
VALUES: Final[Mapping[str, int]] = {"winner": 1, "q": 2, "st": 3}
"""The names of the values, and the numbers of their fields in a file."""


@dataclass(frozen=True, slots=True)
class Heads:
    """One policy and one value of a net that may have several."""

    policy: str = "vanilla"
    """The target on which the policy was trained. `vanilla`: the visits of the search; `optimistic`: the visits, but
    with more weight on positions that turned out better than thought; `soft`, `opponent`: auxiliary targets that help
    in training.
    """
    value: str = "winner"
    """The target on which the value was trained. `winner`: the result of the game; `q`: the value of the search; `st`:
    the mean value of the near future.
    """

    def __str__(self) -> str:
        return f"{self.policy}+{self.value}"


DEFAULT_HEADS: Final = Heads()


def parse_heads(text: str) -> Heads | None:
    """The heads that words joined by `+` name; `None` if a word is not the name of a head.

    >>> str(parse_heads("optimistic")), str(parse_heads("soft+q")), parse_heads("1300")
    ('optimistic+winner', 'soft+q', None)

    :raises ConfigError: two of them are policies, or two are values.
    """
    words = text.split("+")
    if not all(word in POLICIES or word in VALUES for word in words):
        return None
    policies = [word for word in words if word in POLICIES]
    values = [word for word in words if word in VALUES]
    if len(policies) > 1 or len(values) > 1:
        raise ConfigError(f"{text}: expected at most one policy ({', '.join(POLICIES)}) and one value")
    return Heads(*(policies or [DEFAULT_HEADS.policy]), *(values or [DEFAULT_HEADS.value]))


@dataclass(frozen=True, slots=True)
class AttentionPolicy:
    """An attention policy: the squares that moves start from give queries, those that they go to give keys. The
    products are logits `[64, 64]`, to which offsets for promotions are added.
    """

    embedding: Linear
    encoders: tuple[EncoderLayer, ...]
    heads: int
    """The number of attention heads of the encoders."""
    queries: Linear
    """`[d, ·]`."""
    keys: Linear
    """`[d, ·]`."""
    promotions: Floats
    """`[4, d]`: weights for promotions to queen, rook and bishop, and for an offset that all three share."""


Policy = ClassicalPolicy | ConvolutionalPolicy | AttentionPolicy


def heads_of(layers: Layers) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the policies and of the values that a file's weights hold."""
    return _names(layers, POLICY_HEADS, POLICIES), _names(layers, VALUE_HEADS, VALUES)


def read_policy(layers: Layers, kind: PolicyKind, name: str, width: int, *, dense_embedding: bool) -> Policy:
    """Read the policy of that name. `width`: the number of channels of its input. `dense_embedding`: whether the body
    has a dense embedding.

    :raises NetFileError: there is no policy of that name, a layer is missing, or its size does not fit.
    """
    shared = _group(layers, POLICY_HEADS)
    head = _chosen(layers, POLICY_HEADS, POLICIES, name, "policy")
    # A head in a message of its own has other field numbers than in older files, where the fields are the net's own.
    own = head is not None
    head = head or layers
    conv1, conv2 = (10, 11) if own else (11, 3)
    dense = (1, 2) if own else (4, 5)
    if kind == "convolution":
        return ConvolutionalPolicy(
            hidden=head.conv(conv1, "policy convolution 1", width, width, 3),
            planes=head.conv(conv2, "policy convolution 2", POLICY_PLANES, width, 3),
        )
    if kind == "classical":
        conv = head.conv(conv2, "policy convolution", None, width, 1)
        return ClassicalPolicy(conv, head.dense(*dense, "policy layer", POLICY_SIZE, 64 * len(conv.biases)))
    sources = [(head, dense), *([(shared, (1, 2))] if shared else []), (layers, (4, 5))]
    weights = next(((at, fields[0]) for at, fields in sources if fields[0] in at.message.fields), (head, dense[0]))
    biases = next(((at, fields[1]) for at, fields in sources if fields[1] in at.message.fields), (head, dense[1]))
    embedding = _embedding(weights, biases, width)
    inner = len(embedding.biases)
    messages = head.message.messages(8 if own else 21, "policy encoder")
    heads = head.message.integer(9 if own else 24)
    if messages and dense_embedding:
        raise NetFileError("has policy encoders behind a dense embedding, on which the parts of lc0 disagree")
    encoders = tuple(read_encoder(head, message, inner, heads, 0) for message in messages)
    for message in messages:
        attention = message.message(1, message.what)
        if attention is not None and 9 in attention.fields:
            raise NetFileError(f"{message.what} has smolgen, which lc0 does not run either")
    queries = read_linear(head, 3 if own else 17, "policy queries", None, inner)
    depth = len(queries.biases)
    promotions = head.stored(7 if own else 22, "policy promotions", (4, depth)).array()
    keys = read_linear(head, 5 if own else 19, "policy keys", depth, inner)
    return AttentionPolicy(embedding, encoders, heads, queries, keys, promotions)


def _embedding(weights: tuple[Layers, int], biases: tuple[Layers, int], width: int) -> Linear:
    """The embedding of an attention policy; its weights and its biases may lie in different messages."""
    b = biases[0].single(biases[1], "policy embedding biases", None)
    if not len(b):
        raise NetFileError("policy embedding is missing")
    return Linear(weights[0].stored(weights[1], "policy embedding weights", (len(b), width)), b)


def read_value(layers: Layers, architecture: Architecture, name: str, width: int) -> Head:
    """Read the value head of that name. `width`: the number of channels of its input.

    :raises NetFileError: as `read_policy`.
    """
    head = _chosen(layers, VALUE_HEADS, VALUES, name, "value")
    outputs = 3 if architecture.wdl else 1
    if head is None:
        conv, embedding, denses = 6, 29, (7, 8, 9, 10)
    else:
        conv, embedding, denses = 11, 1, (3, 4, 5, 6)
    at = head or layers
    if architecture.attention:
        return _square_head(at, "value", (embedding, *denses), width, outputs)
    return read_head(at, "value", (conv, *denses), width, outputs)


def read_moves_left(layers: Layers, architecture: Architecture, width: int) -> Head | None:
    """Read the head for the plies left to the end of the game; `None` if the net has none.

    :raises NetFileError: a layer is missing, or its size does not fit.
    """
    if not architecture.moves_left:
        return None
    denses = (13, 14, 15, 16)
    if architecture.attention:
        return _square_head(layers, "moves-left", (31, *denses), width, 1)
    return read_head(layers, "moves-left", (12, *denses), width, 1)


Fields = tuple[int, int, int, int, int]


def read_head(layers: Layers, name: str, fields: Fields, filters: int, outputs: int) -> Head:
    """Read a head behind a residual tower. `fields`: those of the convolution, then of the weights and biases of two
    dense layers.
    """
    conv = layers.conv(fields[0], f"{name} convolution", None, filters, 1)
    hidden = layers.dense(fields[1], fields[2], f"{name} layer 1", None, 64 * len(conv.biases))
    return Head(conv, hidden, layers.dense(fields[3], fields[4], f"{name} layer 2", outputs, len(hidden.biases)))


def _square_head(layers: Layers, name: str, fields: Fields, width: int, outputs: int) -> Head:
    """Read a head behind an attention body, and convert it to a head as residual nets have it: its layer on each square
    becomes a 1×1 convolution, and the weights that follow are reordered from square by square to channel by channel.
    """
    squares = read_linear(layers, fields[0], f"{name} embedding", None, width)
    channels = len(squares.biases)
    hidden = linear_of(layers, (fields[1], fields[2]), f"{name} layer 1", None, 64 * channels)
    output = linear_of(layers, (fields[3], fields[4]), f"{name} layer 2", outputs, len(hidden.biases))
    by_channel = hidden.weights.array().reshape(-1, 64, channels).transpose(0, 2, 1)
    return Head(
        Conv(squares.weights.array()[:, :, None, None], squares.biases),
        Dense(np.ascontiguousarray(by_channel).reshape(len(hidden.biases), -1), hidden.biases),
        Dense(output.weights.array(), output.biases),
    )


def _group(layers: Layers, field: int) -> Layers | None:
    message = layers.message.message(field, "heads")
    return None if message is None else layers.inside(message)


def _names(layers: Layers, field: int, known: Mapping[str, int]) -> tuple[str, ...]:
    group = _group(layers, field)
    if group is None:
        return (next(iter(known)),)
    return tuple(name for name, number in known.items() if len(group.message.bytes(number)))


def _chosen(layers: Layers, field: int, known: Mapping[str, int], name: str, what: str) -> Layers | None:
    """The message that holds the head of that name; `None` in older files, where heads have no messages of their own.

    :raises NetFileError: there is no such head.
    """
    group, names = _group(layers, field), _names(layers, field, known)
    if name not in names:
        raise NetFileError(f"has no {what} head {name!r}; it has {', '.join(names) or 'none'}")
    return None if group is None else group.nested(known[name], f"{what} head {name}")
