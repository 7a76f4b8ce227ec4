"""A Go net as plain arrays: Leela Zero's trunk and policy head, and its value head or one of SAI's (SAI, §2.2).

Boards are read row by row from A1, rows from the bottom: so do planes, policies and dense layers, which see the points
of the first channel, then those of the second.
"""

from dataclasses import dataclass
from math import isqrt

import numpy as np

from foible.nets.go.config import HeadKind
from foible.nets.lc0_net import Block, Conv, Dense, Floats


@dataclass(frozen=True, slots=True)
class BetaHead:
    """What leads to the number that beta is made of; what alpha shares with it is `None`."""

    output: Dense
    """`[1, H]`."""
    hidden: Dense | None
    """`[H, C · S]`; `None` with a head of the kind `t`."""
    conv: Conv | None
    """`[C, F, 1, 1]`; of the kind `v` alone."""


@dataclass(frozen=True, slots=True)
class ValueHead:
    """A 1×1 convolution and two dense layers to the value before its tanh, or to alpha."""

    conv: Conv
    """`[C, F, 1, 1]`."""
    hidden: Dense
    """`[H, C · S]`, S points."""
    output: Dense
    """`[1, H]`."""
    beta: BetaHead | None
    """`None`: the net has one value, Leela Zero's."""

    @property
    def kind(self) -> HeadKind:
        """By what alpha and beta share."""
        if self.beta is None:
            return "lz"
        if self.beta.conv is not None:
            return "v"
        return "t" if self.beta.hidden is None else "y"


@dataclass(frozen=True, slots=True)
class GoWeights:
    """All that a weights file says. Every convolution is followed by batch norm without a scale: its gammas are 1, its
    convolution has no biases.
    """

    input: Conv
    """`[F, planes, 3, 3]`."""
    blocks: tuple[Block, ...]
    """Each without squeeze-excite."""
    policy: Conv
    """`[C, F, 1, 1]`."""
    policy_dense: Dense
    """`[S + 1, C · S]`: the points, then the pass."""
    value: ValueHead

    @property
    def size(self) -> int:
        """Points on a side of the board."""
        return isqrt(len(self.policy_dense.biases) - 1)

    @property
    def planes(self) -> int:
        """Input planes: 18 or 17."""
        return int(self.input.weights.shape[1])

    @property
    def filters(self) -> int:
        """Channels of the trunk."""
        return len(self.input.weights)


def input_planes(planes: Floats, count: int) -> Floats:
    """The planes `[N, 18, size, size]` of a batch as a net with `count` of them takes them, in C order."""
    if count == planes.shape[1]:
        return planes
    fewer = np.ascontiguousarray(planes[:, :count])
    fewer[:, -1] = 1
    return fewer
