"""A residual lc0 net as plain arrays; every shape is checked by who built it.

`F` filters, squeeze width `S`. Dense weights are `[out, in]`, convolutions `[out, in, k, k]`, all float32. Batch norm
is folded into the convolution before it, one affine map instead of two: computed in float64 and rounded once.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from foible.nets.encoding import InputEncoding

Floats = NDArray[np.float32]
Activation = Literal["relu", "mish"]

INPUT_PLANES = 112
POLICY_SIZE = 1858
POLICY_PLANES = 80
"""Planes of the convolutional policy head, of which 73 are used."""


@dataclass(frozen=True, slots=True)
class BatchNorm:
    """Per channel γ (x − mean) / √(variance + ε) + β, each `[out]`."""

    means: Floats
    variances: Floats
    gammas: Floats
    betas: Floats


@dataclass(frozen=True, slots=True)
class Conv:
    """A convolution with "same" padding on the 8×8 board."""

    weights: Floats
    """`[out, in, k, k]`, k 1 or 3."""
    biases: Floats
    """`[out]`; 0 where batch norm follows."""
    norm: BatchNorm | None = None
    """The batch norm after it; `None` where there is none or where it is folded in."""


@dataclass(frozen=True, slots=True)
class Dense:
    """A fully connected layer."""

    weights: Floats
    """`[out, in]`."""
    biases: Floats
    """`[out]`."""


@dataclass(frozen=True, slots=True)
class SqueezeExcite:
    """Channel gating: board means → `squeeze` → activation → `excite` → F gates (sigmoid), F additive
    biases.
    """

    squeeze: Dense
    """`[S, F]`."""
    excite: Dense
    """`[2F, S]`: gates first, then biases."""


@dataclass(frozen=True, slots=True)
class Block:
    """Two 3×3 convolutions, gating where there is any, the skip connection, activation."""

    conv1: Conv
    conv2: Conv
    se: SqueezeExcite | None


@dataclass(frozen=True, slots=True)
class ClassicalPolicy:
    """A 1×1 convolution and one dense layer to the 1858 moves."""

    conv: Conv
    dense: Dense


@dataclass(frozen=True, slots=True)
class ConvolutionalPolicy:
    """Two 3×3 convolutions to 80 planes, from which the 1858 moves are picked."""

    hidden: Conv
    planes: Conv


@dataclass(frozen=True, slots=True)
class Head:
    """A 1×1 convolution and two dense layers: value (1 output: tanh; 3: win, draw, loss) or moves left."""

    conv: Conv
    hidden: Dense
    output: Dense


@dataclass(frozen=True, slots=True)
class Lc0Net:
    """All that a weights file says of a residual net."""

    input: Conv
    blocks: tuple[Block, ...]
    policy: ClassicalPolicy | ConvolutionalPolicy
    value: Head
    moves_left: Head | None
    activation: Activation
    encoding: str
    """How the file stores the weights: `LINEAR16`, `FLOAT16`, `BFLOAT16`, `FLOAT32`, or several joined by
    `+`.
    """
    training_steps: int
    """0 when the file does not say."""
    planes: InputEncoding = "lc0"
    """Which planes it takes."""

    @property
    def filters(self) -> int:
        """Channels of the residual tower."""
        return len(self.input.biases)

    @property
    def wdl(self) -> bool:
        """Whether the value head tells draws apart."""
        return len(self.value.output.biases) == 3


EPSILON = 1e-5
"""Added to variances, as lc0's training does and PyTorch by default."""

Doubles = NDArray[np.float64]


def fold_into(
    weights: Doubles, means: Doubles, variances: Doubles, gammas: Doubles, betas: Doubles
) -> tuple[Doubles, Doubles]:
    """The weights `[out, …]` and biases of γ (w∗x − mean) / √(variance + ε) + β."""
    scale = gammas / np.sqrt(variances + EPSILON)
    return weights * scale.reshape(-1, *[1] * (weights.ndim - 1)), betas - means * scale


def fold_conv(conv: Conv) -> Conv:
    """The same convolution without a batch norm of its own."""
    if conv.norm is None:
        return conv
    norm = conv.norm
    parts = (values.astype(np.float64) for values in (norm.means, norm.variances, norm.gammas, norm.betas))
    weights, biases = fold_into(conv.weights.astype(np.float64), *parts)
    return Conv(weights.astype(np.float32), biases.astype(np.float32))


def fold_net(net: Lc0Net) -> Lc0Net:
    """The same net without batch norm."""
    return replace(
        net,
        input=fold_conv(net.input),
        blocks=tuple(Block(fold_conv(block.conv1), fold_conv(block.conv2), block.se) for block in net.blocks),
        policy=fold_policy(net.policy),
        value=fold_head(net.value),
        moves_left=None if net.moves_left is None else fold_head(net.moves_left),
    )


def fold_policy(policy: ClassicalPolicy | ConvolutionalPolicy) -> ClassicalPolicy | ConvolutionalPolicy:
    """The same policy without batch norm."""
    if isinstance(policy, ClassicalPolicy):
        return replace(policy, conv=fold_conv(policy.conv))
    return ConvolutionalPolicy(fold_conv(policy.hidden), fold_conv(policy.planes))


def fold_head(head: Head) -> Head:
    """The same head without batch norm."""
    return replace(head, conv=fold_conv(head.conv))
