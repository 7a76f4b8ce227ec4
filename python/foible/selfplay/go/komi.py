"""The komi of games from the empty board: drawn so that the net judges them open (SAI, §4.1).

The probability that the drawn komi is at most y is White's winrate at komi y by the net's own evaluation of the empty
board. So komi spreads widely while the net is unsure which one is fair, and narrows as it learns.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from foible.errors import ConfigError
from foible.mistakes import near
from foible.nets.margin import Sigmoid

Floats = NDArray[np.float64]
Rounding = Literal["nearest-half", "shifted-half", "integer", "half-step"]


@dataclass(frozen=True, slots=True)
class Cells:
    """A rounding rule: the number line is cut into cells of `step` points, one of which starts at `origin`.

    A number in a cell, whose start belongs to it, is rounded to the komi `rise` points above the start.
    """

    step: float
    origin: float
    rise: float

    def komi(self, x: float | Floats) -> Floats:
        """The komi that a number of points is rounded to."""
        found: Floats = np.floor((np.asarray(x) - self.origin) / self.step) * self.step + (self.origin + self.rise)
        return found

    def starts(self, komi: float | Floats) -> Floats:
        """The start of the cell that is rounded to a komi; NaN for a komi that no cell is rounded to."""
        start = np.asarray(komi) - self.rise
        return np.where((start - self.origin) % self.step == 0, start, np.nan)


CELLS: Final[Mapping[Rounding, Cells]] = {
    "nearest-half": Cells(1, 0, 0.5),
    "shifted-half": Cells(1, -0.5, 1),
    "integer": Cells(1, -0.5, 0.5),
    "half-step": Cells(0.5, -0.25, 0.25),
}


class KomiRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rule by which the komi of a game is drawn."""

    rounding: Rounding = "nearest-half"
    """`nearest-half`: i + ½ for X in [i, i + 1). `shifted-half`: half a point above the nearest whole one, as the
    published program did. `integer` and `half-step` (the nearest ½) allow draws.
    """
    shrink: float = 1.0
    """The number by which the spread of komi is divided; the published program later used 2."""
    official: float = 9.5
    """The komi of matches; on 7×7 9 is fair (SAI, §8)."""
    official_share: float = 0.3
    """The share of the games, 0 to 1, that are played with it, drawn game by game."""
    most_beta: float = 2.0
    """An upper bound for the net's beta in the draw: komi on both sides of the fair one must come up, as nothing else
    keeps alpha from drifting. Not in the published program; inf sets no bound.
    """

    def __post_init__(self) -> None:
        """:raises ConfigError: a value that is out of range."""
        if self.rounding not in CELLS:
            raise ConfigError(f'rounding = "{self.rounding}": {near(self.rounding, CELLS)}')
        if not 0 < self.shrink < math.inf:
            raise ConfigError(f"shrink = {self.shrink}: expected a number, more than 0")
        if not float(2 * self.official).is_integer():
            raise ConfigError(f"official = {self.official}: expected a multiple of 0.5")
        if not self.most_beta > 0:
            raise ConfigError(f"most_beta = {self.most_beta}: expected a number, more than 0")
        if not 0 <= self.official_share <= 1:
            raise ConfigError(f"official_share = {self.official_share}: expected 0 to 1")

    def probability(self, komi: float | Floats, alpha: float, beta: float) -> Floats:
        """The probability that a komi is drawn; `alpha` and `beta` as in `quantile`."""
        start = CELLS[self.rounding].starts(komi)
        end = start + CELLS[self.rounding].step
        white = Sigmoid(-alpha, beta * self.shrink)
        # In the upper tail White's winrates are so near to 1 that only the difference of Black's is exact.
        low = white.winrate(end) - white.winrate(start)
        high = white.turned.winrate(-start) - white.turned.winrate(-end)
        drawn = np.nan_to_num(np.where(start > alpha, high, low))
        official = np.where(np.asarray(komi) == self.official, self.official_share, 0.0)
        found: Floats = official + (1 - self.official_share) * drawn
        return found

    def draw(self, rng: np.random.Generator, games: int, alpha: float, beta: float, points: int) -> Floats:
        """Draw the komi of several games, independent of each other: `[games]`. `alpha` and `beta` as in `quantile`.

        `points`: those of the board; komi is limited to half a point more than these, for either player.
        """
        # The generator may return 0, for which there is no quantile.
        x = quantile(np.maximum(rng.random(games), 2.0**-53), alpha, min(beta, self.most_beta), self.shrink)
        drawn = np.clip(CELLS[self.rounding].komi(x), -points - 0.5, points + 0.5)
        return np.where(rng.random(games) < self.official_share, self.official, drawn)


def quantile(u: float | Floats, alpha: float, beta: float, shrink: float = 1.0) -> Floats:
    """The quantile of komi before rounding, X = α + ln(u / (1 − u)) / β, for 0 < u < 1 (SAI, §4.1).

    `alpha`: the margin in points that Black, to move on the empty board, expects before komi; `beta`: its steepness.
    """
    found: Floats = alpha + (np.log(u) - np.log1p(-np.asarray(u))) / (beta * shrink)
    return found
