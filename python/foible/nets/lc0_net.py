"""A residual lc0 net as plain arrays. These classes check no shapes: the code that builds a net does.

In shapes, `F` is the number of filters and `S` the squeeze width. Dense weights are `[out, in]`, convolutions
`[out, in, k, k]`, all float32. Batch norm can be folded into the convolution before it, so that one affine map takes
the place of two; this is computed in float64 and rounded once.
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
    """Batch norm, which for each channel computes γ (x − mean) / √(variance + ε) + β; each array is `[out]`."""

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
    """`[out]`; 0 if batch norm follows."""
    norm: BatchNorm | None = None
    """The batch norm after the convolution; `None` if there is none, or if it is folded in."""


@dataclass(frozen=True, slots=True)
class Dense:
    """A fully connected layer."""

    weights: Floats
    """`[out, in]`."""
    biases: Floats
    """`[out]`."""


@dataclass(frozen=True, slots=True)
class SqueezeExcite:
    """Squeeze-excite: means of the channels over the board → `squeeze` → activation → `excite` → F gates (sigmoid) and
    F additive biases.
    """

    squeeze: Dense
    """`[S, F]`."""
    excite: Dense
    """`[2F, S]`: gates first, then biases."""


@dataclass(frozen=True, slots=True)
class Block:
    """A residual block: two 3×3 convolutions, squeeze-excite if it has any, the skip connection, activation."""

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
    """The head for the value (1 output: tanh; 3 outputs: win, draw, loss) or for the moves left: a 1×1 convolution and
    two dense layers.
    """

    conv: Conv
    hidden: Dense
    output: Dense


@dataclass(frozen=True, slots=True)
class Lc0Net:
    """A residual net as read from a weights file."""

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
    """The encoding of the net's input planes."""

    @property
    def filters(self) -> int:
        """Channels of the residual tower."""
        return len(self.input.biases)

    @property
    def wdl(self) -> bool:
        """Whether the value head tells draws apart."""
        return len(self.value.output.biases) == 3


EPSILON = 1e-5
"""The ε of batch norm, added to variances: that of lc0's training, and PyTorch's default."""

Doubles = NDArray[np.float64]


def fold_into(
    weights: Doubles, means: Doubles, variances: Doubles, gammas: Doubles, betas: Doubles
) -> tuple[Doubles, Doubles]:
    """Fold a batch norm into the layer before it: the weights `[out, …]` and biases of the affine map
    γ (w∗x − mean) / √(variance + ε) + β.
    """
    scale = gammas / np.sqrt(variances + EPSILON)
    return weights * scale.reshape(-1, *[1] * (weights.ndim - 1)), betas - means * scale


def fold_conv(conv: Conv) -> Conv:
    """The same convolution with its batch norm folded in."""
    if conv.norm is None:
        return conv
    norm = conv.norm
    parts = (values.astype(np.float64) for values in (norm.means, norm.variances, norm.gammas, norm.betas))
    weights, biases = fold_into(conv.weights.astype(np.float64), *parts)
    return Conv(weights.astype(np.float32), biases.astype(np.float32))


def fold_net(net: Lc0Net) -> Lc0Net:
    """The same net with all batch norm folded in."""
    return replace(
        net,
        input=fold_conv(net.input),
        blocks=tuple(Block(fold_conv(block.conv1), fold_conv(block.conv2), block.se) for block in net.blocks),
        policy=fold_policy(net.policy),
        value=fold_head(net.value),
        moves_left=None if net.moves_left is None else fold_head(net.moves_left),
    )


def fold_policy(policy: ClassicalPolicy | ConvolutionalPolicy) -> ClassicalPolicy | ConvolutionalPolicy:
    """The same policy with batch norm folded in."""
    if isinstance(policy, ClassicalPolicy):
        return replace(policy, conv=fold_conv(policy.conv))
    return ConvolutionalPolicy(fold_conv(policy.hidden), fold_conv(policy.planes))


def fold_head(head: Head) -> Head:
    """The same head with batch norm folded in."""
    return replace(head, conv=fold_conv(head.conv))
