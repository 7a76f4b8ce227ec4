"""What nets say of one position at every komi (SAI, §7, figure 7)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Circle
from matplotlib.typing import ColorType
from numpy.typing import NDArray

from foible._core import Batch, Bonus, GoPosition
from foible.analysis.drawing import Kind, open_frame, picture, plain
from foible.errors import ConfigError
from foible.games.go import COLUMNS, coordinates, stones
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.margin import Sigmoid

Floats = NDArray[np.float64]
LEAST_HALF_WIDTH = 6.0
"""Points on each side of what is shown."""
_LOGITS = np.linspace(-8, 8, 161)
"""Where a curve is sampled: however steep it is, two points in a row differ by at most 0.025 in winrate."""
WIDTH, ROW = 8.0, 3.0
"""Inches."""
FEW = 8
"""Nets of which each gets a colour and its name."""


@dataclass(frozen=True, slots=True)
class KomiCurve:
    """Black's winrate by komi."""

    alpha: float
    """The margin on the board that the player to move expects, in points."""
    beta: float
    """Steepness per point."""
    fair_komi: float
    """The margin that Black expects: where the curve crosses one half."""
    interval: tuple[float, float]
    """Virtual bonus points of the player to move, from x_mu to x_lambda."""

    def at(self, komi: Floats) -> Floats:
        """Black's winrate, 0 to 1, at each komi."""
        return Sigmoid(self.fair_komi - komi, self.beta).winrate()

    @property
    def even_komi(self) -> float:
        """The one next to the fair komi at which no game is drawn."""
        return math.floor(self.fair_komi) + 0.5

    def shaded(self, position: GoPosition) -> tuple[float, float]:
        """The interval as komi, ascending: a bonus of the player to move is komi taken off it."""
        sign = -1 if position.turn == "first" else 1
        start, end = sorted(position.komi + sign * bonus for bonus in self.interval)
        return start, end

    def samples(self, first: float, last: float) -> Floats:
        """Komi from the first to the last; a line through the winrates there shows the curve."""
        komi = self.fair_komi + _LOGITS / self.beta
        return np.array([first, *komi[(komi > first) & (komi < last)], last])


@dataclass(frozen=True, slots=True)
class NetOpinion:
    """A net's, the mean over the eight symmetries."""

    net: str
    winrate: float
    """The winrate of Black at the position's komi, 0 to 1."""
    curve: KomiCurve | None
    """`None` of a net with a single value, which does not see the komi."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        of_curve = {name: self.curve and getattr(self.curve, name) for name in KomiCurve.__slots__}
        return {"net": self.net, "winrate": self.winrate, **of_curve}


def opinion_of(net: GoRuntimeNet, position: GoPosition, bonus: Bonus) -> NetOpinion:
    """What a net for a board of that size says. `bonus`: of the agent whose interval is shown."""
    found = net.seen("average").evaluate(Batch([position]))
    black = position.turn == "first"
    win = float(found.wdl[0, 0 if black else 2])
    if found.margins is None:
        return NetOpinion(net.model.name, win, None)
    alpha, beta = (float(number) for number in found.margins[0])
    sign = 1 if black else -1
    start, end = bonus.interval(sign * alpha - position.komi, beta, black_to_move=black)
    # Adding 0 makes −0 a 0.
    curve = KomiCurve(alpha, beta, sign * alpha, (sign * start + 0.0, sign * end + 0.0))
    return NetOpinion(net.model.name, win, curve)


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of a number over nets."""

    nets: int
    mean: float
    sd: float
    """The standard deviation of a sample."""
    min: float
    max: float


def spread(values: Sequence[float]) -> Spread | None:
    """`None` of fewer than two values."""
    if len(values) < 2:
        return None
    numbers = np.array(values)
    ends = float(numbers.min()), float(numbers.max())
    return Spread(len(values), float(numbers.mean()), float(numbers.std(ddof=1)), *ends)


def komi_range(curves: Sequence[KomiCurve], komi: float, size: int) -> tuple[int, int]:
    """First and last komi that show the position's own, and of all curves 5 to 95 %, hardly beyond the board."""
    most = size**2 + LEAST_HALF_WIDTH
    reaches = [(curve.fair_komi, math.log(19) / curve.beta) for curve in curves]
    ends = [min(max(middle + side * reach, -most), most) for middle, reach in reaches for side in (-1, 1)]
    ends += [komi - LEAST_HALF_WIDTH, komi + LEAST_HALF_WIDTH]
    return math.floor(min(ends)), math.ceil(max(ends))


def check_nets(nets: Sequence[GoRuntimeNet], position: GoPosition) -> None:
    """:raises ConfigError: a net is for another board than the position's."""
    for net in nets:
        if net.size != position.size:
            own, other = (f"{size}×{size}" for size in (net.size, position.size))
            raise ConfigError(f"{net.model.name} is a net for Go on a {own} board; the position is on {other}")


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
    axes.axvspan(*curve.shaded(position), color=colour, alpha=0.12, linewidth=0)
