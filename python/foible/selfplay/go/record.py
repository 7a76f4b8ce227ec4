"""Games of self-play as they are stored."""

from collections.abc import Iterator

import msgspec

from foible._core import GoPosition

Id = tuple[int, ...]
"""A game's number; of a branch the number of the game that it came from and its own there, and so on."""


def name_of(game: Id) -> str:
    """What people call a game: its number from 1, of a branch also its number there, as in `7.2`."""
    return ".".join(str(number + 1) for number in game)


class GoPly(msgspec.Struct, frozen=True, omit_defaults=True):
    """One move and what the search found."""

    move: str
    visits: dict[str, int]
    """Visits of each move that had any."""
    winrate: float
    """The winrate of the player to move at the game's komi, 0 to 1: the mean over the search."""
    alpha: float | None = None
    """The net's own margin on the board of the player to move, in points; `None` with a net that knows none."""
    beta: float | None = None


class GoGame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finished game."""

    id: Id
    size: int
    komi: float
    margin: float
    """Black's area minus White's, after komi."""
    plies: list[GoPly]
    """Those that were played: of a branch the ones after the position where it starts."""
    inherited: list[str] = []
    """The moves before them."""

    @property
    def moves(self) -> list[str]:
        """From the empty board."""
        return [*self.inherited, *(ply.move for ply in self.plies)]

    def positions(self) -> Iterator[GoPosition]:
        """One before each of `plies`."""
        position = GoPosition(self.size, self.inherited, komi=self.komi)
        for ply in self.plies:
            yield position
            position = position.play(ply.move)

    @property
    def is_branch(self) -> bool:
        return len(self.id) > 1
