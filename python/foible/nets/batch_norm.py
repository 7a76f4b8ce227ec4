"""Batch norm folded into the convolution before it: one affine map instead of two.

Computed in float64 and rounded once.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from foible.nets.lc0_net import Block, ClassicalPolicy, Conv, ConvolutionalPolicy, Head, Lc0Net

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
        policy=_fold_policy(net.policy),
        value=_fold_head(net.value),
        moves_left=None if net.moves_left is None else _fold_head(net.moves_left),
    )


def _fold_policy(policy: ClassicalPolicy | ConvolutionalPolicy) -> ClassicalPolicy | ConvolutionalPolicy:
    if isinstance(policy, ClassicalPolicy):
        return replace(policy, conv=fold_conv(policy.conv))
    return ConvolutionalPolicy(fold_conv(policy.hidden), fold_conv(policy.planes))


def _fold_head(head: Head) -> Head:
    return replace(head, conv=fold_conv(head.conv))
