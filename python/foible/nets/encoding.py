"""How positions become a net's input and moves its output: lc0's way or CrazyAra's."""

from collections.abc import Mapping
from typing import Final, Literal

from foible.games.phases import PhaseTable

__all__ = ["PLANES", "POLICY_SIZES", "Encoding", "PhaseTable"]

Encoding = Literal["lc0", "crazyara"]

PLANES: Final[Mapping[Encoding, int]] = {"lc0": 112, "crazyara": 52}
"""Input planes of 8 × 8."""
POLICY_SIZES: Final[Mapping[Encoding, int]] = {"lc0": 1858, "crazyara": 4864}
"""Width of the policy output."""
