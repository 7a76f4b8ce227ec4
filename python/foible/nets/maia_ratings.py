"""The ratings that Maia-2 and Maia-3 take as inputs: Lichess ratings of both players, and their allowed ranges."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from foible.errors import ConfigError
from foible.nets import maia2_net, maia3_net
from foible.nets.choices import Ratings
from foible.nets.maia2_net import rating_class

ANY: Final = Ratings(1500)
"""The ratings with which a net is read if only its description is wanted and no ratings are given."""


@dataclass(frozen=True, slots=True)
class Family:
    """The facts about a family of nets, Maia-2 or Maia-3."""

    encoding: Literal["maia2", "maia3"]
    name: str
    lowest: int
    highest: int
    """The lowest and the highest rating that may be asked for."""
    ratings: str
    """The ratings that the nets tell apart, and the site whose ratings they are, in words."""
    notes: tuple[str, ...]
    """Things to know before using a net of the family."""
    licence: str
    """The licence of the published weights, or what is known about it, in one line."""

    def checked(self, ratings: Ratings | None, path: Path) -> Ratings:
        """Check the ratings that were asked for, and return them. Nets of this family cannot play without ratings.

        :raises ConfigError: `ratings` is `None`, or outside of the family's range.
        """
        if ratings is None:
            raise ConfigError(f"{path}: {self.asks_for_ratings(path)}")
        for rating in ratings.both:
            if not self.lowest <= rating <= self.highest:
                raise ConfigError(
                    f"{path}:{ratings}: a {self.name} plays at ratings from {self.lowest} to {self.highest}"
                )
        return ratings

    def asks_for_ratings(self, path: Path) -> str:
        """The message for a net that was asked for without ratings."""
        both = f"the player's and the opponent's, {path}:1500-1900"
        return f"a {self.name} plays at ratings; expected one behind it, {path}:1500, or {both}"

    def notes_on(self, ratings: Ratings | None) -> tuple[str, ...]:
        """The notes; for a Maia-2 with given ratings, also the ranges of ratings that are equivalent to these."""
        if ratings is None or self is not MAIA2:
            return self.notes
        return *(f"{rating} is to it {_class_of(rating)}" for rating in dict.fromkeys(ratings.both)), *self.notes


def _class_of(rating: int) -> str:
    lowest = maia2_net.LOWEST_CLASS + maia2_net.STEP * (rating_class(rating) - 1)
    if rating < maia2_net.LOWEST_CLASS:
        return f"any rating below {maia2_net.LOWEST_CLASS}"
    if rating >= maia2_net.HIGHEST_CLASS:
        return f"any rating from {maia2_net.HIGHEST_CLASS} up"
    return f"any rating from {lowest} to {lowest + maia2_net.STEP - 1}"


MAIA2: Final = Family(
    "maia2",
    "Maia-2",
    0,
    5000,
    "below 1100, 1100 to 2000 in steps of 100, from 2000 up: of Lichess, rapid or blitz as the net learnt it",
    (
        "learnt without the first 10 plies of games: plays odd openings; put an opening table before it",
        "sees no earlier positions, and its value tells no draws",
    ),
    "MIT says the repository that points to the weights; of the weights themselves nothing is said",
)
MAIA3: Final = Family(
    "maia3",
    "Maia-3",
    maia3_net.LOWEST,
    maia3_net.HIGHEST,
    f"{maia3_net.LOWEST} to {maia3_net.HIGHEST}: of Lichess blitz",
    ("sees neither castling rights nor the en-passant square nor the clocks",),
    "not settled: the code is AGPL-3.0, of the weights the authors' pages say different things",
)
