"""Elo over the regular net as pictures: by regime, of single experts (figure 6), by number of segments (figure 7)."""

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import NullFormatter, ScalarFormatter

from foible.games.phases import PHASES
from foible.training.experts.config import ExpertsConfig
from foible.training.experts.matches import one_phase
from foible.training.experts.results import MatchRow

PANEL_WIDTH, HEIGHT = 4.2, 3.6
"""Inches."""

COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart by the colour-blind, and by their marks."""
MARKS = "osD^vP*X"


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    """Of its file, without the suffix."""
    title: str
    svg: bytes

    @property
    def source(self) -> str:
        """For an `<img>`: the picture itself."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg).decode()}"


def draw_all(config: ExpertsConfig, rows: Sequence[MatchRow]) -> list[Figure]:
    """The figures that have a point: an Elo, which does not exist where all games were won, or lost."""
    rows = [row for row in rows if row.paired_elo.value is not None]
    regimes = [regime.name for regime in config.expert_regimes if not isinstance(regime.gate.rule, int)]
    found = []
    if names := _played(regimes, rows):
        found.append(_figure("regimes", "Regimes", _lines(names, rows)))
    for regime in config.expert_regimes:
        alone = [one_phase(regime.name, phase) for phase in regime.gate.names]
        if _played(alone, rows):
            title = f"{regime.name}: one expert at a time (figure 6)"
            names = _played([regime.name, *alone], rows)
            found.append(_figure(f"one-phase-{regime.name}", title, _lines(names, rows)))
    if _played([f"moves-{k}" for k in config.move_counter], rows):
        found.append(_figure("move-counter", "Segments by the move counter (figure 7)", _segments(config, rows)))
    return found


def _played(names: Sequence[str], rows: Sequence[MatchRow]) -> list[str]:
    there = {row.player for row in rows}
    return [name for name in names if name in there]


Panels = Callable[[Canvas], None]


def _lines(names: Sequence[str], rows: Sequence[MatchRow]) -> Panels:
    """Elo against visits, a line for each player and a panel for each batch size."""

    def draw(canvas: Canvas) -> None:
        batches = sorted({row.batch for row in rows if row.player in names})
        canvas.set_size_inches(1.6 + PANEL_WIDTH * len(batches), HEIGHT)
        panels = canvas.subplots(1, len(batches), sharey=True, squeeze=False)[0]
        for batch, axes in zip(batches, panels, strict=True):
            here = [row for row in rows if row.batch == batch and row.player in names]
            for index, name in enumerate(names):
                points = [row for row in here if row.player == name]
                _bars(axes, [row.nodes for row in points], points, index, name)
            nodes = sorted({row.nodes for row in here})
            axes.set_xscale("log")
            axes.set_xticks(nodes)
            axes.xaxis.set_major_formatter(ScalarFormatter())
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xlabel("visits per move")
            axes.set_title(f"batch size {batch}", fontsize=9)
            _dress(axes)
        _finish(panels)

    return draw


def _segments(config: ExpertsConfig, rows: Sequence[MatchRow]) -> Panels:
    """Elo against the number of segments, a line for each number of visits; for comparison the phases of lichess."""

    def draw(canvas: Canvas) -> None:
        batches = sorted({row.batch for row in rows})
        canvas.set_size_inches(1.6 + PANEL_WIDTH * len(batches), HEIGHT)
        panels = canvas.subplots(1, len(batches), sharey=True, squeeze=False)[0]
        for batch, axes in zip(batches, panels, strict=True):
            here = [row for row in rows if row.batch == batch]
            for index, nodes in enumerate(sorted({row.nodes for row in here})):
                by_name = {row.player: row for row in here if row.nodes == nodes}
                counts = [k for k in config.move_counter if f"moves-{k}" in by_name]
                _bars(axes, counts, [by_name[f"moves-{k}"] for k in counts], index, f"{nodes} visits")
                if row := by_name.get("separated"):
                    _bars(
                        axes,
                        [len(PHASES)],
                        [row],
                        index,
                        f"{nodes} visits, phases of lichess",
                        linestyle="none",
                        markerfacecolor="white",
                    )
            axes.set_xticks(sorted({len(PHASES), *config.move_counter}))
            axes.set_xlabel("segments of the game")
            axes.set_title(f"batch size {batch}", fontsize=9)
            _dress(axes)
        _finish(panels)

    return draw


def _bars(axes: Axes, x: Sequence[int], rows: Sequence[MatchRow], index: int, label: str, **style: Any) -> None:
    """Points with their 95 % intervals by pairs."""
    points = [
        (at, row.paired_elo.value, row.paired_elo)
        for at, row in zip(x, rows, strict=True)
        if row.paired_elo.value is not None
    ]
    if not points:
        return
    errors = [[value - elo.low for _, value, elo in points], [elo.high - value for _, value, elo in points]]
    usual = {"marker": MARKS[index % len(MARKS)], "color": COLOURS[index % len(COLOURS)], "linewidth": 1.2}
    style = {**usual, **style, "label": label, "capsize": 3, "markersize": 5}
    axes.errorbar([at for at, *_ in points], [value for _, value, _ in points], errors, **style)


def _dress(axes: Axes) -> None:
    axes.axhline(0, color="0.5", linewidth=0.8)
    axes.grid(axis="y", color="0.9")
    axes.spines[["top", "right"]].set_visible(False)


def _finish(panels: Sequence[Axes]) -> None:
    """One legend for all panels, beside the last."""
    panels[0].set_ylabel("Elo over the regular net (95 %)")
    shown = {label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "frameon": False, "fontsize": 8}
    panels[-1].legend(shown.values(), shown.keys(), **place)


def _figure(name: str, title: str, draw: Panels) -> Figure:
    out = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "font.family": "sans-serif"}):
        canvas = Canvas(layout="constrained")
        draw(canvas)
        canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return Figure(name, title, out.getvalue())
