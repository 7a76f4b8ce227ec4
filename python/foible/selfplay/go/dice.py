"""Chance: every game draws from generators of its own, so that no game depends on another."""

from enum import IntEnum

import numpy as np

from foible.selfplay.go.record import Id


class For(IntEnum):
    """What is drawn for a game."""

    KOMI = 0
    SEARCH = 1
    CHOICE = 2
    BRANCHES = 3


def dice(seed: int, game: Id, purpose: For, ply: int = 0) -> np.random.Generator:
    """A generator that depends on these numbers alone."""
    return np.random.default_rng([seed, purpose, ply, *game])
