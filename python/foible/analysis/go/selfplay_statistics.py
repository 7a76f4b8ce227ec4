"""Statistics of a generation's games: komi, branches, results, lengths, and calibration of predictions (SAI, §7)."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self, get_args

import numpy as np

from foible.analysis.estimates import FamilyMean, Floats, Integers, family_mean, means_by
from foible.nets.go.margin import Sigmoid
from foible.selfplay.go.record import GoSelfplayRecord

Histogram = Mapping[float, int]
"""The number of games by a value that games have, such as the komi, ascending."""
Oracle = Literal["net", "search"]
ORACLES: Final[tuple[Oracle, ...]] = get_args(Oracle)
BINS: Final = 20
"""The number of bins of the winrate, of equal width."""


@dataclass(frozen=True, slots=True)
class GenerationGames:
    """Statistics of the games of one generation."""

    number: int
    games: int
    """The number of games, branches included."""
    black: FamilyMean
    """Black's points per game, 0 to 1; a draw is half a point."""
    halves: FamilyMean
    """The share of the games that were decided by half a point."""
    capped: FamilyMean
    """The share of the games that ended at the length cap; the others ended with two passes."""
    komi: Histogram
    """The komi of games from the empty board."""
    branch_komi: Histogram
    branch_plies: Histogram
    """The number of moves before a branch leaves its parent."""
    lengths: Histogram
    """The length of games in plies from the empty board on; a branch's inherited moves count."""
    margins: Histogram
    """Black's area minus White's, after komi."""

    @property
    def branches(self) -> int:
        """The number of games that are branches."""
        return sum(self.branch_plies.values())

    def to_json(self) -> dict[str, Any]:
        """The statistics as plain values; histograms are lists of pairs of a value and its number of games."""
        shares = {"won_by_black": self.black, "half_point": self.halves, "length_cap": self.capped}
        histograms = {
            "komi": self.komi,
            "branch_komi": self.branch_komi,
            "branch_ply": self.branch_plies,
            "plies": self.lengths,
            "margin": self.margins,
        }
        return {
            "generation": self.number,
            "games": self.games,
            "branches": self.branches,
            **{name: {"share": share.value, "standard_error": share.standard_error} for name, share in shares.items()},
            **{name: _summary(one) for name, one in histograms.items()},
        }


def generation_games(number: int, games: Sequence[GoSelfplayRecord]) -> GenerationGames:
    """The statistics of a generation's games."""
    branches = [game for game in games if game.is_branch]
    return GenerationGames(
        number=number,
        games=len(games),
        black=_mean(games, lambda game: float(np.sign(game.margin)) / 2 + 0.5),
        halves=_mean(games, lambda game: abs(game.margin) == 0.5),
        capped=_mean(games, is_capped),
        komi=_histogram(game.komi for game in games if not game.is_branch),
        branch_komi=_histogram(game.komi for game in branches),
        branch_plies=_histogram(len(game.inherited) for game in branches),
        lengths=_histogram(len(game.inherited) + len(game.plies) for game in games),
        margins=_histogram(game.margin for game in games),
    )


def is_capped(game: GoSelfplayRecord) -> bool:
    """Whether a game was ended by the length cap, twice the board's number of points, not by two passes (SAI, §5.1)."""
    return game.moves[-2:] != ["pass", "pass"]


def mean_and_deviation(histogram: Histogram) -> tuple[float, float] | None:
    """The mean and the standard deviation of a histogram's values; `None` for an empty one."""
    if not histogram:
        return None
    values, weights = np.array(list(histogram)), np.array(list(histogram.values()))
    mean = float(np.average(values, weights=weights))
    return mean, float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))


def _mean(games: Sequence[GoSelfplayRecord], what: Callable[[GoSelfplayRecord], float]) -> FamilyMean:
    families = np.array([game.id[0] for game in games], np.int64)
    return family_mean(np.array([what(game) for game in games], np.float64), families)


def _histogram(values: Iterable[float]) -> Histogram:
    return dict(sorted(Counter(values).items()))


def _summary(histogram: Histogram) -> dict[str, Any]:
    mean, deviation = mean_and_deviation(histogram) or (None, None)
    return {"mean": mean, "standard_deviation": deviation, "histogram": [list(pair) for pair in histogram.items()]}


@dataclass(frozen=True, slots=True)
class CalibrationCell:
    """Predicted and realised results of some positions. Cells of different games can be added."""

    predicted_total: float
    """The sum of the predicted winrates."""
    excess: FamilyMean
    """Points (1 for a win, ½ for a draw, 0 for a loss) minus the predicted winrate."""

    def __add__(self, other: Self) -> Self:
        return type(self)(self.predicted_total + other.predicted_total, self.excess + other.excess)

    @property
    def predicted(self) -> float:
        """The mean predicted winrate, 0 to 1."""
        return self.predicted_total / self.excess.n

    @property
    def realised(self) -> float:
        """The mean points per position, 0 to 1."""
        return (self.predicted_total + self.excess.total) / self.excess.n

    @property
    def standard_error(self) -> float | None:
        """Standard error of `realised` − `predicted`, by families of games; `None` where these give no error."""
        return self.excess.standard_error

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "positions": self.excess.n,
            "families": self.excess.families,
            "predicted": self.predicted,
            "realised": self.realised,
            "standard_error": self.standard_error,
        }


Cells = Mapping[float, CalibrationCell]


@dataclass(frozen=True, slots=True)
class Calibration:
    """The calibration over all searched positions, by what predicted the result: the net alone, or the search.

    For nets with a single value only the search has cells.
    """

    by_winrate: Mapping[Oracle, Cells]
    """The cells by the middle of a bin of the mover's winrate, so that 0.9 means the same for both colours."""
    by_komi: Mapping[Oracle, Cells]
    """The cells by komi; here winrates and points are Black's."""

    @classmethod
    def of(cls, games: Iterable[GoSelfplayRecord]) -> Self:
        """The calibration of games of one generation; the families of others are distinct, so `pooled` adds those."""
        rows = [
            (game.komi, at % 2 == 0, _number(ply.alpha), _number(ply.beta), ply.winrate, game.margin, game.id[0])
            for game in games
            for at, ply in enumerate(game.plies, len(game.inherited))
        ]
        komi, to_move, alpha, beta, winrate, margin, numbers = np.array(rows, np.float64).reshape(-1, 7).T
        black_moves, family = to_move == 1, numbers.astype(np.int64)
        won_by_black = np.sign(margin) / 2 + 0.5
        won = np.where(black_moves, won_by_black, 1 - won_by_black)
        predicted: dict[Oracle, Floats] = {
            "net": Sigmoid.of_black(alpha, beta, komi, black_moves).winrate(),
            "search": np.where(black_moves, winrate, 1 - winrate),
        }
        by_winrate, by_komi = {}, {}
        for oracle, black in predicted.items():
            mover = np.where(black_moves, black, 1 - black)
            middles = (np.minimum(np.floor(mover * BINS), BINS - 1) + 0.5) / BINS
            by_winrate[oracle] = _cells(middles, mover, won, family)
            by_komi[oracle] = _cells(komi, black, won_by_black, family)
        return cls(by_winrate, by_komi)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            name: {oracle: [{key: at, **cell.to_json()} for at, cell in found[oracle].items()] for oracle in ORACLES}
            for name, key, found in (("by_winrate", "bin", self.by_winrate), ("by_komi", "komi", self.by_komi))
        }


def pooled(calibrations: Sequence[Calibration]) -> Calibration:
    """The calibration of several generations together."""
    return Calibration(
        {oracle: _sum(one.by_winrate[oracle] for one in calibrations) for oracle in ORACLES},
        {oracle: _sum(one.by_komi[oracle] for one in calibrations) for oracle in ORACLES},
    )


def _cells(keys: Floats, predicted: Floats, points: Floats, family: Integers) -> Cells:
    known = ~np.isnan(predicted)
    keys, predicted, points, family = keys[known], predicted[known], points[known], family[known]
    means = means_by(keys, predicted, family)
    return {
        key: CalibrationCell(means[key].total, excess)
        for key, excess in means_by(keys, points - predicted, family).items()
    }


def _sum(all_cells: Iterable[Cells]) -> Cells:
    found: dict[float, CalibrationCell] = {}
    for cells in all_cells:
        for key, cell in cells.items():
            found[key] = found[key] + cell if key in found else cell
    return dict(sorted(found.items()))


def _number(value: float | None) -> float:
    return np.nan if value is None else value
