"""Finished games that were never played, for the tests."""

from collections.abc import Sequence

from foible.arena.go.record import GoRecord
from foible.arena.go.report import Cell
from foible.games.go import Colour


def game(number: int, margin: float | None, moves: tuple[str, ...] = ()) -> GoRecord:
    """A game that the player under test won by so much; `None`: by resignation."""
    black = number % 2 == 0
    won = margin is None or margin > 0
    winner: Colour | None = None if margin == 0 else "black" if won == black else "white"
    return GoRecord(
        focal="a",
        opponent="b",
        number=number,
        focal_black=black,
        size=3,
        komi=0.5,
        opening=0,
        moves=moves or (f"A{number}",),
        winner=winner,
        margin=margin if black or margin is None else -margin,
        termination="two_passes" if margin is not None else "resignation",
    )


def cell(focal: str, opponent: str, margins: Sequence[float]) -> Cell:
    games = [game(number, margin) for number, margin in enumerate(margins)]
    return Cell(focal, opponent, tuple(games))
