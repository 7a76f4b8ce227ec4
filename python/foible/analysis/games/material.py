"""How unequal the material is, in pawns: over all positions, and ply by ply."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foible.analysis.estimates import Estimate
from foible.analysis.games.measures import mean_of

PIECE = 3
"""Pawns from which the difference is one of a piece."""


@dataclass(frozen=True, slots=True)
class Material:
    """Of the positions after each ply; the middle of an exchange is among them."""

    imbalance: Estimate
    """Mean of |White's material − Black's|, pawns."""
    unequal: Estimate
    """Share of positions in which it is not 0."""
    piece: Estimate
    """Share of positions in which it is at least `PIECE`."""
    by_ply: list[float]
    """Mean imbalance after ply 1, 2, … of the games that last so long."""
    lasting: list[int]
    """How many games these are."""


def material_of(imbalances: "Sequence[array[int]]") -> Material:
    """`imbalances`: of each game, as `GameFacts.imbalance`."""
    games = [np.asarray(one) for one in imbalances]
    plies = [len(game) for game in games]
    total, lasting = np.zeros(max(plies, default=0)), np.zeros(max(plies, default=0), np.int64)
    for game in games:
        total[: len(game)] += game
        lasting[: len(game)] += 1
    return Material(
        imbalance=mean_of([game.sum() for game in games], plies),
        unequal=mean_of([(game > 0).sum() for game in games], plies),
        piece=mean_of([(game >= PIECE).sum() for game in games], plies),
        by_ply=(total / lasting).tolist(),
        lasting=lasting.tolist(),
    )
