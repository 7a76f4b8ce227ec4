"""The reliability plot: predicted probability against observed frequency."""

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from foible.analysis.calibration.model_scores import BINS, Calibration, Reliability
from foible.errors import ConfigError

SUFFIXES = (".svg", ".png", ".pdf")
PERCENT = 100


def check_plot_path(path: Path) -> None:
    """:raises ConfigError: not the name of a file that a plot can be written to."""
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"{path}: a plot is written as one of {', '.join(SUFFIXES)}")
    if not path.absolute().parent.is_dir():
        raise ConfigError(f"{path}: there is no folder {path.parent}")


def plot_reliability(calibration: Calibration, path: Path) -> None:
    """Two panels, every legal move and the most probable one, with how many forecasts lie where below.

    :raises ConfigError: as `check_plot_path`.
    :raises OSError: the file cannot be written.
    """
    check_plot_path(path)
    figure = Figure(figsize=(11, 7), layout="constrained")
    axes = figure.subplots(2, 2, sharex="col", height_ratios=(3, 1), squeeze=False)
    moves = f"{calibration.all.moves:,} moves of {calibration.all.games:,} games"
    _panel(axes[0, 0], axes[1, 0], calibration.every_move, calibration.names, "every legal move")
    _panel(axes[0, 1], axes[1, 1], calibration.top_move, calibration.names, "the most probable move")
    figure.suptitle(f"Predicted and played: {moves}; bars are ± one standard error, clustered by game")
    with rc_context({"svg.hashsalt": "foible", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)


def _panel(above: Axes, below: Axes, reliability: Reliability, names: list[str], title: str) -> None:
    above.plot([0, PERCENT], [0, PERCENT], color="0.6", linewidth=1, linestyle="--")
    edges = np.linspace(0, PERCENT, BINS + 1)
    predicted, observed = reliability.predicted.mean, reliability.observed.mean
    errors, counts = reliability.observed.standard_error, reliability.observed.count
    for i, name in enumerate(names):
        here = counts[i] > 0
        y_errors = np.nan_to_num(PERCENT * errors[i, here])
        label = f"{name}: expected error {PERCENT * reliability.expected_error[i]:.1f} %"
        x, y = PERCENT * predicted[i, here], PERCENT * observed[i, here]
        above.errorbar(x, y, yerr=y_errors, marker="o", markersize=3, linewidth=1, label=label)
        below.stairs(counts[i], edges)
    above.set(title=f"{title}: n = {int(counts[0].sum()):,} forecasts", ylabel="played, %", xlim=(0, PERCENT))
    above.set_ylim(0, PERCENT)
    below.set(xlabel="predicted probability, %", ylabel="forecasts")
    above.legend(loc="upper left", fontsize="small")
    below.set_yscale("log", nonpositive="clip")
    below.yaxis.set_minor_formatter(NullFormatter())
