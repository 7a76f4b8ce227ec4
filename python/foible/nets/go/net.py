"""A Go net: board, trunk and heads as configuration, and its weights as plain arrays (SAI, §2).

Weights are those of Leela Zero's trunk and policy head, and of its value head or one of SAI's (SAI, §2.2). Boards are
read row by row from A1, rows from the bottom: so do planes, policies and dense layers, which see the points of the
first channel, then those of the second.
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
"""How a net judges: by one value (`lz`, Leela Zero's), or by alpha and beta from two heads (`v`), from two pairs of
dense layers on one convolution (`y`), or from one hidden layer (`t`).
"""
PlaneCount: TypeAlias = Literal[17, 18]
"""Input planes: 18 tell whose turn it is, in 17 a plane of ones stands for that (SAI, §2.1)."""

LARGEST_BOARD: Final = 19
MOST_BLOCKS: Final = 100
MOST_FILTERS: Final = 512
"""Channels of a convolution."""
MOST_HIDDEN: Final = 4096
"""Numbers in a hidden layer."""

_VALUE_FILTERS: Final[Mapping[HeadKind, int]] = {"lz": 1, "v": 1, "y": 2, "t": 2}
_BETA_HIDDEN: Final[Mapping[HeadKind, int]] = {"lz": 0, "v": 256, "y": 128, "t": 0}

_Filters = Annotated[int, msgspec.Meta(ge=1, le=MOST_FILTERS)]
_Hidden = Annotated[int, msgspec.Meta(ge=1, le=MOST_HIDDEN)]


class GoNetConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A net on one board. The defaults are those of the 7×7 paper and its program (SAI, §2.2)."""

    size: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_BOARD)] = 7
    """Points on a side of the board."""
    blocks: Annotated[int, msgspec.Meta(ge=0, le=MOST_BLOCKS)] = 3
    filters: _Filters = 128
    """Channels of the trunk."""
    planes: PlaneCount = 18
    policy_filters: _Filters = 2
    head: HeadKind = "y"
    value_filters: _Filters | None = None
    """Channels of the value head's convolution, of each of the two with `v`; by default 1 (`lz`, `v`) or 2 (`y`, `t`).
    """
    value_hidden: _Hidden = 256
    """Numbers in the hidden layer of the value, or of alpha."""
    beta_hidden: _Hidden | None = None
    """Numbers in that of beta, where it has its own: by default 256 (`v`) or 128 (`y`)."""

    def __post_init__(self) -> None:
        """:raises ConfigError: a file could not tell the policy's convolution from one more block."""
        if self.policy_filters == 9 * self.filters:
            raise ConfigError(f"policy_filters = {self.policy_filters}: expected another number than 9 · filters")

    @property
    def points(self) -> int:
        """The points of the board."""
        return self.size * self.size

    @property
    def value_channels(self) -> int:
        """`value_filters`, or its default."""
        return self.value_filters or _VALUE_FILTERS[self.head]

    @property
    def beta_numbers(self) -> int:
        """`beta_hidden`, or its default; 0 where beta has no hidden layer of its own."""
        default = _BETA_HIDDEN[self.head]
        return (self.beta_hidden or default) if default else 0


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
        """The kind by what alpha and beta share."""
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
