"""A Go net: its board, trunk and heads as configuration, and its weights as plain arrays (SAI, §2).

The trunk and the policy head are Leela Zero's; the value head is Leela Zero's or one of SAI's (SAI, §2.2). Planes,
policies and dense layers list the points of the board row by row from A1, the bottom row first; a dense layer sees all
points of the first channel, then those of the second, and so on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isqrt
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
import numpy as np

from foible.errors import ConfigError
from foible.nets.lc0_net import Block, Conv, Dense, Floats

HeadKind: TypeAlias = Literal["lz", "v", "y", "t"]
"""The kind of a net's value head: a single value (`lz`, Leela Zero's); or alpha and beta, from two separate heads
(`v`), from two pairs of dense layers on a shared convolution (`y`), or from a shared hidden layer (`t`).
"""
PlaneCount: TypeAlias = Literal[17, 18]
"""The number of input planes: 18 tell whose turn it is; with 17 a plane of ones stands in place of that (SAI, §2.1)."""

LARGEST_BOARD: Final = 19
MOST_BLOCKS: Final = 100
MOST_FILTERS: Final = 512
"""The largest number of channels of a convolution."""
MOST_HIDDEN: Final = 4096
"""The largest number of units in a hidden layer."""

_VALUE_FILTERS: Final[Mapping[HeadKind, int]] = {"lz": 1, "v": 1, "y": 2, "t": 2}
_BETA_HIDDEN: Final[Mapping[HeadKind, int]] = {"lz": 0, "v": 256, "y": 128, "t": 0}

_Filters = Annotated[int, msgspec.Meta(ge=1, le=MOST_FILTERS)]
_Hidden = Annotated[int, msgspec.Meta(ge=1, le=MOST_HIDDEN)]


class GoNetConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration of a net for one board size. The defaults are those of the 7×7 paper and program (SAI,
    §2.2).
    """

    size: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_BOARD)] = 7
    """The number of points on a side of the board."""
    blocks: Annotated[int, msgspec.Meta(ge=0, le=MOST_BLOCKS)] = 3
    filters: _Filters = 128
    """Channels of the trunk."""
    planes: PlaneCount = 18
    policy_filters: _Filters = 2
    head: HeadKind = "y"
    value_filters: _Filters | None = None
    """The channels of the value head's convolution; with `v`, of each of its two convolutions. By default 1 (`lz`, `v`)
    or 2 (`y`, `t`).
    """
    value_hidden: _Hidden = 256
    """The number of units in the hidden layer for the value, or for alpha."""
    beta_hidden: _Hidden | None = None
    """The number of units in the hidden layer for beta, if beta has its own: by default 256 (`v`) or 128 (`y`)."""

    def __post_init__(self) -> None:
        """:raises ConfigError: in a weights file the policy's convolution would look like one more block."""
        if self.policy_filters == 9 * self.filters:
            raise ConfigError(f"policy_filters = {self.policy_filters}: expected another number than 9 · filters")

    @property
    def points(self) -> int:
        """The number of points on the board."""
        return self.size * self.size

    @property
    def value_channels(self) -> int:
        """`value_filters`, or its default."""
        return self.value_filters or _VALUE_FILTERS[self.head]

    @property
    def beta_numbers(self) -> int:
        """`beta_hidden`, or its default; 0 if beta has no hidden layer of its own."""
        default = _BETA_HIDDEN[self.head]
        return (self.beta_hidden or default) if default else 0


@dataclass(frozen=True, slots=True)
class BetaHead:
    """The layers whose output is the logarithm of beta (see `GoAnswers.raw`); layers that alpha shares are `None`."""

    output: Dense
    """`[1, H]`."""
    hidden: Dense | None
    """`[H, C · S]`; `None` with a head of the kind `t`."""
    conv: Conv | None
    """`[C, F, 1, 1]`; `None` except with a head of the kind `v`."""


@dataclass(frozen=True, slots=True)
class ValueHead:
    """The value head: a 1×1 convolution and two dense layers, whose output is the value before its tanh, or alpha."""

    conv: Conv
    """`[C, F, 1, 1]`."""
    hidden: Dense
    """`[H, C · S]` on a board of S points."""
    output: Dense
    """`[1, H]`."""
    beta: BetaHead | None
    """`None`: the net has a single value, as Leela Zero's nets do."""

    @property
    def kind(self) -> HeadKind:
        """The kind of the head, which follows from the layers that alpha and beta share."""
        if self.beta is None:
            return "lz"
        if self.beta.conv is not None:
            return "v"
        return "t" if self.beta.hidden is None else "y"


@dataclass(frozen=True, slots=True)
class GoWeights:
    """The content of a weights file. Every convolution is followed by batch norm without a learned scale, so the gammas
    are 1; the convolutions have no biases.
    """

    input: Conv
    """`[F, planes, 3, 3]`."""
    blocks: tuple[Block, ...]
    """The residual blocks, none of which has squeeze-excite."""
    policy: Conv
    """`[C, F, 1, 1]`."""
    policy_dense: Dense
    """`[S + 1, C · S]`: outputs for the points, then for the pass."""
    value: ValueHead

    @property
    def size(self) -> int:
        """The number of points on a side of the board."""
        return isqrt(len(self.policy_dense.biases) - 1)

    @property
    def planes(self) -> int:
        """The number of input planes: 18 or 17."""
        return int(self.input.weights.shape[1])

    @property
    def filters(self) -> int:
        """Channels of the trunk."""
        return len(self.input.weights)


def input_planes(planes: Floats, count: int) -> Floats:
    """The planes `[N, 18, size, size]` of a batch, converted for a net with `count` input planes, in C order."""
    if count == planes.shape[1]:
        return planes
    fewer = np.ascontiguousarray(planes[:, :count])
    fewer[:, -1] = 1
    return fewer
