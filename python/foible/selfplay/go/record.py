"""Self-play games of Go as they are stored."""

from collections.abc import Iterator

import msgspec

from foible._core import GoPosition

Id = tuple[int, ...]
"""The number of a game from the empty board; for a branch, the id of the game that it branched off, and then its number
among that game's branches. All numbers count from 0.
"""


def name_of(game: Id) -> str:
    """The name of a game for people: the numbers of its id, counted from 1, as in `7.2` for a branch."""
    return ".".join(str(number + 1) for number in game)


class GoPly(msgspec.Struct, frozen=True, omit_defaults=True):
    """One move and what the search found."""

    move: str
    visits: dict[str, int]
    """Visits of each move that had any."""
    winrate: float
    """The winrate of the player to move at the game's komi, 0 to 1: the mean over the search."""
    alpha: float | None = None
    """The net's own estimate of the margin of the player to move before komi, in points; `None` with a net without
    margins.
    """
    beta: float | None = None


class GoSelfplayRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finished game."""

    id: Id
    size: int
    komi: float
    margin: float
    """Black's area minus White's, after komi."""
    plies: list[GoPly]
    """The plies played in this game: for a branch, those after the position where it starts."""
    inherited: list[str] = []
    """The moves before `plies`, from the empty board."""

    @property
    def moves(self) -> list[str]:
        """All moves from the empty board."""
        return [*self.inherited, *(ply.move for ply in self.plies)]

    @property
    def played(self) -> int:
        """The number of plies without those inherited."""
        return len(self.plies)

    @property
    def decisive(self) -> bool:
        return self.margin != 0

    def positions(self) -> Iterator[GoPosition]:
        """The positions before each of `plies`."""
        position = GoPosition(self.size, self.inherited, komi=self.komi)
        for ply in self.plies:
            yield position
            position = position.play(ply.move)

    @property
    def is_branch(self) -> bool:
        return len(self.id) > 1
