"""The games of a generation in numbers: komi, branches, results, lengths (SAI, §7, item 9)."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from foible.analysis.clustered_means import FamilyMean, family_mean
from foible.selfplay.go.record import GoGame

Histogram = Mapping[float, int]
"""Games by a number of theirs, ascending."""


@dataclass(frozen=True, slots=True)
class GenerationGames:
    """Of one generation."""

    number: int
    games: int
    """Branches included."""
    black: FamilyMean
    """Black's points per game, 0 to 1, a draw half of one."""
    halves: FamilyMean
    """Share of the games that half a point decided."""
    capped: FamilyMean
    """Share of the games that ended at the length cap; the others ended with two passes."""
    komi: Histogram
    """Of games from the empty board."""
    branch_komi: Histogram
    branch_plies: Histogram
    """Of branches: the moves before them."""
    lengths: Histogram
    """In plies from the empty board on; of a branch what it inherited counts."""
    margins: Histogram
    """Black's area minus White's, after komi."""

    @property
    def branches(self) -> int:
        """Of the games."""
        return sum(self.branch_plies.values())

    def to_json(self) -> dict[str, Any]:
        """Plain values; histograms as pairs of a number and its games."""
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
            **{name: {"share": share.value, "error": share.error} for name, share in shares.items()},
            **{name: _summary(one) for name, one in histograms.items()},
        }


def generation_games(number: int, games: Sequence[GoGame]) -> GenerationGames:
    """The numbers of a generation's games."""
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


def is_capped(game: GoGame) -> bool:
    """Whether a game ended at twice as many plies as the board has points, and not with two passes (SAI, §5.1)."""
    return game.moves[-2:] != ["pass", "pass"]


def mean_and_deviation(histogram: Histogram) -> tuple[float, float] | None:
    """`None` of nothing."""
    if not histogram:
        return None
    values, weights = np.array(list(histogram)), np.array(list(histogram.values()))
    mean = float(np.average(values, weights=weights))
    return mean, float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))


def _mean(games: Sequence[GoGame], what: Callable[[GoGame], float]) -> FamilyMean:
    families = np.array([game.id[0] for game in games], np.int64)
    return family_mean(np.array([what(game) for game in games], np.float64), families)


def _histogram(values: Iterable[float]) -> Histogram:
    return dict(sorted(Counter(values).items()))


def _summary(histogram: Histogram) -> dict[str, Any]:
    mean, deviation = mean_and_deviation(histogram) or (None, None)
    return {"mean": mean, "sd": deviation, "histogram": [list(pair) for pair in histogram.items()]}
