"""What Maia-2 and Maia-3 are told of the players: ratings of Lichess, and in which ranges."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from foible.errors import ConfigError
from foible.nets import maia2_net, maia3_net
from foible.nets.choices import Ratings
from foible.nets.maia2_net import rating_class

ANY: Final = Ratings(1500)
"""The ratings for which a net is read where only its description is asked for."""


@dataclass(frozen=True, slots=True)
class Family:
    """Maia-2 or Maia-3."""

    encoding: Literal["maia2", "maia3"]
    name: str
    lowest: int
    highest: int
    """Ratings that may be asked for."""
    ratings: str
    """Those that it tells apart, and whose they are."""
    notes: tuple[str, ...]
    """What is to be known before it is used."""
    licence: str
    """What there is to say of that of published weights."""

    def checked(self, ratings: Ratings | None, path: Path) -> Ratings:
        """The ratings, of which a net of this family cannot do without.

        :raises ConfigError: there are none, or it was not made for them.
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
        """What is said where there are none."""
        both = f"the player's and the opponent's, {path}:1500-1900"
        return f"a {self.name} plays at ratings; expected one behind it, {path}:1500, or {both}"

    def notes_on(self, ratings: Ratings | None) -> tuple[str, ...]:
        """The notes, and what other ratings are the same to it."""
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
