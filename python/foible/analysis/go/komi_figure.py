"""Positions and their winrate by komi as one picture (SAI, §7, figure 7)."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Circle
from matplotlib.typing import ColorType

from foible._core import GoPosition
from foible.analysis.drawing import Kind, open_frame, picture, plain
from foible.analysis.go.komi_curve import KomiCurve, NetOpinion, komi_range
from foible.games.go import COLUMNS, coordinates, stones

WIDTH, ROW = 8.0, 3.0
"""Inches."""
FEW = 8
"""Nets of which each gets a colour and its name."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A position and what nets say of it."""

    title: str
    position: GoPosition
    opinions: Sequence[NetOpinion]


def draw_komi_curves(panels: Sequence[Panel], kind: Kind) -> bytes:
    """A row for each: the diagram, and the curves; nets with a single value are a dot at the position's komi.

    Of a few nets alpha is marked by a ring at the fair komi, beta by the tangent there, which falls from 1 to 0 over
    4 / beta points, and the agent's interval by a shade.
    """
    canvas = Canvas(figsize=(WIDTH, ROW * len(panels)), layout="constrained")
    for panel, (board, chart) in zip(
        panels, canvas.subplots(len(panels), 2, squeeze=False, width_ratios=(1, 1.8)), strict=True
    ):
        _board(board, panel)
        _chart(chart, panel)
    return picture(canvas, "komi", kind)


def _board(axes: Axes, panel: Panel) -> None:
    position, size = panel.position, panel.position.size
    axes.set_aspect("equal")
    for line in range(size):
        axes.plot([0, size - 1], [line, line], color="0.4", linewidth=0.6, zorder=1)
        axes.plot([line, line], [0, size - 1], color="0.4", linewidth=0.6, zorder=1)
    for vertices, colour in zip(stones(position), ("black", "white"), strict=True):
        for vertex in vertices:
            axes.add_patch(Circle(coordinates(vertex, size), 0.46, facecolor=colour, edgecolor="black", zorder=2))
    if position.moves and position.moves[-1] != "pass":
        x, y = coordinates(position.moves[-1], size)
        axes.plot([x], [y], "s", color="tab:red", markersize=3, zorder=3)
    axes.set_xticks(range(size), COLUMNS[:size], fontsize=6)
    axes.set_yticks(range(size), [str(row + 1) for row in range(size)], fontsize=6)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    mover = "Black" if position.turn == "first" else "White"
    axes.set_title(f"{plain(panel.title)}\n{mover} to move, komi {position.komi:g}", fontsize=8)


def _chart(axes: Axes, panel: Panel) -> None:
    position, few = panel.position, len(panel.opinions) <= FEW
    curves = [one.curve for one in panel.opinions if one.curve]
    first, last = komi_range(curves, position.komi, position.size)
    for one in panel.opinions:
        curve = one.curve
        if curve is None:
            axes.plot([position.komi], [one.winrate], ".", color="tab:red", label=plain(one.net) if few else None)
            continue
        komi = curve.samples(first, last)
        if few:
            label = f"{plain(one.net)}: fair komi {curve.fair_komi:z.1f}, beta {curve.beta:.2f}"
            (line,) = axes.plot(komi, curve.at(komi), linewidth=1, label=label)
            _mark(axes, curve, position, line.get_color())
        else:
            axes.plot(komi, curve.at(komi), linewidth=0.5, color=(0.0, 0.0, 0.0, 0.5))
    axes.axvline(position.komi, color="0.5", linewidth=0.8)
    axes.axhline(0.5, color="0.8", linewidth=0.6)
    axes.set_xlim(first, last)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel("komi")
    axes.set_ylabel("Black's winrate")
    open_frame(axes)
    if few:
        axes.legend(frameon=False, fontsize=6)


def _mark(axes: Axes, curve: KomiCurve, position: GoPosition, colour: ColorType) -> None:
    """Alpha, beta and interval of a curve."""
    fair, reach = curve.fair_komi, 2 / curve.beta
    axes.plot([fair], [0.5], "o", color=colour, markersize=4, fillstyle="none")
    axes.plot([fair - reach, fair + reach], [1, 0], ":", color=colour, linewidth=0.8)
    # A bonus of the player to move is komi taken off it.
    sign = -1 if position.turn == "first" else 1
    ends = [position.komi + sign * x for x in curve.interval]
    axes.axvspan(min(ends), max(ends), color=colour, alpha=0.12, linewidth=0)
