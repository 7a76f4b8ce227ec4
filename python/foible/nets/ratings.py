"""The ratings of the players as whom a net is to play, as a name says them: `1500`, or `1500-1900` for two."""

import re
from dataclasses import dataclass
from typing import Final

_RATINGS: Final = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of the side to move and of its opponent."""

    own: int
    opponent: int | None = None
    """`None`: the same."""

    @property
    def both(self) -> tuple[int, int]:
        """Those of the side to move, of its opponent."""
        return self.own, self.own if self.opponent is None else self.opponent

    def __str__(self) -> str:
        return str(self.own) if self.opponent is None else f"{self.own}-{self.opponent}"


def parse_ratings(text: str) -> Ratings | None:
    """What stands behind the colon of a name; `None` where that is no rating.

    >>> parse_ratings("1500"), parse_ratings("1500-1900")
    (Ratings(own=1500, opponent=None), Ratings(own=1500, opponent=1900))
    """
    if found := _RATINGS.fullmatch(text):
        return Ratings(*(None if part is None else int(part) for part in found.groups()))  # type: ignore[arg-type]
    return None
