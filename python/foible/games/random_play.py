"""Positions without games: to measure on, to calibrate with, to compare on."""

import random

from foible._core import ChessPosition


def random_positions(count: int, *, plies: tuple[int, int] = (4, 12), seed: int = 0) -> list[ChessPosition]:
    """Different positions, each some random plies from the start of a game, none of them over."""
    rng = random.Random(seed)
    found: dict[str, ChessPosition] = {}
    while len(found) < count:
        position = ChessPosition()
        for _ in range(rng.randint(*plies)):
            if not (moves := position.legal_moves):
                break
            position = position.play(rng.choice(moves))
        if position.outcome() is None:
            found[position.fen] = position
    return list(found.values())
