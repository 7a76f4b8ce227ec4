"""Panel evaluation: one number for a net's strength where Elo misleads (SAI, §6).

A net plays the same number of games against each net of a fixed panel, which gives a vector of win shares. The scale is
made once, from the vectors of many nets: the direction in which these differ most, the first principal component of
the covariance (not of the correlation, in which panel nets that all beat, or none, would weigh as much as the others).
A net's score is how far its vector lies along that direction from the mean of those nets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from foible.analysis.estimates import Floats
from foible.arena.elo import posterior_weights
from foible.arena.go.report import Cell
from foible.arena.stats import Tally
from foible.errors import ConfigError
from foible.runs.files import write_atomically


@dataclass(frozen=True, slots=True)
class PanelScale:
    """The scale of a panel of P nets. It is made once and kept: scores on different scales do not compare."""

    panel: tuple[str, ...]
    """The P nets, by name."""
    weights: tuple[float, ...]
    """`[P]`: the direction of the scale, of unit length and with a positive sum."""
    means: tuple[float, ...]
    """`[P]`: the mean win shares of the nets that the scale was made from."""
    nets: int
    """The number of nets that the scale was made from."""
    explained: float
    """The share of those nets' variance, 0 to 1, that lies along the direction."""

    def __post_init__(self) -> None:
        """:raises ConfigError: the lists differ in length, or the weights have another length than 1."""
        if not len(self.panel) == len(self.weights) == len(self.means):
            raise ConfigError(
                f"a calibration needs a weight and a mean for each of its {len(self.panel)} nets, not"
                f" {len(self.weights)} and {len(self.means)}"
            )
        if abs(np.square(self.weights).sum() - 1) > 1e-6:
            raise ConfigError(f"the weights of a calibration have unit length, not {np.linalg.norm(self.weights):.4f}")

    def score(self, shares: ArrayLike) -> Floats:
        """`[N, P]` or `[P]` win shares against the panel → `[N]` scores, or one: Σ weightᵢ (shareᵢ − meanᵢ)."""
        scores: Floats = (np.asarray(shares, np.float64) - self.means) @ np.asarray(self.weights)
        return scores

    def standard_error(self, errors: ArrayLike) -> Floats:
        """The standard error of a score, from the independent errors of its win shares, `[N, P]` or `[P]`."""
        errors_of_scores: Floats = np.sqrt(np.square(errors) @ np.square(self.weights))
        return errors_of_scores

    @property
    def even(self) -> float:
        """The score of a net that wins half of its games against every panel net."""
        return float(self.score(np.full(len(self.panel), 0.5)))

    @property
    def ceiling(self) -> float:
        """The score of a net that wins all games."""
        return float(self.score(np.ones(len(self.panel))))

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def calibrate(panel: Sequence[str], shares: ArrayLike) -> PanelScale:
    """Make the scale from the win shares `[N, P]` of N nets.

    :raises ConfigError: fewer than two nets, or nets that do not differ.
    """
    vectors = np.asarray(shares, np.float64)
    if len(vectors) < 2:
        raise ConfigError(f"a panel is calibrated on two nets or more, not {len(vectors)}; some hundred are better")
    means = vectors.mean(axis=0)
    variances, directions = np.linalg.eigh(np.atleast_2d(np.cov(vectors, rowvar=False)))
    if not variances[-1] > 0:
        raise ConfigError("the nets of a calibration do not differ in how they do against the panel; give others")
    weights = directions[:, -1] * (1.0 if directions[:, -1].sum() >= 0 else -1.0)
    return PanelScale(
        tuple(panel),
        tuple(weights.tolist()),
        tuple(means.tolist()),
        nets=len(vectors),
        explained=float(variances[-1] / variances.sum()),
    )


def write_calibration(calibration: PanelScale, path: Path) -> None:
    """Write the scale as JSON, whole or not at all."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(calibration), indent=2) + b"\n")


def read_calibration(path: Path, panel: Sequence[str]) -> PanelScale:
    """Read the scale from a file; it must belong to this panel.

    :raises ConfigError: there is no such file, it holds no calibration, or one of another panel.
    """
    try:
        scale = msgspec.json.decode(path.read_bytes(), type=PanelScale)
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except (OSError, msgspec.MsgspecError, ConfigError) as error:
        raise ConfigError(f"{path}: no calibration of a panel ({error})") from None
    if scale.panel != tuple(panel):
        raise ConfigError(f"{path}: made for the panel {', '.join(scale.panel)}; this one is {', '.join(panel)}")
    return scale


@dataclass(frozen=True, slots=True)
class PanelResults:
    """Win shares of N candidates against P panel nets."""

    candidates: tuple[str, ...]
    panel: tuple[str, ...]
    shares: Floats
    """`[N, P]`: NaN where no game was played, ½ for a net against itself."""
    standard_errors: Floats
    """`[N, P]`: the standard errors of the shares, by pairs of games; 0 for a net against itself.

    Where the pairs give no error (there is only one, or all ended alike), the share's deviation under Jeffreys' prior
    is used, as in the interval of Elo: even a net that won all games might lose one.
    """

    @property
    def complete(self) -> bool:
        """Whether every candidate met every panel net."""
        return not np.isnan(self.shares).any()

    def scored(self, calibration: PanelScale) -> list["PanelScore"]:
        """The score of each candidate that met the whole panel."""
        scores, errors = calibration.score(self.shares), calibration.standard_error(self.standard_errors)
        found = []
        for name, score, error in zip(self.candidates, scores.tolist(), errors.tolist(), strict=True):
            if not np.isnan(score):
                found.append(PanelScore(name, score, error))
        return found


@dataclass(frozen=True, slots=True)
class PanelScore:
    """A candidate's strength on the scale of a panel."""

    name: str
    value: float
    standard_error: float


def panel_results(cells: Sequence[Cell], candidates: Sequence[str], panel: Sequence[str]) -> PanelResults:
    """The win shares from the cells of a panel match, whichever of the two players was under test in a cell."""
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
    error = deviation(cell.statistics.tally) if share.standard_error is None else share.standard_error
    return {(cell.focal, cell.opponent): (share.value, error), (cell.opponent, cell.focal): (1 - share.value, error)}


def deviation(tally: Tally) -> float:
    """The standard deviation of the expected score, always above 0, under the prior of `arena.elo.credible_share`.

    The probabilities of the classes are Dirichlet(w), with w by `posterior_weights`, and so the variance of their mean
    score is that of the scores, weighted by w, over their total + 1.
    """
    weights, scores = posterior_weights(tally), np.asarray(tally.scores)
    mean = np.average(scores, weights=weights)
    return float(np.sqrt(np.average((scores - mean) ** 2, weights=weights) / (weights.sum() + 1)))


def to_json(results: PanelResults, calibration: PanelScale | None) -> dict[str, Any]:
    """The results as plain values: win shares and errors by candidate and panel net, and scores if there is a scale."""
    shares = {
        name: {
            member: None if np.isnan(share) else {"share": float(share), "standard_error": float(error)}
            for member, share, error in zip(results.panel, row, errors, strict=True)
        }
        for name, row, errors in zip(results.candidates, results.shares, results.standard_errors, strict=True)
    }
    scale = None
    if calibration is not None:
        scores = {
            score.name: {"value": score.value, "standard_error": score.standard_error}
            for score in results.scored(calibration)
        }
        scale = {**calibration.to_json(), "even": calibration.even, "ceiling": calibration.ceiling, "scores": scores}
    return {"panel": list(results.panel), "shares": shares, "scale": scale}
