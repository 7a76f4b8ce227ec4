"""Counting move sequences, the test of a rules implementation."""

from collections.abc import Iterator

from foible._core import perft
from foible.games import Position

__all__ = ["divide", "perft"]


def divide(position: Position, depth: int) -> Iterator[tuple[str, int]]:
    """Each legal move with the number of sequences of `depth` plies, at least 1, that begin with it."""
    for move in position.legal_moves:
        yield move, perft(position.play(move), depth - 1)
