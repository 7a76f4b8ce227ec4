"""Win share against visits: a panel for each opponent, a line for each player."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foible.arena.sweep.results import Result, title
from foible.drawing import COLOURS, MARKS, new_canvas, open_frame, plain, plain_numbers, write_pictures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL_WIDTH, HEIGHT = 5.2, 4.2
"""Inches."""


def draw(results: Sequence[Result], folder: Path) -> None:
    """Write `sweep.png` and `sweep.svg`, of results that have visits."""
    write_pictures(_figure(results), folder, "sweep")


def _figure(results: Sequence[Result]) -> "Figure":
    opponents = list(dict.fromkeys(result.cell.opponent for result in results))
    players = list(dict.fromkeys(result.cell.player for result in results))
    figure = new_canvas(1 + PANEL_WIDTH * len(opponents), HEIGHT)
    panels = figure.subplots(1, len(opponents), sharey=True, squeeze=False)[0]
    for opponent, axes in zip(opponents, panels, strict=True):
        here = [result for result in results if result.cell.opponent == opponent]
        for index, player in enumerate(players):
            points = [result for result in here if result.cell.player == player and result.games]
            _line(axes, points, COLOURS[index % len(COLOURS)], MARKS[index % len(MARKS)], player)
        _dress(axes, here)
    panels[0].set_ylabel("win share of the player under test (%)")
    panels[-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.suptitle(plain(title(results)))
    return figure


def _line(axes: "Axes", points: Sequence[Result], colour: str, mark: str, label: str) -> None:
    """Draw a player's win shares with error bars of one standard error, by pairs of games."""
    nodes = [point.cell.nodes or 0 for point in points]
    shares = [100 * (point.tally.share or 0.0) for point in points]
    errors = [100 * (point.standard_error or 0.0) for point in points]
    style: dict[str, Any] = {"marker": mark, "color": colour, "capsize": 3, "markersize": 5, "linewidth": 1.2}
    axes.errorbar(nodes, shares, errors, label=plain(label), **style)


def _dress(axes: "Axes", here: Sequence[Result]) -> None:
    least, most = min(result.games for result in here), max(result.games for result in here)
    n = f"{least}" if least == most else f"{least} to {most}"
    axes.set_title(
        f"against {plain(here[0].cell.opponent)} (n = {n} games a point; bars: ± one standard error, by pairs)",
        fontsize=8,
    )
    axes.set_xscale("log")
    nodes = sorted({result.cell.nodes or 0 for result in here})
    axes.set_xticks(nodes)
    plain_numbers(axes.xaxis)
    axes.set_xlabel("visits per move of the player under test")
    axes.set_ylim(-2, 102)
    axes.grid(axis="y", color="0.9")
    open_frame(axes)
