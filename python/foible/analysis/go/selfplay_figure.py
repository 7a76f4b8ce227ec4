"""A run's self-play in one picture: komi, branches, half-point games, calibration (SAI, §7, item 9)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from foible.analysis.go.selfplay_statistics import Calibration, Cells, GenerationGames, Histogram, Oracle
from foible.drawing import new_canvas, open_frame, picture, whole_numbers
from foible.fields import PictureKind
from foible.training.go.curve import bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 9.0, 9.6
"""The size of the picture in inches."""
DOTS: Final[Mapping[str, Any]] = {"markersize": 3, "linewidth": 0.8, "elinewidth": 0.8}
COLOURS: Final[Mapping[Oracle, str]] = {"net": "tab:blue", "search": "tab:orange"}
SHARES: Final = (-0.03, 1.03)
"""The range of the axes that show winrates."""
PERCENTS: Final = (0.1, 100)
"""The range of the colour scale, in percent of a generation's games."""
LEAST: Final = 10
"""The fewest families (games from the empty board with their branches) behind a point of the calibration: results of
fewer say nothing.
"""


def draw_selfplay(generations: Sequence[GenerationGames], calibration: Calibration, kind: PictureKind) -> bytes:
    """Draw the six panels, for at least one generation. `calibration`: that of all the games together."""
    canvas = new_canvas(WIDTH, HEIGHT)
    (roots, branches), (plies, halves), (winrate, komi) = canvas.subplots(3, 2)
    _heat(roots, generations, lambda generation: generation.komi, "komi of games from the empty board")
    _heat(branches, generations, lambda generation: generation.branch_komi, "komi of branches")
    _branches(plies, generations)
    _halves(halves, generations)
    _by_winrate(winrate, calibration.by_winrate)
    _by_komi(komi, calibration.by_komi)
    for axes in canvas.axes:
        open_frame(axes)
        for text in (axes.title, axes.xaxis.label, axes.yaxis.label):
            text.set_fontsize(9)
        axes.tick_params(labelsize=8)
    first, last = generations[0].number, generations[-1].number
    which = f"generation {first}" if first == last else f"{len(generations)} generations, {first} to {last}"
    games = sum(generation.games for generation in generations)
    canvas.suptitle(f"{which}: {games} games; bars: ± one standard error", fontsize=10)
    return picture(canvas, "selfplay", kind)


def _heat(
    axes: "Axes", generations: Sequence[GenerationGames], of: Callable[[GenerationGames], Histogram], title: str
) -> None:
    """Draw a heat map with a column for each generation: the share of its games at each komi."""
    from matplotlib.colors import LogNorm  # noqa: PLC0415  as foible.drawing says

    axes.set_title(title)
    komi = sorted({value for generation in generations for value in of(generation)})
    if not komi:
        _say(axes, "none")
        return
    axes.set_ylabel("komi")
    _by_generation(axes)
    step = 1.0 if len({value % 1 for value in komi}) == 1 else 0.5
    rows = np.arange(komi[0], komi[-1] + step, step)
    first, last = generations[0].number, generations[-1].number
    shares = np.full((len(rows), last - first + 1), np.nan)
    for generation in generations:
        histogram = of(generation)
        for value, games in histogram.items():
            shares[round((value - komi[0]) / step), generation.number - first] = 100 * games / sum(histogram.values())
    mesh = axes.pcolormesh(
        np.arange(first, last + 2) - 0.5,
        np.append(rows, rows[-1] + step) - step / 2,
        np.ma.masked_invalid(shares),
        norm=LogNorm(*PERCENTS, clip=True),
        cmap="viridis_r",
        rasterized=True,
    )
    axes.figure.colorbar(mesh, ax=axes, label="games of the generation (%)", format="%g").ax.tick_params(labelsize=7)


def _branches(axes: "Axes", generations: Sequence[GenerationGames]) -> None:
    total = sum((Counter(generation.branch_plies) for generation in generations), Counter[float]())
    axes.set_title(f"where branches leave: {total.total()} branches")
    if not total:
        _say(axes, "none")
        return
    axes.bar(list(total), list(total.values()), width=1.0, color="tab:blue", edgecolor="white", linewidth=0.3)
    axes.set_xlabel("moves before the branch")
    axes.set_ylabel("branches")


def _halves(axes: "Axes", generations: Sequence[GenerationGames]) -> None:
    played = [generation for generation in generations if generation.games]
    axes.errorbar(
        [generation.number for generation in played],
        [100 * (generation.halves.value or 0.0) for generation in played],
        bars((generation.halves.standard_error for generation in played), 100),
        fmt="o-",
        **DOTS,
    )
    axes.set_title("games that half a point decided")
    axes.set_ylabel("games (%)")
    axes.set_ylim(0, max(1.0, axes.get_ylim()[1]))
    _by_generation(axes)


def _by_generation(axes: "Axes") -> None:
    axes.set_xlabel("generation")
    whole_numbers(axes.xaxis)


def _by_winrate(axes: "Axes", cells_by_oracle: Mapping[Oracle, Cells]) -> None:
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
    for oracle, cells in cells_by_oracle.items():
        frequent = _many(cells)
        if frequent:
            _points(axes, [cell.predicted for cell in frequent.values()], frequent, COLOURS[oracle], oracle)
    axes.set_title("winrate of the player to move")
    axes.set_xlabel("predicted")
    axes.set_ylabel("realised")
    axes.set_xlim(*SHARES)
    _shares(axes)


def _by_komi(axes: "Axes", cells_by_oracle: Mapping[Oracle, Cells]) -> None:
    for oracle, cells in cells_by_oracle.items():
        frequent = _many(cells)
        if frequent:
            means = [cell.predicted for cell in frequent.values()]
            axes.plot(
                list(frequent),
                means,
                color=COLOURS[oracle],
                marker=".",
                markersize=3,
                linewidth=1,
                label=f"predicted by the {oracle}",
            )
    # The results do not depend on who predicted them, and only the search has predictions for all positions.
    frequent = _many(cells_by_oracle["search"])
    if frequent:
        _points(axes, list(frequent), frequent, "black", "realised")
    axes.set_title("Black's winrate by komi")
    axes.set_xlabel("komi")
    axes.set_ylabel("winrate")
    _shares(axes)


def _shares(axes: "Axes") -> None:
    """Set up the vertical axis, with a legend, or a notice where nothing is drawn."""
    axes.set_ylim(*SHARES)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=7)
    else:
        _say(axes, "too few games")


def _points(axes: "Axes", xs: Sequence[float], cells: Cells, colour: str, label: str) -> None:
    """Draw the realised values ± one standard error of their difference from the predicted ones."""
    realised, errors = zip(*((cell.realised, cell.standard_error) for cell in cells.values()), strict=True)
    axes.errorbar(xs, realised, bars(errors), fmt="o", color=colour, label=label, **DOTS)


def _many(cells: Cells) -> Cells:
    return {key: cell for key, cell in cells.items() if cell.excess.families >= LEAST}


def _say(axes: "Axes", text: str) -> None:
    """Write a text into a panel that has nothing to show."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color="0.5")
