"""The referee of Go: komi, resignation, and margins counted on the board (SAI, §5.1, §8)."""

from collections.abc import Container, Iterator
from dataclasses import dataclass

from foible._core import GoPosition
from foible.agents.base import RESIGN, Decision
from foible.arena.go.openings import GoOpenings, Opening
from foible.arena.go.record import GoRecord
from foible.arena.match import forfeit
from foible.games.go import Colour
from foible.mistakes import check_at_least


@dataclass(frozen=True, slots=True)
class GoRules:
    """How a match is played. Each player has limits of its own; games end as in SAI, §5.1 and §8."""

    games: int
    """An odd number leaves the last pair with one game."""
    size: int = 7
    komi: float = 9.5
    seed: int = 0

    def __post_init__(self) -> None:
        """:raises ConfigError: a value that is out of range."""
        for name, least in (("games", 1), ("seed", 0)):
            check_at_least(f"match: {name}", getattr(self, name), least)

    @property
    def max_plies(self) -> int:
        """A game of so many plies, those of the opening included, is counted as the board stands (§5.1)."""
        return 2 * self.size**2


End = tuple[Colour | None, float | None, str]
"""Winner, margin and termination, as in `GoRecord`."""


@dataclass(frozen=True, slots=True)
class GoReferee:
    """The referee of two players' games. A player resigns by the move `resign`, and forfeits as `Decision` says."""

    rules: GoRules
    openings: GoOpenings
    focal: str
    """The name of the player under test, for the records."""
    opponent: str

    @property
    def total(self) -> int:
        return self.rules.games

    def games(self, finished: Container[int]) -> Iterator["GoGame"]:
        rules = self.rules
        for number in range(rules.games):
            if number not in finished:
                opening = self.openings.of_pair(number // 2)
                yield GoGame(self, number, opening, GoPosition(rules.size, opening, komi=rules.komi))


@dataclass(slots=True)
class GoGame:
    """A game in progress."""

    referee: GoReferee
    number: int
    opening: Opening
    position: GoPosition

    @property
    def ply(self) -> int:
        return self.position.ply

    @property
    def focal_black(self) -> bool:
        return self.number % 2 == 0

    @property
    def focal_to_move(self) -> bool:
        return (self.position.turn == "first") == self.focal_black

    @property
    def seed(self) -> tuple[int, ...]:
        return self.referee.rules.seed, self.number, self.ply

    def apply(self, decision: Decision) -> GoRecord | None:
        other: Colour = "white" if self.position.turn == "first" else "black"
        if "forfeit" in decision.info or not decision.move:
            return self._record(other, None, forfeit(decision))
        if decision.move == RESIGN:
            return self._record(other, None, "resignation")
        self.position = self.position.play(decision.move)
        end = self._end()
        return self._record(*end) if end else None

    def _end(self) -> End | None:
        outcome = self.position.outcome()
        if outcome is None and self.ply < self.referee.rules.max_plies:
            return None
        margin = self.position.margin
        winner: Colour | None = None if margin == 0 else "black" if margin > 0 else "white"
        return winner, margin, "max_plies" if outcome is None else outcome.reason

    def _record(self, winner: Colour | None, margin: float | None, termination: str) -> GoRecord:
        rules = self.referee.rules
        return GoRecord(
            focal=self.referee.focal,
            opponent=self.referee.opponent,
            number=self.number,
            focal_black=self.focal_black,
            size=rules.size,
            komi=rules.komi,
            opening=len(self.opening),
            moves=tuple(self.position.moves),
            winner=winner,
            margin=margin,
            termination=termination,
        )
