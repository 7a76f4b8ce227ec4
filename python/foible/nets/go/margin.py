"""The value of a Go position as a sigmoid of bonus points (SAI, §1, §3), computed like in the Rust core, but for
arrays.

A net gives α, the margin of area that the player to move expects before komi, and a raw number from which β follows,
the steepness with which the winrate rises per point. Everything in this module is one player's view: the margin is that
player's, and bonus points are given to that player. The other player's view is the same with every sign reversed, so
nothing distinguishes Black from White, nor the side that is ahead from the one behind.

Functions accept numbers and arrays, which are broadcast against each other; the arithmetic is in 64 bits and keeps its
relative precision in both tails.
"""

import math
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Number = float | Doubles

LOWEST_BETA: Final = 1e-3
HIGHEST_BETA: Final = 50.0
"""The range to which a net's β, per point, is clipped (SAI, §1.3)."""
DECILE: Final = math.log(9)
"""The product of β and the margin at which the winrate is 90 %; at minus this product it is 10 % (SAI, §1.3)."""


def beta_constant(board_size: int) -> float:
    """The β that corresponds to a raw output of 0: c = 10 / S on a board of S = size² points (SAI, §1.2)."""
    return 10 / board_size**2


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """A player's winrate, given x more points: sg(β (margin + x)), sg(z) = 1 / (1 + e⁻ᶻ) (SAI, §1.1, eq. 1)."""

    margin: Number
    """The player's expected margin of area after komi, in points: α + `signed_komi` for the player to move."""
    beta: Number
    """The steepness β of the winrate per point, above 0; 1/β is a scale in points."""

    @classmethod
    def of_black(cls, alpha: Number, beta: Number, komi: Number, black_to_move: bool | NDArray[np.bool_]) -> Self:
        """Black's view, whoever is to move: the margin is A = side · α − komi (SAI, §0)."""
        return cls(np.where(black_to_move, alpha, -np.asarray(alpha, np.float64)) - komi, beta)

    @property
    def turned(self) -> Self:
        """The other player's view. Its winrate at −x is one minus the winrate of this view at x, but computed so that a
        tiny winrate is exact.
        """
        return type(self)(-self.margin, self.beta)

    def winrate(self, bonus: Number = 0.0) -> Doubles:
        """The player's probability of winning with `bonus` more points; with none, at the komi of the game."""
        return _sigmoid(self._log_odds(bonus))

    def _log_odds(self, bonus: Number = 0.0) -> Doubles:
        z: Doubles = np.asarray(self.beta, np.float64) * (np.asarray(self.margin, np.float64) + bonus)
        return z


def _sigmoid(z: Doubles) -> Doubles:
    """sg(z), computed so that the argument of the exponential is never positive (SAI, §1.5)."""
    e = np.exp(-np.abs(z))
    sigmoid: Doubles = np.where(z >= 0, 1.0, e) / (1 + e)
    return sigmoid
