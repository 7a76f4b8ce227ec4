"""The configuration of a net: its architecture and its heads. `build` checks the ranges that types cannot express."""

from math import log2
from typing import Annotated, Literal, TypeAlias

import msgspec

from foible.fields import ShareBelowOne

Width = Annotated[int, msgspec.Meta(ge=1, le=4096)]
Blocks = Annotated[int, msgspec.Meta(ge=0, le=200)]
BlockNumbers = tuple[Annotated[int, msgspec.Meta(ge=0, le=199)], ...]


class SeResNet(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="se-resnet"
):
    """A residual net as lc0 has them, with or without squeeze-excite. The defaults are Maia's."""

    blocks: Blocks = 6
    filters: Width = 64
    squeeze: Annotated[int, msgspec.Meta(ge=0, le=4096)] = 8
    """Width of the squeeze-excite layers; 0 for plain blocks."""
    policy: Literal["convolution", "classical"] = "convolution"
    """`convolution`: 80 planes from which the moves are picked; `classical`: a dense layer with one output per move."""
    policy_filters: Width = 32
    """Channels before the dense layer of a classical policy; a convolutional policy has as many as the tower."""
    value: Literal["wdl", "classical"] = "wdl"
    """`wdl`: probabilities of win, draw and loss; `classical`: one number, which knows no draws."""
    value_filters: Width = 32
    value_hidden: Width = 128
    moves_left: bool = False
    """Whether the net has a head that predicts the plies to the end of the game."""
    moves_left_filters: Width = 8
    moves_left_hidden: Width = 128
    activation: Literal["relu", "mish"] = "relu"
    batch_norm: bool = True
    """Whether batch norm follows the convolutions; otherwise they have biases, as in files whose batch norm was folded
    in.
    """


class Rise(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="rise"):
    """A mobile net with channel attention; the defaults are RISEv3.3 (phase-experts §3). Blocks count from 0."""

    blocks: Blocks = 15
    channels: Width = 256
    inner: Width = 224
    """Inner width of block 0."""
    inner_step: Annotated[int, msgspec.Meta(ge=0, le=4096)] = 32
    """The channels by which the inner width grows from block to block; a block with a 5×5 kernel gives back half of the
    growth.
    """
    large_kernels: BlockNumbers = (7, 11, 12, 13)
    """The numbers of the blocks with 5×5 kernels; all others have 3×3 kernels."""
    attended: BlockNumbers = (5, 8, 12, 13, 14)
    """The numbers of the blocks that begin with channel attention."""
    attention: Literal["dense", "eca"] = "dense"
    """`dense`: each gate depends on the means of all channels, as in the published nets; `eca`: one small filter along
    the channels, as in the paper's text (phase-experts §10, item 4).
    """
    value_filters: Width = 8
    stochastic_depth: ShareBelowOne = 0.0
    """The probability in training that the last block is skipped; it grows linearly from 0 at the first block."""

    def inner_width(self, block: int) -> int:
        """The inner width of a block, in channels."""
        full = self.inner + self.inner_step * block
        return full - self.inner_step * (block // 2) if block in self.large_kernels else full

    @property
    def attention_kernel(self) -> int:
        """The kernel size of the 1-D convolution in the channel attention."""
        return int((log2(self.channels) + 1) / 2) | 1


NetConfig: TypeAlias = SeResNet | Rise
