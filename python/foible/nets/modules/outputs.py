"""What every torch net of foible answers."""

from typing import NamedTuple

from torch import Tensor


class Outputs(NamedTuple):
    """Raw outputs for N positions, seen by the side to move."""

    policy: Tensor
    """`[N, A]`: logits, A = 1858 (lc0) or 4864 (CrazyAra)."""
    wdl: Tensor
    """`[N, 3]`: logits of win, draw, loss."""
    plies: Tensor | None = None
    """`[N]`: plies to the end of the game as a share of 100, 0 to 1 (CrazyAra), or plies (lc0's moves-left head);
    `None` without such a head.
    """
