"""Panel scores from the games of a panel match (SAI, §6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from foible.analysis.go.panel import Calibration, Floats
from foible.arena.elo import JEFFREYS
from foible.arena.go.cells import Cell
from foible.arena.stats import Tally


@dataclass(frozen=True, slots=True)
class PanelResults:
    """Win shares of N candidates against P panel nets."""

    candidates: tuple[str, ...]
    panel: tuple[str, ...]
    shares: Floats
    """`[N, P]`, not a number where no game was played; ½ of a net against itself."""
    errors: Floats
    """`[N, P]`: their standard errors, by pairs of games; 0 of a net against itself.

    Where pairs do not tell it (there is one, or all ended alike), the deviation of the share by Jeffreys' prior, as in
    the interval of Elo: who won all games might yet lose one.
    """

    @property
    def complete(self) -> bool:
        """Whether every candidate met every panel net."""
        return not np.isnan(self.shares).any()

    def scored(self, calibration: Calibration) -> list["Score"]:
        """The score of each candidate that met the whole panel."""
        scores, errors = calibration.score(self.shares), calibration.error(self.errors)
        found = []
        for name, score, error in zip(self.candidates, scores.tolist(), errors.tolist(), strict=True):
            if not np.isnan(score):
                found.append(Score(name, score, error))
        return found


@dataclass(frozen=True, slots=True)
class Score:
    """How strong a candidate is on the scale of a panel."""

    name: str
    value: float
    error: float
    """Standard error."""


def panel_results(cells: Sequence[Cell], candidates: Sequence[str], panel: Sequence[str]) -> PanelResults:
    """From the cells of a panel match, whoever was under test in them."""
    found: Mapping[tuple[str, str], tuple[float, float]] = {
        names: values for cell in cells for names, values in _both_views(cell).items()
    }
    unknown = float("nan"), float("nan")
    table = np.array([[(0.5, 0.0) if i == j else found.get((i, j), unknown) for j in panel] for i in candidates])
    return PanelResults(tuple(candidates), tuple(panel), table[..., 0], table[..., 1])


def _both_views(cell: Cell) -> dict[tuple[str, str], tuple[float, float]]:
    share = cell.statistics.share
    if share.value is None:
        return {}
    error = deviation(cell.statistics.tally) if share.error is None else share.error
    return {(cell.focal, cell.opponent): (share.value, error), (cell.opponent, cell.focal): (1 - share.value, error)}


def deviation(tally: Tally) -> float:
    """Of the expected score under Jeffreys' prior, whose interval is `foible.arena.elo.credible_share`; always above 0.

    The probabilities of the classes are Dirichlet(counts + ½), and so the variance of their mean score is that of the
    scores, weighted by counts + ½, over their total + 1.
    """
    weights, scores = np.asarray(tally.counts) + JEFFREYS, np.asarray(tally.scores)
    mean = np.average(scores, weights=weights)
    return float(np.sqrt(np.average((scores - mean) ** 2, weights=weights) / (weights.sum() + 1)))


def to_json(results: PanelResults, calibration: Calibration | None) -> dict[str, Any]:
    """Plain values: win shares and their errors by candidate and panel net, scores where there is a scale."""
    shares = {
        name: {
            member: None if np.isnan(share) else {"share": float(share), "error": float(error)}
            for member, share, error in zip(results.panel, row, errors, strict=True)
        }
        for name, row, errors in zip(results.candidates, results.shares, results.errors, strict=True)
    }
    scale = None
    if calibration is not None:
        scores = {score.name: {"value": score.value, "error": score.error} for score in results.scored(calibration)}
        scale = {**calibration.to_json(), "even": calibration.even, "ceiling": calibration.ceiling, "scores": scores}
    return {"panel": list(results.panel), "shares": shares, "scale": scale}
