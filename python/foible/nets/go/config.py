"""Which Go net: board, trunk and heads as configuration (SAI, §2)."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from foible.errors import ConfigError

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
        """Of the board."""
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
