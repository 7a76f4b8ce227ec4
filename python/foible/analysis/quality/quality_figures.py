"""The figures of an analysis: errors after a senior's move, juniors' losses, and who chooses like whom."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from foible.analysis.estimates import Estimate
from foible.analysis.quality.hypothetical_moves import Agreement
from foible.analysis.quality.partners import Bin, Exceedance
from foible.drawing import WIDTH, Figure, legend_above, new_axes, new_canvas, plain, svg_element

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALTER, FOCAL = "#b35806", "#2166ac"
"""Colours of the two sides, which the colour-blind can tell apart; the sides' marks differ as well."""


def exceedance_figure(of_alter: Sequence[Exceedance], of_focal: Sequence[Exceedance], focal: str, alter: str) -> Figure:
    """Figure 3: how much more often opposing juniors err right after the senior than after his junior."""
    canvas, axes = new_axes()
    for exceedances, team, colour, mark, shift in (
        (of_alter, alter, ALTER, "s", -0.08),
        (of_focal, focal, FOCAL, "o", 0.08),
    ):
        n = max((e.ratio.n for e in exceedances), default=0)
        label = plain(f"senior of {team} (n = {n} moves)")
        places = [i + shift for i in range(len(exceedances))]
        _points(axes, places, [e.ratio for e in exceedances], colour, mark, label)
    axes.axhline(1, color="0.5", linewidth=0.8)
    axes.set_xticks(range(len(of_focal)), [f"≥ {e.threshold:g}" for e in of_focal])
    axes.set_xlabel("loss of the opposing junior's move (percentage points of win probability)")
    axes.set_ylabel("share after senior / after junior")
    legend_above(axes)
    note = "The ratio of the two shares of moves that lose so much; bars: ± one standard error, clustered by pair."
    return Figure("errors-after-seniors", "Errors after a senior's move (figure 3)", svg_element(canvas, "fig3"), note)


def bins_figure(bins: Sequence[Bin], focal: str, alter: str) -> Figure:
    """Figure 4: the difference of the juniors' losses by win probability."""
    canvas, axes = new_axes()
    middles = [(bin_.low + bin_.high) / 2 for bin_ in bins]
    differences = [bin_.juniors.difference for bin_ in bins]
    n = sum(difference.n for difference in differences)
    label = plain(f"junior of {alter} − junior of {focal} (n = {n} moves)")
    _points(axes, middles, differences, FOCAL, "o", label)
    for x, difference in zip(middles, differences, strict=True):
        axes.annotate(
            str(difference.n), (x, 0.01), xycoords=("data", "axes fraction"), ha="center", va="bottom", fontsize=7
        )
    axes.axhline(0, color="0.5", linewidth=0.8)
    axes.set_xlim(0, 100)
    axes.margins(y=0.15)
    axes.set_xlabel("win probability of the mover before the move (%)")
    axes.set_ylabel("difference of mean losses (points)")
    legend_above(axes)
    note = "Bars: ± one standard error, clustered by pair; the numbers along the axis are the moves in each bin."
    title = "Juniors' losses by win probability (figure 4)"
    return Figure("losses-by-win-probability", title, svg_element(canvas, "fig4"), note)


def agreement_figure(agreement: Agreement) -> Figure:
    """Figure 5: how often every two players choose the same move."""
    size = len(agreement.players)
    canvas = new_canvas(WIDTH, 1.6 + 0.55 * size)
    axes = canvas.add_subplot()
    values = [[float("nan") if cell.value is None else cell.value for cell in row] for row in agreement.percent]
    image = axes.imshow(values, cmap="Blues", vmin=0, vmax=100, aspect="auto")
    names = [plain(name) for name in agreement.players]
    axes.set_xticks(range(size), names, rotation=30, ha="right")
    axes.set_yticks(range(size), names)
    for y, row in enumerate(agreement.percent):
        for x, cell in enumerate(row):
            if cell.value is not None:
                axes.text(x, y, f"{cell.value:.0f}", ha="center", va="center", color="w" if cell.value > 60 else "k")
    n = max((cell.n for row in agreement.percent for cell in row), default=0)
    canvas.colorbar(image, ax=axes, label=f"same move (% of n = {n} positions)")
    axes.set_xlabel("player")
    axes.set_ylabel("player")
    note = "Positions of the games, one in every twenty plies; each player as if it were its first move of a game."
    return Figure("agreement", "Who chooses like whom (figure 5)", svg_element(canvas, "fig5"), note)


def _points(
    axes: "Axes", places: Sequence[float], estimates: Sequence[Estimate], colour: str, mark: str, label: str
) -> None:
    """Draw the estimates that have a value, with their errors where there are any."""
    drawn = [(x, e.value, _error(e)) for x, e in zip(places, estimates, strict=True) if e.value is not None]
    x, y, error = (list(column) for column in zip(*drawn, strict=True)) if drawn else ([], [], [])
    axes.errorbar(x, y, error, fmt=mark, color=colour, capsize=3, markersize=5, linewidth=1.2, label=label)


def _error(estimate: Estimate) -> float:
    return math.nan if estimate.standard_error is None else estimate.standard_error
