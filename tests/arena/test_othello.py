"""A third game: Othello on a small board, of which nothing in `arena` knows."""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest

from foible.agents.base import Decision, Player, Turn
from foible.agents.policy import RandomMover
from foible.arena.match import Match, complete_pairs

SIZE: Final = 6
DIRECTIONS: Final = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
PASS: Final = "pass"

Square = tuple[int, int]


def square(name: str) -> Square:
    return "abcdef".index(name[0]), int(name[1:]) - 1


@dataclass(frozen=True)
class Othello:
    """Discs by square: 1 of the first player, −1 of the second."""

    discs: dict[Square, int]
    moves: tuple[str, ...] = ()

    @property
    def turn(self) -> str:
        return "first" if len(self.moves) % 2 == 0 else "second"

    @property
    def mover(self) -> int:
        return 1 if self.turn == "first" else -1

    def turned(self, place: Square) -> list[Square]:
        """The discs that a move on an empty square turns."""
        found: list[Square] = []
        for i, j in DIRECTIONS:
            line, at = [], (place[0] + i, place[1] + j)
            while self.discs.get(at) == -self.mover:
                line.append(at)
                at = (at[0] + i, at[1] + j)
            if self.discs.get(at) == self.mover:
                found += line
        return found

    @property
    def legal_moves(self) -> list[str]:
        squares = [(i, j) for i in range(SIZE) for j in range(SIZE) if (i, j) not in self.discs]
        return [f"{'abcdef'[i]}{j + 1}" for i, j in squares if self.turned((i, j))] or [PASS]

    def play(self, move: str) -> "Othello":
        if move == PASS:
            return Othello(self.discs, (*self.moves, move))
        place = square(move)
        return Othello(self.discs | dict.fromkeys([place, *self.turned(place)], self.mover), (*self.moves, move))

    @property
    def is_over(self) -> bool:
        return self.moves[-2:].count(PASS) == 2


START: Final = Othello({(2, 2): -1, (3, 3): -1, (2, 3): 1, (3, 2): 1})


@dataclass(frozen=True)
class OthelloRecord:
    number: int
    moves: tuple[str, ...]
    margin: int
    """Discs by which the team under test won."""


@dataclass
class OthelloGame:
    number: int
    position: Any = START
    """An `Othello`: players take any position that has legal moves."""

    @property
    def ply(self) -> int:
        return len(self.position.moves)

    @property
    def focal_to_move(self) -> bool:
        first: bool = self.position.turn == "first"
        return first == (self.number % 2 == 0)

    @property
    def seed(self) -> tuple[int, int]:
        return self.number, self.ply

    def apply(self, decision: Decision) -> OthelloRecord | None:
        self.position = self.position.play(decision.move)
        if not self.position.is_over:
            return None
        margin = sum(self.position.discs.values())
        return OthelloRecord(self.number, self.position.moves, margin if self.number % 2 == 0 else -margin)


@dataclass(frozen=True)
class OthelloReferee:
    total: int = 40

    def games(self, finished: Container[int]) -> Iterator[OthelloGame]:
        return (OthelloGame(number) for number in range(self.total) if number not in finished)


class Cornered(Player):
    """Takes a corner, and else leaves its opponent the fewest moves."""

    name = "cornered"

    async def choose(self, turn: Turn) -> Decision:
        position: Any = turn.position

        def worth(move: str) -> tuple[bool, int]:
            corner = move != PASS and set(square(move)) <= {0, SIZE - 1}
            return corner, -len(position.play(move).legal_moves)

        return Decision(max(position.legal_moves, key=worth))


def played(**settings: Any) -> list[OthelloRecord]:
    return Match(Cornered(), RandomMover(), OthelloReferee(), **settings).play()


def test_the_first_moves_are_those_of_the_rules() -> None:
    assert sorted(START.legal_moves) == ["b3", "c2", "d5", "e4"]
    assert START.play("b3").discs == START.discs | {(1, 2): 1, (2, 2): 1}


@pytest.mark.parametrize("concurrency", [1, 7])
def test_a_match_of_it_is_played(concurrency: int) -> None:
    games = played(concurrency=concurrency)
    assert [game.number for game in games] == list(range(40)) == [game.number for game in complete_pairs(games)]
    assert sum(game.margin > 0 for game in games) >= 30
    assert games == played(finished=games[3:9])
