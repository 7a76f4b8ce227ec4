"""The course of games through opening, middlegame and endgame (phase-experts §5).

Counted are the positions before each ply, and so not the last one of a game. The phase of each is determined by itself
(phase-experts §1.2), so that a game may return to an earlier phase. A phase starts, in moves, at half the ply index of
its first position, where the start of the game has index 0. Standard deviations are those of the population.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch, ChessPosition
from foible.analysis.estimates import Estimate, mean_over_games, share_of_games
from foible.analysis.games.game_ends import Result
from foible.games.phases import PhaseTable, sparse_backrank

LAST_PLY = 99
"""The last ply of the curves by ply, which begin with ply 1."""
BOX_MOVES = tuple(range(5, 56, 5))
"""The moves after which mixedness and material are shown as boxes."""

PlyPhases = NDArray[np.uint16]
"""`[plies, 4]`: for the position before each ply, the phase, the number of majors and minors, whether a backrank is
sparse (0 or 1), and the mixedness.
"""


@dataclass(frozen=True, slots=True)
class Box:
    """The values that a box plot shows for some numbers."""

    n: int
    low: float
    """The lower whisker: the lowest number that is at most 1.5 times the box's height below the box."""
    quartiles: tuple[float, float, float]
    """The box: a quarter, half and three quarters of the numbers are below."""
    high: float


@dataclass(frozen=True, slots=True)
class PhaseSummary:
    """The phases of a set of games. Lists of three are by phase."""

    table: PhaseTable
    positions: list[int]
    shares: list[Estimate]
    """The share of each phase in the positions, 0 to 1."""
    reaching: list[int]
    """The number of games with a position of the phase."""
    games: int
    results: list[dict[Result, int]]
    """The number of games that reach the phase, by result; games without a result are left out."""
    starts: list[Estimate]
    """The mean move at which the phase starts, over the games that reach it."""
    start_deviations: list[float | None]
    """The standard deviation of these starts, in moves."""
    start_moves: list[list[int]]
    """The number of games whose phase starts within move 1, 2, …, 50; starts at ply 0 do not count."""
    backward: dict[int, int]
    """The number of games by their number of steps to an earlier phase."""
    backward_share: Estimate
    """The share of games with any step to an earlier phase."""
    by_ply: list[list[int]]
    """The number of positions of the phase at ply 1, 2, …, `LAST_PLY`."""
    sparse_by_ply: list[int]
    """The number of positions with a sparse backrank, of any phase, at the same plies."""
    mixedness: dict[int, Box]
    """The mixedness after those moves of `BOX_MOVES` that at least one game reaches."""
    majors_and_minors: dict[int, Box]

    def lasting(self, ply: int) -> int:
        """The number of games that have a position at a ply, which is 1 to `LAST_PLY`."""
        return sum(positions[ply - 1] for positions in self.by_ply)


def ply_phases(positions: Sequence[ChessPosition], table: PhaseTable) -> PlyPhases:
    """The phases of a game. `positions`: the positions before each ply."""
    if not positions:
        return np.zeros((0, 4), np.uint16)
    batch = Batch(positions)
    features = batch.phase_features(table)
    columns = batch.phases(table), features[:, 0], sparse_backrank(features), features[:, 3]
    return np.stack(columns, 1).astype(np.uint16)


def summarise_phases(games: Sequence[PlyPhases], results: Sequence[Result], table: PhaseTable) -> PhaseSummary:
    """Sum up the phases of games, of which each has one array and one result."""
    phases = [game[:, 0] for game in games]
    at = _by_ply(games)
    counts = np.array([np.bincount(of_game, minlength=3) for of_game in phases]).reshape(-1, 3)
    steps = [int((of_game[1:] < of_game[:-1]).sum()) for of_game in phases]
    first = [np.array([np.argmax(p == k) for p in phases if (p == k).any()], np.int64) for k in range(3)]
    by_ply = [at(ply) for ply in range(1, LAST_PLY + 1)]
    boxes = {move: rows for move in BOX_MOVES if len(rows := at(2 * move))}
    return PhaseSummary(
        table=table,
        positions=counts.sum(0).tolist(),
        shares=[mean_over_games(counts[:, k], counts.sum(1)) for k in range(3)],
        reaching=[len(plies) for plies in first],
        games=len(games),
        results=[_results(results, counts[:, k] > 0) for k in range(3)],
        starts=[mean_over_games(plies / 2) for plies in first],
        start_deviations=[float(np.std(plies / 2)) if len(plies) else None for plies in first],
        start_moves=[_start_moves(plies) for plies in first],
        backward=dict(sorted(Counter(steps).items())),
        backward_share=share_of_games(sum(step > 0 for step in steps), len(steps)),
        by_ply=[[int((rows[:, 0] == k).sum()) for rows in by_ply] for k in range(3)],
        sparse_by_ply=[int(rows[:, 2].sum()) for rows in by_ply],
        mixedness={move: _box(rows[:, 3]) for move, rows in boxes.items()},
        majors_and_minors={move: _box(rows[:, 1]) for move, rows in boxes.items()},
    )


def _by_ply(games: Sequence[PlyPhases]) -> Callable[[int], PlyPhases]:
    """A function from a ply to `[N, 4]`: the rows at that ply of the N games that last so long."""
    rows = np.concatenate([np.zeros((0, 4), np.uint16), *games])
    plies = np.array([len(game) for game in games], np.int64)
    starts = np.cumsum(plies) - plies
    return lambda ply: rows[starts[plies > ply] + ply]


def _results(results: Sequence[Result], reached: NDArray[np.bool_]) -> dict[Result, int]:
    found = Counter(result for result, there in zip(results, reached, strict=True) if there)
    known: tuple[Result, ...] = ("1-0", "1/2-1/2", "0-1")
    return {result: found[result] for result in known}


def _start_moves(plies: NDArray[np.int64]) -> list[int]:
    counted = plies[(plies >= 1) & (plies <= LAST_PLY)]
    return [int(games) for games in np.bincount(counted // 2, minlength=(LAST_PLY + 1) // 2)]


def _box(numbers: NDArray[np.uint16]) -> Box:
    lower, median, upper = (float(quartile) for quartile in np.percentile(numbers, (25, 50, 75)))
    reach = 1.5 * (upper - lower)
    low = min(float(numbers[numbers >= lower - reach].min()), lower)
    high = max(float(numbers[numbers <= upper + reach].max()), upper)
    return Box(len(numbers), low, (lower, median, upper), high)
