"""The difficulty of a puzzle for people, predicted by nets that play like people of a level; and a check of that.

The net of a level gives each of the solver's moves a probability p. The rating is a linear formula of the number of
the solver's moves that a player of the level is expected to miss, Σ (1 − p), at three levels, and of whether the
solution mates. It is fitted to the ratings of public puzzles. These are divided into two halves by their ids: one half
gives the weights, the other the rank correlation with the ratings, which is compared with that of plain guesses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch, ChessPosition
from foible.analysis.puzzles.puzzle import Puzzle
from foible.games.chess import is_mate, positions_along
from foible.nets.evaluator import Evaluator, softmax
from foible.nets.shelf import NetShelf, at_hand
from foible.opponents.net import CLUB_LEVELS, MAIA_LEVELS

LEVELS: Final = (1100, 1500, 1900)
"""The ratings of the players whose probabilities enter the formula."""
FEATURES: Final = ("constant", *(f"moves missed at {level}" for level in LEVELS), "solution mates")
WEIGHTS: Final = (980.77, 459.69, 104.00, -33.45, -293.68)
"""Rating points per unit of each feature, from `foible puzzle-ratings lichess_puzzles.csv --fit` (docs/puzzles.md)."""
LOWEST, HIGHEST = 400, 3200
CHUNK: Final = 256
"""Positions in one batch for a net."""

Values = NDArray[np.float64]
Chances = Mapping[str, Sequence[float]]
"""By the name of a net, one for each of `LEVELS` in their order: its probabilities of the solver's moves, in order."""


def human_nets(shelf: NetShelf) -> dict[str, Evaluator]:
    """The nets of all levels: the Maias, or `club` at their ratings if any of these is not on this machine."""
    maias = [MAIA_LEVELS[level] for level in LEVELS]
    names = maias if all(map(at_hand, maias)) else [CLUB_LEVELS[level] for level in LEVELS]
    return {name: shelf.evaluator(name) for name in names}


def chances(nets: Mapping[str, Evaluator], puzzles: Sequence[Puzzle]) -> list[dict[str, list[float]]]:
    """For each puzzle and net the probability of each of the solver's moves."""
    positions: list[ChessPosition] = []
    moves: list[str] = []
    for puzzle in puzzles:
        positions += positions_along(puzzle.position, puzzle.solution)[:-1:2]
        moves += puzzle.solution[::2]
    by_net = {name: _probabilities(net, positions, moves) for name, net in nets.items()}
    probabilities, start = [], 0
    for puzzle in puzzles:
        end = start + puzzle.solver_moves
        probabilities.append({name: p[start:end] for name, p in by_net.items()})
        start = end
    return probabilities


def features(puzzle: Puzzle, one: Chances) -> list[float]:
    """`[5]`: the values of `FEATURES`."""
    missed = [sum(1 - p for p in probabilities) for probabilities in one.values()]
    return [1.0, *missed, float(is_mate(positions_along(puzzle.position, puzzle.solution)[-1]))]


def ratings(values: Sequence[Sequence[float]], weights: Sequence[float] = WEIGHTS) -> list[int]:
    """For each row of features, the predicted rating on the scale of the lichess table."""
    predicted = np.reshape(values, (-1, len(FEATURES))) @ np.asarray(weights)
    return [int(rating) for rating in np.clip(np.rint(predicted), LOWEST, HIGHEST)]


def fit(values: Sequence[Sequence[float]], known: Sequence[float]) -> tuple[float, ...]:
    """The weights that fit the known ratings best, by least squares."""
    weights, *_ = np.linalg.lstsq(np.asarray(values, np.float64), np.asarray(known, np.float64), rcond=None)
    return tuple(float(weight) for weight in weights)


def _probabilities(net: Evaluator, positions: Sequence[ChessPosition], moves: Sequence[str]) -> list[float]:
    found: list[float] = []
    for start in range(0, len(positions), CHUNK):
        batch = Batch(positions[start : start + CHUNK])
        logits, offsets = net.evaluate(batch).logits, batch.offsets
        for row, (legal, move) in enumerate(zip(batch.moves(), moves[start : start + CHUNK], strict=True)):
            policy = softmax(logits[offsets[row] : offsets[row + 1]])
            found.append(float(policy[legal.index(move)]))
    return found


DRAWS: Final = 1000
"""Samples of the bootstrap."""
COVERAGE: Final = 0.95
FEWEST: Final = 20
"""The fewest puzzles for which a correlation is computed."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """The rank correlation of a guess with the ratings."""

    guess: str
    value: float
    """Spearman's, −1 to 1."""
    low: float
    high: float
    """95 % interval, `low` to `high`, by bootstrap over puzzles."""
    behind: tuple[float, float] | None
    """Interval of the formula's correlation minus this one; `None` for the formula itself."""


@dataclass(frozen=True, slots=True)
class RatingCheck:
    """The predicted ratings compared with known ones, over the half of the puzzles not used for the weights."""

    puzzles: int
    correlations: tuple[Correlation, ...]
    """The formula first, then the plain guesses."""
    error: float
    """Root mean square of predicted minus known rating, in rating points."""
    spread: float
    """The same for a constant guess, the mean of the known ratings."""


def is_held_out(puzzle: Puzzle) -> bool:
    """Whether this puzzle belongs to the half that checks the ratings, and not to that which gives the weights."""
    return sha256(puzzle.id.encode()).digest()[0] % 2 == 1


def fit_weights(puzzles: Sequence[Puzzle], chances: Sequence[Chances]) -> tuple[float, ...]:
    """Fit the weights to the half of the rated puzzles that is not held out."""
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
    predicted = np.array(ratings([features(*pair) for pair in used], weights), np.float64)
    middle = list(used[0][1])[len(LEVELS) // 2]
    surprises = [-np.log(np.maximum(one[middle], 1e-9)) for _, one in used]
    guesses = {
        "predicted rating": predicted,
        "number of the solver's moves": np.array([float(len(s)) for s in surprises]),
        f"−log p of the first move, {middle}": np.array([float(s[0]) for s in surprises]),
        f"−log p of all moves, {middle}": np.array([float(s.sum()) for s in surprises]),
    }
    return RatingCheck(
        len(used),
        tuple(_correlations(guesses, known)),
        float(np.sqrt(np.mean((predicted - known) ** 2))),
        float(np.std(known)),
    )


def _rated(puzzles: Sequence[Puzzle], chances: Sequence[Chances]) -> list[tuple[Puzzle, Chances]]:
    """The puzzles whose rating comes from solvers: a predicted one would be compared with itself."""
    return [pair for pair in zip(puzzles, chances, strict=True) if pair[0].public_rating is not None]


def spearman(one: Values, other: Values) -> float:
    """The correlation of the ranks, −1 to 1; equal values share their mean rank; 0 where one side is constant."""
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
