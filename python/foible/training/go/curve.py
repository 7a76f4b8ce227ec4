"""The run as a picture: what the net thinks of the empty board, and how strong it is, by generation (SAI, §7, figures 3
and 5).
"""

import io
import math
from collections.abc import Mapping, Sequence
from typing import Final

import matplotlib as mpl
from matplotlib.figure import Figure

from foible.training.go.generation import Generation

WIDTH, HEIGHT = 6.4, 6.4
"""Inches."""
KNOWN_VALUES: Final[Mapping[int, int]] = {3: 9, 4: 2, 5: 25, 6: 4, 7: 9}
"""By board size: Black's margin where both play perfectly, by area (SAI, appendix A)."""
DECILE: Final = math.log(9)
"""So many units of 1 / beta from alpha the winrate is 10 or 90 %."""


def curve_svg(generations: Sequence[Generation], size: int) -> str:
    """Above alpha of the empty board with the komi of 10 to 90 % winrate, then beta, then Elo of the net."""
    canvas = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    fair, steep, strength = canvas.subplots(3, sharex=True, height_ratios=(3, 2, 2))
    seen = [(one.number, one.alpha, one.beta) for one in generations if one.alpha is not None and one.beta is not None]
    if seen:
        numbers, alphas, betas = zip(*seen, strict=True)
        fair.plot(numbers, alphas, label="alpha: the fair komi")
        low = [alpha - DECILE / beta for alpha, beta in zip(alphas, betas, strict=True)]
        high = [alpha + DECILE / beta for alpha, beta in zip(alphas, betas, strict=True)]
        fair.fill_between(numbers, low, high, alpha=0.15, linewidth=0, label="winrate 10 … 90 %")
        fair.set_ylim(-(size**2) * 1.1, size**2 * 1.1)
        steep.plot(numbers, betas)
        steep.set_yscale("log")
    if size in KNOWN_VALUES:
        fair.axhline(KNOWN_VALUES[size], color="0.5", linewidth=0.8, label="perfect play")
    if fair.get_legend_handles_labels()[0]:
        fair.legend(frameon=False, fontsize=8, ncols=3)
    fair.set_ylabel("komi of the empty board")
    steep.set_ylabel("beta (per point)")
    rated = [(one.number, one.elo, one.elo_error or 0.0) for one in generations if one.elo is not None]
    if rated:
        strength.errorbar(*zip(*rated, strict=True), fmt="o-", markersize=3, linewidth=1)
    strength.set_ylabel("Elo")
    strength.set_xlabel("generation")
    for axes in (fair, steep, strength):
        axes.spines[["top", "right"]].set_visible(False)
    out = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "go curve", "svg.fonttype": "none"}):
        canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()
