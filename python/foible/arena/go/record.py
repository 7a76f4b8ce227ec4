"""The record of one game of Go; of games that were not counted on the board, who gave them up, and why."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from foible._core import GoPosition
from foible.arena.match import FORFEIT
from foible.games.go import Colour


class GoRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A finished game between two players, the one under test and its opponent."""

    focal: str
    """The player under test."""
    opponent: str
    number: int
    """In the match, from 0; games 2k and 2k + 1 are pair k, with the same opening and the colours swapped."""
    focal_black: bool
    size: int
    komi: float
    opening: int
    """Plies that were given; the players chose the others."""
    moves: tuple[str, ...]
    """Vertices and `pass`, those of the opening included."""
    winner: Colour | None
    """`None`: a draw, which only a whole komi allows."""
    margin: float | None
    """Black's area minus White's, after komi; `None` where the board was not counted."""
    termination: str
    """`two_passes`, `max_plies`, `resignation`, or `forfeit:` and the reason."""

    def __post_init__(self) -> None:
        # A match keeps all its games: the name of a vertex is in memory once.
        msgspec.structs.force_setattr(self, "moves", tuple(map(sys.intern, self.moves)))

    @property
    def pair(self) -> int:
        return self.number // 2

    @property
    def plies(self) -> int:
        return len(self.moves)

    @property
    def played(self) -> int:
        """Plies of the players, without the opening's."""
        return len(self.moves) - self.opening

    @property
    def black(self) -> str:
        return self.focal if self.focal_black else self.opponent

    @property
    def white(self) -> str:
        return self.opponent if self.focal_black else self.focal

    @property
    def loser(self) -> str | None:
        """`None`: a draw."""
        return None if self.winner is None else self.white if self.winner == "black" else self.black

    @property
    def resigned(self) -> bool:
        """Whether the loser gave up."""
        return self.termination == "resignation"

    @property
    def forfeit(self) -> str | None:
        """Why the loser could not go on; `None` where that is not how the game ended."""
        return self.termination.removeprefix(FORFEIT) if self.termination.startswith(FORFEIT) else None

    @property
    def focal_score(self) -> float:
        """1 a win of the player under test, ½ a draw, 0 a loss."""
        if self.winner is None:
            return 0.5
        return float((self.winner == "black") == self.focal_black)

    @property
    def focal_margin(self) -> float | None:
        """Points after komi by which the player under test is ahead; `None` where the board was not counted."""
        return self.margin if self.margin is None or self.focal_black else 0.0 - self.margin

    @property
    def result(self) -> str:
        """As SGF has it: `B+3.5`, `W+R`, `W+F` where Black could not go on, `0` for a draw."""
        if self.winner is None:
            return "0"
        how = f"{abs(self.margin):g}" if self.margin is not None else "R" if self.resigned else "F"
        return f"{self.winner[0].upper()}+{how}"

    def swapped(self) -> "GoRecord":
        """The same game with the opponent under test."""
        return msgspec.structs.replace(self, focal=self.opponent, opponent=self.focal, focal_black=not self.focal_black)

    def position(self) -> GoPosition:
        """The position at the end of the game."""
        return GoPosition(self.size, self.moves, komi=self.komi)


@dataclass(frozen=True, slots=True)
class Forfeits:
    """The games that one player forfeited."""

    games: int
    reason: str
    """The reason of the first of them."""


def forfeits(games: Iterable[GoRecord]) -> dict[str, Forfeits]:
    """The forfeits by player, of those who forfeited a game."""
    reasons: dict[str, list[str]] = {}
    for game in games:
        if game.loser is not None and game.forfeit is not None:
            reasons.setdefault(game.loser, []).append(game.forfeit)
    return {name: Forfeits(len(found), found[0]) for name, found in reasons.items()}


def resignations(games: Iterable[GoRecord]) -> dict[str, int]:
    """The number of games that each player resigned, of those who resigned any."""
    return dict(Counter(game.loser for game in games if game.loser is not None and game.resigned))


def remarks(games: Sequence[GoRecord]) -> Iterator[str]:
    """What a reader of margins and win shares has to know of such games: a line for each player and kind of ending."""
    played = Counter(name for game in games for name in (game.focal, game.opponent))
    for name, found in forfeits(games).items():
        yield f"{name} forfeited {found.games} of {played[name]} games; first reason: {found.reason}"
    for name, count in resignations(games).items():
        yield f"{name} resigned {count} of {played[name]} games, which have no margin"
