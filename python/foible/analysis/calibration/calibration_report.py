"""The results of a calibration as tables, as plain values, and in words; and as a plot of predicted probability
against observed frequency.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from foible.analysis.calibration.model_scores import BINS, Calibration, GroupScores, Reliability
from foible.analysis.calibration.scored_moves import Grouping, band, label
from foible.analysis.estimates import Floats
from foible.drawing import new_canvas, picture, plain
from foible.fields import PictureKind
from foible.wording import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PERCENT = 100


def draw_reliability(calibration: Calibration, kind: PictureKind) -> bytes:
    """A picture with two panels, for every legal move and for the most probable one, each above a histogram of the
    forecasts.
    """
    figure = new_canvas(11, 7)
    axes = figure.subplots(2, 2, sharex="col", height_ratios=(3, 1), squeeze=False)
    moves = f"{calibration.all.moves:,} moves of {calibration.all.games:,} games"
    _panel(axes[0, 0], axes[1, 0], calibration.every_move, calibration.names, "every legal move")
    _panel(axes[0, 1], axes[1, 1], calibration.top_move, calibration.names, "the most probable move")
    figure.suptitle(f"Predicted and played: {moves}; bars are ± one standard error, clustered by game")
    return picture(figure, "reliability", kind)


def _panel(above: "Axes", below: "Axes", reliability: Reliability, names: list[str], title: str) -> None:
    above.plot([0, PERCENT], [0, PERCENT], color="0.6", linewidth=1, linestyle="--")
    edges = np.linspace(0, PERCENT, BINS + 1)
    predicted, observed = reliability.predicted.mean, reliability.observed.mean
    errors, counts = reliability.observed.standard_error, reliability.observed.count
    for i, name in enumerate(names):
        here = counts[i] > 0
        y_errors = np.nan_to_num(PERCENT * errors[i, here])
        label = f"{plain(name)}: expected error {percent(reliability.expected_error[i])}"
        x, y = PERCENT * predicted[i, here], PERCENT * observed[i, here]
        above.errorbar(x, y, yerr=y_errors, marker="o", markersize=3, linewidth=1, label=label)
        below.stairs(counts[i], edges)
    above.set(title=f"{title}: n = {int(counts[0].sum()):,} forecasts", ylabel="played, %", xlim=(0, PERCENT))
    above.set_ylim(0, PERCENT)
    below.set(xlabel="predicted probability, %", ylabel="forecasts")
    above.legend(loc="upper left", fontsize="small")
    below.set_yscale("log", nonpositive="clip")
    below.yaxis.set_minor_formatter("")


Metric = Literal["log_loss", "top1"]
METRICS: dict[Metric, str] = {"log_loss": "log-loss, nats a move", "top1": "first guess right, %"}

OVERALL = (
    "",
    "log-loss, nats",
    "±",
    "behind the best",
    "±",
    "first guess right, %",
    "±",
    "calibration error, top move, %",
    "every move, %",
)
"""The columns of `overall_rows`."""
OVERALL_NOTE = (
    "log-loss: the mean of −ln p, where p is the probability that the model gave the move played; smaller is better,"
    " and behind the best is by how much it exceeds the smallest. First guess right: how often the most probable move"
    " was played. Calibration error: how far probabilities are from how often such moves were played, for the most"
    " probable move and for every legal one. ±: standard error, clustered by game"
)
"""How to read `overall_rows`."""
GROUPS_NOTE = "± at most: the greatest standard error of the row"
"""How to read `group_rows`."""
BEST_NOTE = "*: the best model of the row, or several that are equal"
"""How to read the marks in `group_rows` where there are several models."""


@dataclass(frozen=True, slots=True)
class OwnBand:
    """Whether the model of the level of a rating band predicts that band best, among several models of levels."""

    model: str
    band: str
    best: str
    """The model with the smallest log-loss in the band, among the models of levels."""
    gap: float
    """Log-loss of the model minus that of the best one, in nats per move; 0 where the model is the best itself."""
    standard_error: float
    """Standard error of the gap, from differences on the same moves, clustered by game."""

    @property
    def holds(self) -> bool:
        """Whether the model itself is the best in its own band."""
        return self.model == self.best

    def __str__(self) -> str:
        where = f"best in {self.band}, its own rating band"
        if self.holds:
            return f"{self.model} is {where}"
        gap = f"{self.gap:.4f} ± {self.standard_error:.4f} nats a move"
        return f"{self.model} is not {where}: {self.best} is, by {gap}"


def values(scores: GroupScores, metric: Metric) -> tuple[Floats, Floats]:
    """`[M]` means and `[M]` standard errors of a metric; the log-loss is infinite if an impossible move was played."""
    means = scores.log_loss if metric == "log_loss" else scores.top1
    if metric == "top1":
        return means.mean, means.standard_error
    impossible = scores.impossible > 0
    return np.where(impossible, np.inf, means.mean), np.where(impossible, np.nan, means.standard_error)


def best(scores: GroupScores, metric: Metric) -> int:
    """The index of the best model; of equals, the first."""
    found = values(scores, metric)[0]
    return int(found.argmin() if metric == "log_loss" else found.argmax())


def behind(scores: GroupScores) -> tuple[Floats, Floats]:
    """`[M]`: how much each model's log-loss exceeds the smallest, and the standard error of that, from differences on
    the same moves; infinite where either log-loss is.
    """
    losses, winner = values(scores, "log_loss")[0], best(scores, "log_loss")
    finite = np.isfinite(losses) & np.isfinite(losses[winner])
    gaps, errors = scores.difference.mean[:, winner], scores.difference.standard_error[:, winner]
    return np.where(finite, gaps, np.inf), np.where(finite, errors, np.nan)


def overall_rows(calibration: Calibration) -> list[list[str]]:
    """One row per model, in the columns of `OVERALL`."""
    columns = [
        *([_number(x, "log_loss") for x in column] for column in values(calibration.all, "log_loss")),
        *([_number(x, "log_loss") for x in column] for column in behind(calibration.all)),
        *([_number(x, "top1") for x in column] for column in values(calibration.all, "top1")),
        *([_number(x, "top1") for x in r.expected_error] for r in (calibration.top_move, calibration.every_move)),
    ]
    return [list(row) for row in zip(calibration.names, *columns, strict=True)]


def group_columns(calibration: Calibration, grouping: Grouping) -> list[str]:
    """The columns of `group_rows`."""
    return [grouping, "games", "moves", *calibration.names, "± at most"]


def group_rows(calibration: Calibration, grouping: Grouping, metric: Metric) -> list[list[str]]:
    """One row per group, one column per model; where there are several models, the best are marked `*`."""
    rows = []
    for group, scores in sorted(calibration.by[grouping].items()):
        means, errors = values(scores, metric)
        top = means[best(scores, metric)]
        several = len(means) > 1
        cells = [_number(x, metric) + ("*" if x == top else " ") * several for x in means]
        known = errors[np.isfinite(errors)]
        error = _number(known.max(), metric) if len(known) else "–"
        rows.append([label(grouping, group), str(scores.games), str(scores.moves), *cells, error])
    return rows


def own_bands(calibration: Calibration, levels: Sequence[float | None]) -> list[OwnBand]:
    """For each model of a level whose rating band has moves, whether its log-loss there is the lowest among them."""
    rated = [(number, level) for number, level in enumerate(levels) if level is not None]
    bands = calibration.by.get("rating", {})
    if len(rated) < 2:
        return []
    return [
        _own_band(
            bands[band(level)], calibration.names, number, [other for other, _ in rated], label("rating", band(level))
        )
        for number, level in rated
        if band(level) in bands
    ]


def _own_band(scores: GroupScores, names: Sequence[str], model: int, rivals: Sequence[int], where: str) -> OwnBand:
    losses = values(scores, "log_loss")[0]
    winner = min(rivals, key=lambda rival: losses[rival])
    if not np.isfinite(losses[[model, winner]]).all():
        gap, error = (0.0 if model == winner else float("inf")), float("nan")
    else:
        gap = float(scores.difference.mean[model, winner])
        error = float(scores.difference.standard_error[model, winner])
    return OwnBand(names[model], where, names[winner], gap, error)


def own_band_summary(bands: Sequence[OwnBand]) -> str:
    """One line on the levels whose own rating bands have moves: which of them do not predict these best."""
    if len(bands) == 1:
        return f"{bands[0]}."
    not_best = [each for each in bands if not each.holds]
    if not not_best:
        return f"Each of the {len(bands)} levels predicts its own rating band best."
    where = "; ".join(map(str, not_best))
    return f"{len(bands) - len(not_best)} of {len(bands)} levels predict their own rating band best: {where}."


def to_json(calibration: Calibration, levels: Sequence[float | None]) -> dict[str, Any]:
    """The results as plain values; numbers that are not finite become null when they are encoded."""
    return {
        "moves": calibration.all.moves,
        "games": calibration.all.games,
        "models": [
            {
                "name": name,
                **_scores(calibration.all, i),
                "calibration_error": {
                    "top_move": float(calibration.top_move.expected_error[i]),
                    "every_move": float(calibration.every_move.expected_error[i]),
                },
                "by": {
                    grouping: [
                        {"group": label(grouping, group), "games": s.games, "moves": s.moves, **_scores(s, i)}
                        for group, s in sorted(groups.items())
                    ]
                    for grouping, groups in calibration.by.items()
                },
                "reliability": {
                    "top_move": _bins(calibration.top_move, i),
                    "every_move": _bins(calibration.every_move, i),
                },
            }
            for i, name in enumerate(calibration.names)
        ],
        "own_bands": [{**asdict(each), "holds": each.holds} for each in own_bands(calibration, levels)],
    }


def _scores(scores: GroupScores, model: int) -> dict[str, Any]:
    loss, loss_error = values(scores, "log_loss")
    gap, gap_error = behind(scores)
    top, top_error = values(scores, "top1")
    return {
        "log_loss": float(loss[model]),
        "log_loss_standard_error": float(loss_error[model]),
        "behind_best": float(gap[model]),
        "behind_best_standard_error": float(gap_error[model]),
        "top1": float(top[model]),
        "top1_standard_error": float(top_error[model]),
        "impossible": int(scores.impossible[model]),
    }


def _bins(reliability: Reliability, model: int) -> list[dict[str, float]]:
    """The bins that hold forecasts."""
    predicted, observed = reliability.predicted.mean[model], reliability.observed.mean[model]
    errors, counts = reliability.observed.standard_error[model], reliability.observed.count[model]
    return [
        {
            "from": i / BINS,
            "to": (i + 1) / BINS,
            "forecasts": int(counts[i]),
            "predicted": float(predicted[i]),
            "observed": float(observed[i]),
            "observed_standard_error": float(errors[i]),
        }
        for i in range(BINS)
        if counts[i]
    ]


def _number(value: float, metric: Metric) -> str:
    if np.isnan(value):
        return "–"
    if np.isinf(value):
        return "∞"
    return f"{value:.4f}" if metric == "log_loss" else f"{100 * value:.2f}"
