"""The architecture of a net as an lc0 weights file declares it. Older conventions are translated into today's, so that
files of all ages are described alike (lc0-nets §1, §3, §9).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from foible.errors import NetFileError
from foible.nets.encoding import LC0_INPUTS, InputEncoding
from foible.nets.lc0_net import Activation
from foible.nets.protobuf_wire import Message

InnerActivation = Literal["mish", "relu", "none", "tanh", "sigmoid", "selu", "swish", "relu_2"]
"""The activations of feed-forward layers and of smolgen; `relu_2` is the square of ReLU."""
PolicyKind = Literal["classical", "convolution", "attention"]
Embedding = Literal["none", "map", "dense"]
"""The input that each square of an attention body gets in addition to its planes. `none`: nothing; `map`: a map of
the squares that a queen or a knight could reach from it; `dense`: the output of a dense layer over the pieces of the
whole board.
"""

ONNX_INSIDE: Final = 5
"""The number of the network format of files that hold an ONNX model instead of weights."""

_RESIDUAL, _SQUEEZE_EXCITE, _ATTENTION, _MULTIHEAD, _LEGACY_MULTIHEAD = 3, 4, 6, 7, 134
_OLD: Final = {0: _RESIDUAL, 1: _RESIDUAL, 2: _SQUEEZE_EXCITE}
"""The old network formats with their present equivalents. Files in them name neither a policy format nor a value
format; both are classical.
"""
_HAS_ATTENTION: Final = {_RESIDUAL: False, _SQUEEZE_EXCITE: False, _ATTENTION: True, _MULTIHEAD: True}
"""Whether a net has an attention body, by its network format; of the formats that foible reads."""
_INNER: Final[Mapping[int, InnerActivation]] = {
    1: "mish",
    2: "relu",
    3: "none",
    4: "tanh",
    5: "sigmoid",
    6: "selu",
    7: "swish",
    8: "relu_2",
}
_POLICIES: Final[Mapping[int, PolicyKind]] = {1: "classical", 2: "convolution", 3: "attention"}
_EMBEDDINGS: Final[Mapping[int, Embedding]] = {0: "none", 1: "map", 2: "dense"}

ENCODERS, SMOLGEN_WEIGHTS, VALUE_HEADS, POLICY_HEADS = 27, 35, 44, 45
"""The numbers of some fields of the `Weights` message."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """The architecture of a net, without sizes: these follow from its layers."""

    attention: bool
    """Whether the net has an attention body; otherwise the body is only a residual tower."""
    input: InputEncoding
    policy: PolicyKind
    wdl: bool
    """Whether the value head tells draws apart."""
    moves_left: bool
    activation: Activation
    """The activation of all layers for which the file names no other."""
    ffn_activation: InnerActivation
    smolgen_activation: InnerActivation
    embedding: Embedding


def read_architecture(network_format: Message | None, weights: Message) -> Architecture:
    """Determine the architecture from the network format of a file, `None` if it has none, and from its weights.

    :raises NetFileError: foible does not know the format, or the weights do not fit it.
    """
    declared = network_format or Message("network format", {})
    numbers = _as_of_today(declared, weights)
    if numbers.network == ONNX_INSIDE:
        raise NetFileError("is of the kind NETWORK_ONNX; expected weights of lc0's layers")
    if (attention := _HAS_ATTENTION.get(numbers.network)) is None:
        raise NetFileError(
            f"is of the unknown kind {numbers.network}; expected a residual net or one with an attention body"
        )
    if not attention and ENCODERS in weights.fields:
        raise NetFileError(f"has encoders though its kind is {numbers.network}, a residual net")
    activation = default_activation(declared)
    if (kind := _POLICIES.get(numbers.policy)) is None:
        raise NetFileError(f"unknown policy format {numbers.policy}, expected {_choice(_POLICIES)}")
    if attention and kind != "attention":
        raise NetFileError(f"has a {kind} policy behind an attention body; expected an attention policy")
    if (place := _EMBEDDINGS.get(numbers.embedding or 0)) is None:
        raise NetFileError(f"unknown input embedding {numbers.embedding}, expected {_choice(_EMBEDDINGS)}")
    return Architecture(
        attention=attention,
        input=input_encoding(declared),
        policy=kind,
        wdl=value_is_wdl(numbers.value),
        moves_left=has_moves_left(declared),
        activation=activation,
        ffn_activation=_inner("feed-forward", numbers.ffn, activation),
        smolgen_activation=_inner("smolgen", numbers.smolgen, activation),
        embedding=place,
    )


class _Numbers(NamedTuple):
    """The numbers of a network format."""

    network: int
    policy: int
    value: int
    ffn: int
    smolgen: int
    embedding: int | None


def _as_of_today(declared: Message, weights: Message) -> _Numbers:
    """The numbers of a format as today's files have them: older files say less, and some say it elsewhere."""
    network, policy, value = declared.integer(3), declared.integer(4), declared.integer(5)
    ffn, smolgen = declared.integer(9), declared.integer(8)
    embedding = declared.integer(10) if 10 in declared.fields else None
    if network in _OLD:
        network, policy, value = _OLD[network], 1, 1
    elif network == _SQUEEZE_EXCITE and ENCODERS in weights.fields:
        network = _ATTENTION
        if SMOLGEN_WEIGHTS in weights.fields:
            ffn, smolgen = 8, 7
    elif network == _LEGACY_MULTIHEAD:
        network = _MULTIHEAD
    if network == _ATTENTION:
        if {POLICY_HEADS, VALUE_HEADS} <= weights.fields.keys():
            network, embedding = _MULTIHEAD, 2
        embedding = 1 if embedding is None else embedding
    return _Numbers(network, policy, value, ffn, smolgen, embedding)


def input_encoding(network_format: Message) -> InputEncoding:
    """The encoding of the input planes that a network format names.

    :raises NetFileError: foible does not know these input planes.
    """
    number = network_format.integer(1, 1)
    if (encoding := LC0_INPUTS.get(number or 1)) is None:
        raise NetFileError(f"input planes are of the unknown format {number}, expected {_choice(LC0_INPUTS)}")
    return encoding


def default_activation(network_format: Message) -> Activation:
    """The activation that a network format names as the default.

    :raises NetFileError: there is no such activation.
    """
    code = network_format.integer(7)
    if code > 1:
        raise NetFileError(f"unknown default activation {code}, expected ReLU (0) or Mish (1)")
    return "mish" if code else "relu"


def value_is_wdl(code: int) -> bool:
    """Whether the number of a value format stands for win, draw and loss; otherwise it is a single number.

    :raises NetFileError: the number stands for another kind of value.
    """
    if code not in (1, 2):
        raise NetFileError(f"unsupported value format {code}, expected VALUE_CLASSICAL or VALUE_WDL")
    return code == 2


def has_moves_left(network_format: Message) -> bool:
    """Whether a network format names a head for the moves left.

    :raises NetFileError: the number stands for another kind of head.
    """
    code = network_format.integer(6)
    if code > 1:
        raise NetFileError(f"unknown moves-left format {code}, expected MOVES_LEFT_V1")
    return code == 1


def _inner(what: str, code: int, default: Activation) -> InnerActivation:
    if code == 0:
        return default
    if code not in _INNER:
        raise NetFileError(f"unknown {what} activation {code}, expected {_choice(_INNER)}")
    return _INNER[code]


def _choice(names: Mapping[int, str]) -> str:
    *others, last = (f"{name} ({code})" for code, name in names.items())
    return f"{', '.join(others)} or {last}"
