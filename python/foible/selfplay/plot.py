"""The path of the controller as a picture."""

import io
from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.figure import Figure

from foible.selfplay.controller import Point

WIDTH, HEIGHT = 6.4, 5.2
"""Inches."""


def controller_svg(points: Sequence[Point], target: float) -> str:
    """N_scl of each batch above, the decisive ratio that it gave below.

    A batch without draws, or of draws alone, has no point there.
    """
    canvas = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    upper, lower = canvas.subplots(2, sharex=True)
    upper.plot([one.batch for one in points], [one.contempt_visits for one in points], "o-", markersize=3)
    upper.set_yscale("log")
    upper.set_ylabel("N_scl (visits)")
    seen = [(one.batch, one.ratio) for one in points if one.ratio]
    lower.plot(*zip(*seen, strict=True) if seen else ((), ()), "o", markersize=3)
    lower.axhline(target, color="0.5", linewidth=0.8)
    lower.set_yscale("log")
    lower.set_ylabel("(wins + losses) / draws")
    lower.set_xlabel(f"batch of {max((one.games for one in points), default=0)} games")
    for axes in (upper, lower):
        axes.spines[["top", "right"]].set_visible(False)
    out = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "controller", "svg.fonttype": "none"}):
        canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()
