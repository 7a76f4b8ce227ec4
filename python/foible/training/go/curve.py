"""Draws a run: the net's judgement of the empty board and its strength, by generation (SAI, §7, figures 3 and 5)."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from foible.drawing import new_canvas, open_frame, picture
from foible.games.go import PERFECT_MARGINS
from foible.nets.go.margin import DECILE
from foible.training.go.generation import Generation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, UNIT = 6.4, 0.95
"""Inches: the picture's width, and the height of a panel of height 1."""
FRAME: Final = 0.6
"""The height in inches of the axis and the legend."""
MARKED: Final = 60
"""The most points in a line that are marked with dots."""
WIDE: Final = 100.0
"""From this ratio of the greatest to the least on, a logarithmic axis is labelled at the powers of ten alone."""

Panel = tuple[int, Callable[["Axes"], None]]
"""The relative height of a panel, and the function that draws it."""
Values = Sequence[tuple[int, float]]
"""Generations and their values."""
Measured = Sequence[tuple[int, float, float | None]]
"""Generations, their values, and the standard errors where they are known."""


def curve_svg(generations: Sequence[Generation], size: int) -> bytes:
    """A run's results as an SVG picture, in panels one above the other.

    They show alpha of the empty board, with the range of komi of 10 to 90 % winrate, and beta, where the nets give
    them; the share of games won, where the run has a panel of nets; Elo, where it plays matches; the losses, where
    there is none of these. Dotted lines mark generations without a promoted net.
    """
    panels = _panels(generations, size) or [(2, _nothing)]
    heights = [height for height, _ in panels]
    canvas = new_canvas(WIDTH, FRAME + UNIT * sum(heights))
    rows = canvas.subplots(len(panels), sharex=True, height_ratios=heights, squeeze=False)[:, 0]
    for (_, draw), axes in zip(panels, rows, strict=True):
        draw(axes)
        _mark(axes, [generation.number for generation in generations if generation.best != generation.number])
        open_frame(axes)
    handles, labels = rows[0].get_legend_handles_labels()
    if handles:
        canvas.legend(handles, labels, loc="outside upper right", frameon=False, fontsize=8, ncols=4)
    canvas.align_ylabels(rows)
    rows[-1].set_xlabel("generation")
    ticks_up_to(rows[-1], max((generation.number for generation in generations), default=0))
    return picture(canvas, "go curve", "svg")


def ticks_up_to(axes: "Axes", last: int) -> None:
    """Put ticks of the horizontal axis at whole numbers alone. `last`: the greatest number that is drawn."""
    from matplotlib.ticker import FixedLocator, MaxNLocator  # noqa: PLC0415  as foible.drawing says

    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=(1, 2, 5, 10)) if last else FixedLocator([0]))


def decimals(axes: "Axes", values: Sequence[float]) -> None:
    """Make the vertical axis logarithmic, for positive values, with at least two labels as plain decimals."""
    from matplotlib import ticker  # noqa: PLC0415  as foible.drawing says

    axes.set_yscale("log")
    least, most = min(values), max(values)
    if least == most:
        axes.set_ylim(least / 2, 2 * most)
    wide = most > WIDE * least
    # With several labels a decade the locator goes over to even steps where only one of them would be seen.
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: _decimal(value)))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    if not wide:
        axes.yaxis.set_minor_locator(ticker.NullLocator())


def bars(errors: Iterable[float | None], scale: float = 1.0) -> list[float]:
    """The lengths of error bars: NaN, which draws none, where an error is unknown."""
    return [math.nan if error is None else scale * error for error in errors]


def _decimal(value: float) -> str:
    return np.format_float_positional(value, precision=6, fractional=False, trim="-")


def _panels(generations: Sequence[Generation], size: int) -> list[Panel]:
    """The panels that have something to show."""
    alphas = [(g.number, g.alpha) for g in generations if g.alpha is not None]
    betas = [(g.number, g.beta) for g in generations if g.beta is not None]
    shares = [(g.number, g.panel, g.panel_standard_error) for g in generations if g.panel is not None]
    rated = [(g.number, g.elo, g.elo_standard_error) for g in generations if g.elo is not None]
    panels: list[Panel] = []
    if alphas and betas:
        panels += [(3, partial(_fair, alphas=alphas, betas=betas, size=size)), (2, partial(_steep, betas=betas))]
    if shares:
        panels.append((2, partial(_share, shares=shares)))
    if rated:
        panels.append((2, partial(_strength, rated=rated)))
    return panels or _losses(generations)


def _losses(generations: Sequence[Generation]) -> list[Panel]:
    policies = [(g.number, g.policy) for g in generations if g.policy is not None]
    values = [(g.number, g.value) for g in generations if g.value is not None]
    named = (("policy loss (nats)", policies), ("value loss", values))
    return [(2, partial(_loss, losses=losses, label=label)) for label, losses in named if losses]


def _fair(axes: "Axes", alphas: Values, betas: Values, size: int) -> None:
    numbers, margins = zip(*alphas, strict=True)
    axes.plot(numbers, margins, label="alpha: the fair komi", **_dots(alphas))
    reaches = [DECILE / beta for _, beta in betas]
    low = [alpha - reach for alpha, reach in zip(margins, reaches, strict=True)]
    high = [alpha + reach for alpha, reach in zip(margins, reaches, strict=True)]
    axes.fill_between(numbers, low, high, alpha=0.15, linewidth=0, label="winrate 10 … 90 %")
    shown = [*margins]
    if size in PERFECT_MARGINS:
        shown.append(PERFECT_MARGINS[size])
        axes.axhline(PERFECT_MARGINS[size], color="0.5", linewidth=0.8, label="perfect play")
    # At first the band is wider than the board, and alpha may be anywhere.
    most = 1.1 * size**2
    axes.set_ylim(max(min(shown) - size, -most), min(max(shown) + size, most))
    axes.set_ylabel("komi of the empty board")


def _steep(axes: "Axes", betas: Values) -> None:
    numbers, slopes = zip(*betas, strict=True)
    axes.plot(numbers, slopes, **_dots(betas))
    decimals(axes, slopes)
    axes.set_ylabel("beta (per point)")


def _share(axes: "Axes", shares: Measured) -> None:
    _error_bars(axes, shares, scale=100)
    axes.set_ylim(-2, 102)
    axes.set_ylabel("wins against the panel (%)")


def _strength(axes: "Axes", rated: Measured) -> None:
    _error_bars(axes, rated, scale=1)
    axes.set_ylabel("Elo")


def _error_bars(axes: "Axes", points: Measured, scale: int) -> None:
    numbers, values, errors = zip(*points, strict=True)
    shown = [scale * value for value in values]
    axes.errorbar(numbers, shown, bars(errors, scale), elinewidth=0.8, linewidth=1, **_dots(points))


def _loss(axes: "Axes", losses: Values, label: str) -> None:
    axes.plot(*zip(*losses, strict=True), **_dots(losses))
    axes.set_ylabel(label)


def _nothing(axes: "Axes") -> None:
    axes.set_yticks([])
    axes.annotate("nothing measured yet", (0.5, 0.5), xycoords="axes fraction", ha="center", va="center")


def _mark(axes: "Axes", numbers: Sequence[int]) -> None:
    for index, number in enumerate(numbers):
        axes.axvline(number, color="0.5", linewidth=0.8, linestyle=":", label=None if index else "no net promoted")


def _dots(points: Sequence[object]) -> dict[str, Any]:
    return {"marker": "o", "markersize": 3} if len(points) <= MARKED else {}
