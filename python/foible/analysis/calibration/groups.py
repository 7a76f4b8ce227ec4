"""By what moves are sorted when a model is scored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from foible._core import ChessPosition
from foible.games.phases import PHASES

Grouping = Literal["rating", "phase", "ply"]
GROUPINGS: tuple[Grouping, ...] = ("rating", "phase", "ply")

BAND = 100
"""Width of a rating band."""
PLIES = (0, 10, 20, 30, 40, 60, 80)
"""Where the bands of plies begin, counted from the start of the game."""


@dataclass(frozen=True, slots=True)
class RatedMove:
    """A move that somebody played."""

    position: ChessPosition
    """Before it."""
    played: int
    """Its number among the legal moves."""
    groups: Mapping[Grouping, int]
    """Where it belongs; `rating` is missing where the player's is."""


def groups(position: ChessPosition, ply: int, rating: int | None) -> dict[Grouping, int]:
    """The number of the phase, and where the bands of ply and rating begin."""
    found: dict[Grouping, int] = {
        "phase": phase(position),
        "ply": max(start for start in PLIES if start <= ply),
    }
    if rating is not None:
        found["rating"] = band(rating)
    return found


def band(rating: float) -> int:
    """Where the band of a rating begins."""
    return int(rating // BAND) * BAND


def phase(position: ChessPosition) -> int:
    """Index into `PHASES`: endgame with at most six queens, rooks, bishops and knights on the board; middlegame with
    at most ten, or where one side has fewer than four pieces left on its back rank; opening before.

    The rule of lichess without its measure of how the armies are mixed (phase-experts §1.2).
    """
    board = position.fen.split(" ", 1)[0]
    officers = sum(map(board.count, "QRBNqrbn"))
    if officers <= 6:
        return 2
    ranks = board.split("/")
    black, white = sum(map(str.islower, ranks[0])), sum(map(str.isupper, ranks[-1]))
    return 1 if officers <= 10 or min(black, white) < 4 else 0


def label(grouping: Grouping, group: int) -> str:
    """What a table calls a group."""
    if grouping == "phase":
        return PHASES[group]
    if grouping == "rating":
        return f"{group}–{group + BAND - 1}"
    after = next((start for start in PLIES if start > group), None)
    return f"{group}+" if after is None else f"{group}–{after - 1}"
