"""Games that branch off others, at a komi that makes their position even (SAI, §4.2).

The result of a game is one bit, who won, whereas a net must learn two numbers for every position, α and β. Only games
from the same position at another komi tell these apart.
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
    """The rule by which positions are chosen from which other games branch off."""

    form: Form = "constant"
    """`decided`: with the probability B (2π − 1)², the higher the more decided a position is. `constant`: with B
    everywhere, which at once made nets stronger that judged even positions poorly.
    """
    rate: float = 0.025
    """B, 0 to 1: the largest probability of a branch at a position."""
    most: int | None = 3
    """The most branches of one game; `None`: no limit."""
    pi: Opinion = "search"
    """The winrate π in the form `decided`: the mean over the search, as in the published program, or the net's own, as
    in the paper's text.
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
        """The probability of a branch at a position with such a winrate, 0 to 1, which may be either player's."""
        if self.form == "constant":
            return np.full(np.shape(winrate), self.rate)
        found: Floats = self.rate * (2 * np.asarray(winrate) - 1) ** 2
        return found

    def choose(self, rng: np.random.Generator, winrates: Floats) -> list[int]:
        """Choose at random, of K positions of a game, those from which other games branch off; ascending indices.

        Each is drawn with its own probability; of more than `most`, as many are kept, all with equal chance.

        `winrates`: `[K]`, one for each position that may branch: those after the game's start, or after the position
        where the game itself branched off.
        """
        up = np.flatnonzero(rng.random(len(winrates)) < self.probability(winrates))
        if self.most is not None and len(up) > self.most:
            up = np.sort(rng.choice(up, self.most, replace=False))
        return [int(position) for position in up]


def branch_komi(alpha: float, komi: float, black_to_move: bool, points: int) -> float:
    """The komi k' = k + round(side · α − k), with halves rounded up, that makes a position nearly even.

    It is a half-integer where the game's komi is one, and exceeds the number of `points` of the board by at most half a
    point or a point. `alpha`: the margin in points that the player to move expects before komi.
    """
    half = komi % 1
    margin = min(max(alpha if black_to_move else -alpha, -points), points)
    return float(np.floor(margin + 0.5 - half) + half)
