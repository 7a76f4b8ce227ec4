"""Values that several messages share, with their bounds."""

from typing import Annotated

import msgspec

from foible._core import ChessPosition
from foible.nets.named_nets import club_level

Number = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
"""A count or a number of a question: as large as a browser holds exactly."""
ShortText = Annotated[str, msgspec.Meta(max_length=200)]
"""A name, a FEN, a move."""
MOST_PLIES = 1200
"""Of a game."""
Moves = Annotated[list[ShortText], msgspec.Meta(max_length=MOST_PLIES)]
"""Moves from a start, in UCI."""
Rating = Annotated[int, msgspec.Meta(ge=0, le=4000)]
"""Of a player, in points."""


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position by the moves that led to it: models look at the last ones, and draws at all."""

    start: ShortText | None = None
    """FEN; the usual start when absent."""
    moves: Moves = []
    """UCI."""

    @property
    def position(self) -> ChessPosition:
        """:raises FoibleError: there is no such position; says which move is wrong, and why."""
        return ChessPosition(self.start, self.moves)


STEP = 50
"""Between ratings that players and models are made for: fewer nets are opened, and nobody plays otherwise by it."""


def nearest_known(rating: int) -> int:
    """The rating nearest to another one for which there are players and models."""
    return club_level(STEP * round(rating / STEP))
