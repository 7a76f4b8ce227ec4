"""How hard a puzzle is for people, foretold by nets that play as people of a level do.

A net of a level gives each of the solver's moves a probability. The number of solver's moves that a player of the
level is expected to miss, Σ (1 − p), at three levels, and whether the solution mates, make the rating: one linear
formula, fitted to the ratings of public puzzles.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch, ChessPosition
from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.solution import is_mate, positions_along
from foible.nets.catalogue import known_nets
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import NetShelf

LEVELS: Final = ("maia-1100", "maia-1500", "maia-1900")
"""The nets whose word counts."""
FEATURES: Final = ("constant", *(f"moves missed by {level}" for level in LEVELS), "solution mates")
WEIGHTS: Final = (980.77, 459.69, 104.00, -33.45, -293.68)
"""Rating points per unit of each feature: `foible puzzle-ratings lichess_puzzles.csv --fit` (docs/puzzles.md)."""
LOWEST, HIGHEST = 400, 3200
CHUNK: Final = 256
"""Positions of one evaluation."""

Values = NDArray[np.float64]
Chances = Mapping[str, Sequence[float]]
"""By name of a net: the probability that it plays each of the solver's moves."""


def human_nets(shelf: NetShelf) -> dict[str, Evaluator]:
    """The nets of all levels; none unless every one is on this machine."""
    here = {net.name for net in known_nets() if net.path}
    return {name: shelf.evaluator(name) for name in LEVELS} if here.issuperset(LEVELS) else {}


def chances(nets: Mapping[str, Evaluator], puzzles: Sequence[Puzzle]) -> list[dict[str, list[float]]]:
    """For each puzzle and net the probability of each of the solver's moves."""
    positions: list[ChessPosition] = []
    moves: list[str] = []
    for puzzle in puzzles:
        positions += positions_along(puzzle.position, puzzle.solution)[:-1:2]
        moves += puzzle.solution[::2]
    by_net = {name: _probabilities(net, positions, moves) for name, net in nets.items()}
    found, start = [], 0
    for puzzle in puzzles:
        end = start + (len(puzzle.solution) + 1) // 2
        found.append({name: p[start:end] for name, p in by_net.items()})
        start = end
    return found


def features(puzzle: Puzzle, one: Chances) -> list[float]:
    """`[5]`: the values of `FEATURES`."""
    missed = [sum(1 - p for p in one[level]) for level in LEVELS]
    return [1.0, *missed, float(is_mate(positions_along(puzzle.position, puzzle.solution)[-1]))]


def ratings(values: Sequence[Sequence[float]], weights: Sequence[float] = WEIGHTS) -> list[int]:
    """Of each row of features the rating on the scale of the lichess table."""
    foretold = np.reshape(values, (-1, len(FEATURES))) @ np.asarray(weights)
    return [int(rating) for rating in np.clip(np.rint(foretold), LOWEST, HIGHEST)]


def fit(values: Sequence[Sequence[float]], known: Sequence[float]) -> tuple[float, ...]:
    """The weights that come nearest to known ratings in the mean square."""
    weights, *_ = np.linalg.lstsq(np.asarray(values, np.float64), np.asarray(known, np.float64), rcond=None)
    return tuple(float(weight) for weight in weights)


def _probabilities(net: Evaluator, positions: Sequence[ChessPosition], moves: Sequence[str]) -> list[float]:
    found: list[float] = []
    for start in range(0, len(positions), CHUNK):
        batch = Batch(positions[start : start + CHUNK])
        logits, offsets = net.evaluate(batch).logits.astype(np.float64), batch.offsets
        for row, (legal, move) in enumerate(zip(batch.moves(), moves[start : start + CHUNK], strict=True)):
            weights = np.exp(logits[offsets[row] : offsets[row + 1]] - logits[offsets[row] : offsets[row + 1]].max())
            found.append(float(weights[legal.index(move)] / weights.sum()))
    return found
