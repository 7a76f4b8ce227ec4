"""A Go position's value as a sigmoid of bonus points (SAI, §1, §3): what the core computes of it, for arrays.

A net answers α, the margin of area that the player to move expects before komi, and a raw number from which comes β,
how steeply the winrate rises with each point. Everything here is one player's view: the margin is that player's and
bonus points are given to that player. The other player's view is the same with every sign reversed, so nothing
distinguishes Black from White, nor the side that is ahead from the one behind.

Numbers and arrays are taken alike and broadcast against each other; the arithmetic is in 64 bits and holds its relative
precision in both tails.
"""

import math
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Number = float | Floats

LOWEST_BETA: Final = 1e-3
HIGHEST_BETA: Final = 50.0
"""Per point; a net's β is kept in this range (SAI, §1.3)."""
DECILE: Final = math.log(9)
"""Where β times the margin is this, the winrate is 90 %; where it is minus this, 10 % (SAI, §1.3)."""


def beta_constant(board_size: int) -> float:
    """β of the raw output 0: c = 10 / S on a board of S = size² points (SAI, §1.2)."""
    return 10 / board_size**2


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """A player's winrate, given x more points: sg(β (margin + x)), sg(z) = 1 / (1 + e⁻ᶻ) (SAI, §1.1, eq. 1)."""

    margin: Number
    """The player's expected margin of area after komi, in points: α + `signed_komi` for the player to move."""
    beta: Number
    """Above 0; 1/β is a scale in points."""

    @classmethod
    def of_black(cls, alpha: Number, beta: Number, komi: Number, black_to_move: bool | NDArray[np.bool_]) -> Self:
        """Black's, whoever is to move: the margin is A = side · α − komi (SAI, §0)."""
        return cls(np.where(black_to_move, alpha, -np.asarray(alpha, np.float64)) - komi, beta)

    @property
    def turned(self) -> Self:
        """The other player's. Its winrate at −x is one minus this one's at x, but exact where that is tiny."""
        return type(self)(-self.margin, self.beta)

    def winrate(self, bonus: Number = 0.0) -> Floats:
        """The chance to win with so many more points; without them the one at the game's komi."""
        return _sigmoid(self._log_odds(bonus))

    def _log_odds(self, bonus: Number = 0.0) -> Floats:
        z: Floats = np.asarray(self.beta, np.float64) * (np.asarray(self.margin, np.float64) + bonus)
        return z


def _sigmoid(z: Floats) -> Floats:
    """sg(z); what is exponentiated is never positive (SAI, §1.5)."""
    e = np.exp(-np.abs(z))
    found: Floats = np.where(z >= 0, 1.0, e) / (1 + e)
    return found
