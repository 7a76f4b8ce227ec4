"""Games that branch off others, at a komi that makes their position even (SAI, §4.2).

A game says who won, one bit, for two numbers that a net must learn of every position, α and β. Only the same position
at another komi tells them apart.
"""

from typing import Final, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from foible.errors import ConfigError
from foible.mistakes import near

Floats = NDArray[np.float64]
Form = Literal["decided", "constant"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)
Opinion = Literal["search", "net"]
OPINIONS: Final[tuple[Opinion, ...]] = get_args(Opinion)


class Branching(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where games branch."""

    form: Form = "constant"
    """`decided`: the more decided a position, the more often, B (2π − 1)². `constant`: B everywhere, which made nets
    stronger at once that judged even positions poorly.
    """
    rate: float = 0.025
    """B, 0 to 1: the probability for each position, at most."""
    most: int | None = 3
    """Branches of one game; `None`: no limit."""
    pi: Opinion = "search"
    """Whose winrate counts where positions are `decided`: the mean over the search, as in the published program, or the
    net's own, as the paper's text has it.
    """

    def __post_init__(self) -> None:
        """:raises ConfigError: a value that is out of range."""
        if self.form not in FORMS:
            raise ConfigError(f'form = "{self.form}": {near(self.form, FORMS)}')
        if self.pi not in OPINIONS:
            raise ConfigError(f'pi = "{self.pi}": {near(self.pi, OPINIONS)}')
        if not 0 <= self.rate <= 1:
            raise ConfigError(f"rate = {self.rate}: expected 0 to 1")
        if self.most is not None and self.most < 0:
            raise ConfigError(f"most = {self.most}: expected a whole number, at least 0")

    def probability(self, winrate: float | Floats) -> Floats:
        """The probability of a branch at a position with such a winrate, 0 to 1, of either player."""
        if self.form == "constant":
            return np.full(np.shape(winrate), self.rate)
        found: Floats = self.rate * (2 * np.asarray(winrate) - 1) ** 2
        return found

    def choose(self, rng: np.random.Generator, winrates: Floats) -> list[int]:
        """Which of K positions of a game branches start from, ascending.

        A coin is tossed for each; of those that come up more than `most` allows, any are kept with equal chance.

        `winrates`: `[K]`, of the positions that may branch: those after the game's start, or after the position
        where it branched off itself.
        """
        up = np.flatnonzero(rng.random(len(winrates)) < self.probability(winrates))
        if self.most is not None and len(up) > self.most:
            up = np.sort(rng.choice(up, self.most, replace=False))
        return [int(position) for position in up]


def branch_komi(alpha: float, komi: float, black_to_move: bool, points: int) -> float:
    """The komi k' = k + round(side · α − k), halves upwards, that makes a position all but even.

    It has halves where the game's komi has, and is at most half a point, or a whole one, beyond the board of so many
    `points`. `alpha`: the margin in points that the player to move expects before komi.
    """
    half = komi % 1
    margin = min(max(alpha if black_to_move else -alpha, -points), points)
    return float(np.floor(margin + 0.5 - half) + half)
