"""A Go position's value as a sigmoid of bonus points (SAI, §1, §3): what the core computes of it, for arrays.

A net answers α, the margin of area that the player to move expects before komi, and a raw number from which comes β,
how steeply the winrate rises with each point. Everything here is one player's view: the margin is that player's and
bonus points are given to that player. The other player's view is the same with every sign reversed, so nothing
distinguishes Black from White, nor the side that is ahead from the one behind.

Numbers and arrays are taken alike and broadcast against each other; the arithmetic is in 64 bits and holds its relative
precision in both tails.
"""

import logging
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Number = float | Floats

LOWEST_BETA: Final = 1e-3
HIGHEST_BETA: Final = 50.0
"""Per point; a net's β is kept in this range (SAI, §1.3)."""
SURE: Final = 1e-6
"""How near to 0 and 1 the winrates come at which virtual bonuses aim (SAI, §3.6)."""
NARROW: Final = 0.01
"""Units of log-odds below which the average over an interval is a series (SAI, §3.3)."""


def signed_komi(komi: Number, black_to_move: bool | NDArray[np.bool_]) -> Floats:
    """Points that komi gives to the player to move (SAI, §1.1, eq. 2): −komi to Black, +komi to White."""
    return np.where(black_to_move, -np.asarray(komi, np.float64), komi)


def beta_constant(board_size: int) -> float:
    """β of the raw output 0: c = 10 / S on a board of S = size² points (SAI, §1.2)."""
    return 10 / board_size**2


def beta_of(raw: Number, board_size: int) -> Floats:
    """β = c · exp(raw), per point, kept within `LOWEST_BETA` and `HIGHEST_BETA` (SAI, §1.2, eq. 3; §1.3)."""
    with np.errstate(over="ignore"):
        beta = beta_constant(board_size) * np.exp(np.asarray(raw, np.float64))
    kept: Floats = np.clip(beta, LOWEST_BETA, HIGHEST_BETA)
    if clamped := np.count_nonzero(kept != beta):
        logging.getLogger(__name__).info("beta brought to %g … %g: %d times", LOWEST_BETA, HIGHEST_BETA, clamped)
    return kept


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """A player's winrate, given x more points: sg(β (margin + x)), sg(z) = 1 / (1 + e⁻ᶻ) (SAI, §1.1, eq. 1)."""

    margin: Number
    """The player's expected margin of area after komi, in points: α + `signed_komi` for the player to move."""
    beta: Number
    """Above 0; 1/β is a scale in points."""

    @classmethod
    def of_black(cls, alpha: Number, beta: Number, komi: Number, black_to_move: bool | NDArray[np.bool_]) -> "Sigmoid":
        """Black's, whoever is to move: the margin is A = side · α − komi (SAI, §0)."""
        return cls(np.where(black_to_move, alpha, -np.asarray(alpha, np.float64)) - komi, beta)

    @property
    def turned(self) -> "Sigmoid":
        """The other player's. Its winrate at −x is one minus this one's at x, but exact where that is tiny."""
        return Sigmoid(-self.margin, self.beta)

    def winrate(self, bonus: Number = 0.0) -> Floats:
        """The chance to win with so many more points; without them the one at the game's komi."""
        return _sigmoid(self._log_odds(bonus))

    def virtual_bonus(self, share: Number) -> Floats:
        """x_L, with which the winrate would be π_L = (1 − L) π + L/2, for L = `share` (SAI, §3.2).

        0 for L = 0 and −margin for L = 1; in between a malus for the player who is ahead, a bonus for the one behind.
        Where there is no such winrate, L being far outside [0, 1], `SURE` or one minus that stands for it, or π and
        1 − π where these are nearer to 0 and 1: a bonus must not become a malus (SAI, §3.6).
        """
        z, share = self._log_odds(), np.asarray(share, np.float64)
        # For L > 1 from ζ_L = −ζ_(2 − L): otherwise numbers near 1 are subtracted from 1.
        mixed = np.minimum(share, 2 - share)
        win, loss = ((1 - mixed) * _sigmoid(side) + mixed / 2 for side in (z, -z))
        with np.errstate(divide="ignore"):
            odds = np.log(np.maximum(win, 0)) - np.log(np.maximum(loss, 0))
        zeta = np.where(share > 1, -odds, odds)
        most = np.maximum(np.abs(z), np.log1p(-SURE) - np.log(SURE))
        return np.where(share == 0, 0.0, (np.clip(zeta, -most, most) - z) / self.beta)

    def average(self, start: Number, end: Number) -> Floats:
        """The mean winrate over all bonuses from `start` to `end`, in either order (SAI, §3.3)."""
        z1, z2 = self._log_odds(start), self._log_odds(end)
        width = z2 - z1
        narrow = np.abs(width) < NARROW
        h = np.where(narrow, 1.0, width)
        wide = (np.maximum(z2, 0) - np.maximum(z1, 0)) / h + (_softplus_tail(z2) - _softplus_tail(z1)) / h
        middle = (z1 + z2) / 2
        p, q = _sigmoid(middle), _sigmoid(-middle)
        return np.where(narrow, p + width**2 / 24 * p * q * (q - p), wide)

    def _log_odds(self, bonus: Number = 0.0) -> Floats:
        z: Floats = np.asarray(self.beta, np.float64) * (np.asarray(self.margin, np.float64) + bonus)
        return z


def _sigmoid(z: Floats) -> Floats:
    """sg(z); what is exponentiated is never positive (SAI, §1.5)."""
    e = np.exp(-np.abs(z))
    found: Floats = np.where(z >= 0, 1.0, e) / (1 + e)
    return found


def _softplus_tail(z: Floats) -> Floats:
    """ln(1 + eᶻ) − max(z, 0)."""
    found: Floats = np.log1p(np.exp(-np.abs(z)))
    return found
