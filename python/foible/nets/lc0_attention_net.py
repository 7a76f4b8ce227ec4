"""lc0 nets with attention in the body, in the policy or in both, and nets with several heads to choose from."""

from dataclasses import dataclass

from foible.nets.encoding import InputEncoding
from foible.nets.lc0_architecture import Architecture
from foible.nets.lc0_attention import AttentionBody, read_body
from foible.nets.lc0_heads import DEFAULT_HEADS, Heads, Policy, heads_of, read_moves_left, read_policy, read_value
from foible.nets.lc0_layers import Layers
from foible.nets.lc0_net import Activation, Block, Conv, Head


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
