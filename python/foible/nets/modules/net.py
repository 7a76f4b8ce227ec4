"""The base class of foible's torch nets, and the layers that several of them share."""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from foible.nets.encoding import PLANES, Encoding, plane_index
from foible.nets.lc0_net import Floats
from foible.nets.modules.config import NetConfig

RULE50_PLANE = 109
RULE50_SCALE = 1 / 128
"""The factor by which lc0's rule-50 plane, which counts plies up to 100, is scaled before the first convolution. So the
plane's weights are of the same size as those of the other planes; being a power of two, the factor can be undone
exactly when a file is written.
"""


class Outputs(NamedTuple):
    """Raw outputs for N positions, from the viewpoint of the side to move."""

    policy: Tensor
    """`[N, A]`: logits, A = 1858 (lc0) or 4864 (CrazyAra)."""
    wdl: Tensor
    """`[N, 3]`: logits of win, draw, loss."""
    plies: Tensor | None = None
    """`[N]`: plies to the end of the game as a share of 100, 0 to 1 (CrazyAra), or plies (lc0's moves-left head);
    `None` without such a head.
    """


class Net(nn.Module):
    """A chess net. Its input is planes `[N, C, 8, 8]`, as `Batch.planes(encoding)` makes them."""

    plies_unit = 1.0
    """The number of plies that a value of 1 stands for in `Outputs.plies`."""

    def __init__(self, config: NetConfig, encoding: Encoding) -> None:
        super().__init__()
        self.config = config
        self.encoding: Encoding = encoding

    if TYPE_CHECKING:

        def __call__(self, planes: Tensor) -> Outputs: ...


def input_scale(encoding: Encoding) -> Floats:
    """`[C]`: the factor by which each input plane is multiplied before the first convolution."""
    scale = np.ones(PLANES[encoding], np.float32)
    if encoding == "lc0":
        scale[RULE50_PLANE] = RULE50_SCALE
    return scale


class InputConv(nn.Conv2d):
    """The first 3×3 convolution of a net, which multiplies each input plane by the fixed factor of `input_scale`."""

    scale: Tensor

    def __init__(self, encoding: Encoding, channels: int, *, bias: bool) -> None:
        super().__init__(PLANES[encoding], channels, 3, padding=1, bias=bias)
        self.register_buffer("scale", torch.from_numpy(input_scale(encoding))[:, None, None], persistent=False)

    def forward(self, planes: Tensor) -> Tensor:
        return functional.conv2d(planes, self.weight * self.scale, self.bias, padding=1)


class PickMoves(nn.Module):
    """Policy planes `[N, P, 8, 8]` to logits `[N, A]`: lc0's 1858 moves are picked from 80 planes; CrazyAra's 76 planes
    are flattened, every entry being a move.
    """

    index: Tensor | None

    def __init__(self, encoding: Encoding) -> None:
        super().__init__()
        picked = torch.from_numpy(plane_index()) if encoding == "lc0" else None
        self.register_buffer("index", picked, persistent=False)

    def forward(self, planes: Tensor) -> Tensor:
        flat = planes.flatten(1)
        return flat if self.index is None else flat.index_select(1, self.index)


def unpack_planes(masks: Tensor, values: Tensor) -> Tensor:
    """`[N, C]` bit boards (int64, bit 0 = a1) and `[N, C]` values of their set bits → `[N, C, 8, 8]`, as `values`."""
    ranks = masks.contiguous().view(torch.uint8).flatten().int()
    bits = _bits_of_bytes(values.dtype, values.device).index_select(0, ranks)
    return bits.view(*masks.shape, 8, 8).mul_(values[..., None, None])


@cache
def _bits_of_bytes(dtype: torch.dtype, device: torch.device) -> Tensor:
    """`[256, 8]`: the bits of each byte, lowest first. Looking bits up here takes a third of the time of shifting them
    out.
    """
    return (torch.arange(256)[:, None] >> torch.arange(8) & 1).to(device, dtype)
