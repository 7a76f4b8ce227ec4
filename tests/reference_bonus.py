"""SAI's formulas in plain Python: what the core and nets are held to (SAI, §1.2, §3)."""

from dataclasses import KW_ONLY, dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foible.nets.go import margin
from foible.nets.go.margin import HIGHEST_BETA, LOWEST_BETA, Doubles, Number, beta_constant

SURE: Final = 1e-6
"""How near to 0 and 1 the winrates come at which virtual bonuses aim (SAI, §3.6)."""
NARROW: Final = 0.01
"""Units of log-odds below which the average over an interval is a series (SAI, §3.3)."""


def signed_komi(komi: Number, black_to_move: bool | NDArray[np.bool_]) -> Doubles:
    """Points that komi gives to the player to move (SAI, §1.1, eq. 2): −komi to Black, +komi to White."""
    return np.where(black_to_move, -np.asarray(komi, np.float64), komi)


def beta_of(raw: Number, board_size: int) -> Doubles:
    """β = c · exp(raw), per point, kept within `LOWEST_BETA` and `HIGHEST_BETA` (SAI, §1.2, eq. 3; §1.3)."""
    with np.errstate(over="ignore"):
        beta = beta_constant(board_size) * np.exp(np.asarray(raw, np.float64))
    kept: Doubles = np.clip(beta, LOWEST_BETA, HIGHEST_BETA)
    return kept


class Sigmoid(margin.Sigmoid):
    """With virtual bonuses and averages."""

    def virtual_bonus(self, share: Number) -> Doubles:
        """x_L, with which the winrate would be π_L = (1 − L) π + L/2, for L = `share` (SAI, §3.2).

        0 for L = 0 and −margin for L = 1; in between a malus for the player who is ahead, a bonus for the one behind.
        Where there is no such winrate, L being far outside [0, 1], `SURE` or one minus that stands for it, or π and
        1 − π where these are nearer to 0 and 1: a bonus must not become a malus (SAI, §3.6).
        """
        z, share = self._log_odds(), np.asarray(share, np.float64)
        # For L > 1 from ζ_L = −ζ_(2 − L): otherwise numbers near 1 are subtracted from 1.
        mixed = np.minimum(share, 2 - share)
        win, loss = ((1 - mixed) * margin._sigmoid(side) + mixed / 2 for side in (z, -z))
        with np.errstate(divide="ignore"):
            odds = np.log(np.maximum(win, 0)) - np.log(np.maximum(loss, 0))
        zeta = np.where(share > 1, -odds, odds)
        most = np.maximum(np.abs(z), np.log1p(-SURE) - np.log(SURE))
        return np.where(share == 0, 0.0, (np.clip(zeta, -most, most) - z) / self.beta)

    def average(self, start: Number, end: Number) -> Doubles:
        """The mean winrate over all bonuses from `start` to `end`, in either order (SAI, §3.3)."""
        z1, z2 = self._log_odds(start), self._log_odds(end)
        width = z2 - z1
        narrow = np.abs(width) < NARROW
        h = np.where(narrow, 1.0, width)
        wide = (np.maximum(z2, 0) - np.maximum(z1, 0)) / h + (_softplus_tail(z2) - _softplus_tail(z1)) / h
        middle = (z1 + z2) / 2
        p, q = margin._sigmoid(middle), margin._sigmoid(-middle)
        return np.where(narrow, p + width**2 / 24 * p * q * (q - p), wide)


@dataclass(frozen=True, slots=True)
class Bonus:
    """Two ends of an interval of virtual bonuses: what a player aims at besides winning (SAI, §3.1, §3.6).

    λ = μ = 0 maximises the winrate. λ > 0 counts points too: it thinks less of a win that is narrow, more of a defeat
    that is. Own nodes and the opponent's may have a `Bonus` each: with the values for the player who is behind these
    are the four ways of later releases.
    """

    lambda_: float = 0.0
    mu: float = 0.0
    _: KW_ONLY
    lambda_behind: float | None = None
    """λ of a player who is behind; `None`: the same."""
    mu_behind: float | None = None

    def interval(self, decision: Sigmoid) -> tuple[Doubles, Doubles]:
        """x_μ and x_λ at the state of a decision, seen by the player who decides there (SAI, §3.4)."""
        ahead = np.asarray(decision.margin) > 0
        mu = np.where(ahead, self.mu, self.mu if self.mu_behind is None else self.mu_behind)
        lambda_ = np.where(ahead, self.lambda_, self.lambda_ if self.lambda_behind is None else self.lambda_behind)
        return decision.virtual_bonus(mu), decision.virtual_bonus(lambda_)


def agent_value(bonus: Bonus, decision: Sigmoid, leaf: Sigmoid) -> Doubles:
    """What a leaf is worth to the player who decides, 0 to 1 (SAI, §3.4, eq. 5).

    The interval is that of the decision, the sigmoid that of the leaf; both are seen by the player who decides.
    """
    return leaf.average(*bonus.interval(decision))


def _softplus_tail(z: Doubles) -> Doubles:
    """ln(1 + eᶻ) − max(z, 0)."""
    found: Doubles = np.log1p(np.exp(-np.abs(z)))
    return found
