"""Chance: every game draws from generators of its own, so that no game depends on another."""

from enum import IntEnum

import numpy as np


class For(IntEnum):
    """What is drawn for a game."""

    PLAYOUT = 0
    CONTEMPT = 1
    SEARCH = 2
    CHOICE = 3


def dice(seed: int, game: int, purpose: For, ply: int = 0) -> np.random.Generator:
    """A generator that depends on these numbers alone."""
    return np.random.default_rng([seed, game, purpose, ply])
