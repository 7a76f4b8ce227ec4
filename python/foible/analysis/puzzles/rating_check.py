"""How well ratings are foretold: rank correlation with the ratings of public puzzles, plain guesses beside it.

Puzzles fall into two halves by their ids. `WEIGHTS` of the formula come from one half, figures from the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import numpy as np

from foible.analysis.puzzles.difficulty import LEVELS, Chances, Values, features, fit, ratings
from foible.analysis.puzzles.puzzle import Puzzle

DRAWS: Final = 1000
"""Of the bootstrap."""
COVERAGE: Final = 0.95
FEWEST: Final = 20
"""Puzzles from which a correlation is told."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """Of a guess with the ratings."""

    guess: str
    value: float
    """Spearman's, −1 to 1."""
    low: float
    high: float
    """Interval of 95 % by bootstrap over puzzles."""
    behind: tuple[float, float] | None
    """Interval of what the formula's correlation is above this one; `None` for the formula itself."""


@dataclass(frozen=True, slots=True)
class RatingCheck:
    """Foretold ratings beside known ones, over the half of the puzzles that the weights do not come from."""

    puzzles: int
    correlations: tuple[Correlation, ...]
    """The formula first, then the plain guesses."""
    error: float
    """Root of the mean square of foretold less known rating; in rating points."""
    spread: float
    """The same for one guess for all, the mean of the ratings."""


def is_held_out(puzzle: Puzzle) -> bool:
    """Whether figures come from this puzzle, and not weights."""
    return sha256(puzzle.id.encode()).digest()[0] % 2 == 1


def fit_weights(puzzles: Sequence[Puzzle], chances: Sequence[Chances]) -> tuple[float, ...]:
    """The weights by the half of the rated puzzles that is not held out."""
    used = [pair for pair in _rated(puzzles, chances) if not is_held_out(pair[0])]
    return fit([features(*pair) for pair in used], [float(puzzle.public_rating or 0) for puzzle, _ in used])


def check_ratings(
    puzzles: Sequence[Puzzle], chances: Sequence[Chances], weights: Sequence[float]
) -> RatingCheck | None:
    """The correlations over the rated puzzles that are held out; `None` where those are too few."""
    used = [pair for pair in _rated(puzzles, chances) if is_held_out(pair[0])]
    if len(used) < FEWEST:
        return None
    known = np.array([float(puzzle.public_rating or 0) for puzzle, _ in used])
    foretold = np.array(ratings([features(*pair) for pair in used], weights), np.float64)
    middle = LEVELS[len(LEVELS) // 2]
    surprises = [-np.log(np.maximum(one[middle], 1e-9)) for _, one in used]
    guesses = {
        "foretold rating": foretold,
        "number of the solver's moves": np.array([float(len(s)) for s in surprises]),
        f"−log p of the first move, {middle}": np.array([float(s[0]) for s in surprises]),
        f"−log p of all moves, {middle}": np.array([float(s.sum()) for s in surprises]),
    }
    return RatingCheck(
        len(used),
        tuple(_correlations(guesses, known)),
        float(np.sqrt(np.mean((foretold - known) ** 2))),
        float(np.std(known)),
    )


def _rated(puzzles: Sequence[Puzzle], chances: Sequence[Chances]) -> list[tuple[Puzzle, Chances]]:
    """Those with a rating that people gave: one that was foretold would be compared with itself."""
    return [pair for pair in zip(puzzles, chances, strict=True) if pair[0].public_rating is not None]


def spearman(one: Values, other: Values) -> float:
    """Correlation of the ranks, −1 to 1; equal values share their mean rank; 0 where one side is constant."""
    ranks = [_ranks(values) for values in (one, other)]
    centred = [rank - rank.mean() for rank in ranks]
    size = float(np.sqrt(np.prod([np.sum(rank**2) for rank in centred])))
    return float(np.sum(centred[0] * centred[1])) / size if size else 0.0


def _ranks(values: Values) -> Values:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_rank: Values = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return mean_rank


def _correlations(guesses: dict[str, Values], known: Values) -> list[Correlation]:
    generator = np.random.default_rng(0)
    drawn = {name: np.empty(DRAWS) for name in guesses}
    for draw in range(DRAWS):
        rows = generator.integers(len(known), size=len(known))
        for name, guess in guesses.items():
            drawn[name][draw] = spearman(guess[rows], known[rows])
    first = next(iter(guesses))
    return [
        Correlation(
            name,
            spearman(guess, known),
            *_interval(drawn[name]),
            None if name == first else _interval(drawn[first] - drawn[name]),
        )
        for name, guess in guesses.items()
    ]


def _interval(values: Values) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)
