"""What the samples teach of the game's end: win, draw or loss, and when."""

import numpy as np
from numpy.typing import NDArray

from foible.training.data.columns import Columns
from foible.training.data.config import ValueTarget

NO_EVAL = -32768
MOST_PLIES = 100
"""To the end of the game; more count as this (phase-experts §2.3)."""

WIN_AT, SCALE = 95.0, 108.0
"""Centipawns: a side that is `WIN_AT` ahead wins every second game.

The most likely values for the results of 24,719 games between players of 1800 to 2650, given Stockfish's evaluations
of their 2.0 million positions at depths 14 to 20 (`benchmarks/eval_curve.py`).
"""


def wdl_of_results(columns: Columns, rows: NDArray[np.int64], target: ValueTarget) -> NDArray[np.float32]:
    """`[N]` → `[N, 3]`: win, draw, loss of the side to move, by the result of the game."""
    result = columns.results[columns.games_of(rows)].astype(np.int64)
    place = 1 - np.where(columns.white[rows], result, -result)
    if target == "released":
        place = np.where(place == 1, 2, place)
    wdl = np.zeros((len(rows), 3), np.float32)
    wdl[np.arange(len(rows)), place] = 1
    return wdl


def wdl_of_evals(centipawns: NDArray[np.float64]) -> NDArray[np.float32]:
    """`[N]`, by the view of the side to move → `[N, 3]`: win and loss are logistic curves, `WIN_AT` to the right and to
    the left of 0; what is left of 1 is the draw.
    """
    win, loss = (1 / (1 + np.exp((WIN_AT - ahead) / SCALE)) for ahead in (centipawns, -centipawns))
    return np.stack([win, 1 - win - loss, loss], axis=1).astype(np.float32)


def plies_left(columns: Columns, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """`[N]` → `[N]`: clip(plies to the end, 0, 100) / 100, of the position before the last ply 0."""
    left = columns.offsets[columns.games_of(rows) + 1] - 1 - rows
    share: NDArray[np.float32] = np.minimum(left, MOST_PLIES).astype(np.float32) / np.float32(MOST_PLIES)
    return share
