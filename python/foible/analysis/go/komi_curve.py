"""Nets' evaluations of one position at every komi (SAI, §7, figure 7)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from foible._core import Batch, Bonus, GoPosition
from foible.analysis.estimates import Floats
from foible.drawing import new_canvas, open_frame, picture, plain
from foible.errors import ConfigError
from foible.fields import PictureKind
from foible.games.go import COLUMNS, coordinates, stones
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.go.margin import Sigmoid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

LEAST_HALF_WIDTH = 6.0
"""The least range shown on each side of the position's komi, in points."""
_LOGITS = np.linspace(-8, 8, 161)
"""The logits at which a curve is sampled: adjacent points differ by at most 0.025 in winrate, however steep it is."""
WIDTH, ROW = 8.0, 3.0
"""The width of the picture and the height of a row, in inches."""
FEW = 8
"""The most nets that each get a colour and a name in the legend."""


@dataclass(frozen=True, slots=True)
class KomiCurve:
    """Black's winrate as a function of komi, by one net."""

    alpha: float
    """The margin on the board that the player to move expects, in points."""
    beta: float
    """The steepness of the curve, per point."""
    fair_komi: float
    """The margin that Black expects: where the curve crosses one half."""
    interval: tuple[float, float]
    """The interval of the agent's virtual bonus for the player to move, in points, from x_mu to x_lambda."""

    def at(self, komi: Floats) -> Floats:
        """`[K]` → `[K]`: Black's winrate, 0 to 1, at each komi, in points."""
        return Sigmoid(self.fair_komi - komi, self.beta).winrate()

    @property
    def even_komi(self) -> float:
        """The komi close to the fair komi at which no game can be drawn."""
        return math.floor(self.fair_komi) + 0.5

    def shaded(self, position: GoPosition) -> tuple[float, float]:
        """The interval as komi values, ascending: a bonus for the player to move is komi in that player's favour."""
        sign = -1 if position.turn == "first" else 1
        start, end = sorted(position.komi + sign * bonus for bonus in self.interval)
        return start, end

    def samples(self, first: float, last: float) -> Floats:
        """`[K]`: komi values from `first` to `last`, so dense that a line through their winrates shows the curve."""
        komi = self.fair_komi + _LOGITS / self.beta
        return np.array([first, *komi[(komi > first) & (komi < last)], last])


@dataclass(frozen=True, slots=True)
class NetOpinion:
    """A net's evaluation of a position, as the mean over the eight symmetries."""

    net: str
    winrate: float
    """The winrate of Black at the position's komi, 0 to 1."""
    curve: KomiCurve | None
    """`None` for a net with a single value, which does not see the komi."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        of_curve = {name: self.curve and getattr(self.curve, name) for name in KomiCurve.__slots__}
        return {"net": self.net, "winrate": self.winrate, **of_curve}


def opinion_of(net: GoRuntimeNet, position: GoPosition, bonus: Bonus) -> NetOpinion:
    """The evaluation by a net for this board size. `bonus`: the agent's bonus, whose interval is shown."""
    evaluation = net.with_symmetry("average").evaluate(Batch([position]))
    black = position.turn == "first"
    win = float(evaluation.wdl[0, 0 if black else 2])
    if evaluation.margins is None:
        return NetOpinion(net.model.name, win, None)
    alpha, beta = (float(number) for number in evaluation.margins[0])
    sign = 1 if black else -1
    start, end = bonus.interval(sign * alpha - position.komi, beta, black_to_move=black)
    # Adding 0 turns −0 into 0.
    curve = KomiCurve(alpha, beta, sign * alpha, (sign * start + 0.0, sign * end + 0.0))
    return NetOpinion(net.model.name, win, curve)


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of a number over nets."""

    nets: int
    mean: float
    standard_deviation: float
    """The sample standard deviation."""
    min: float
    max: float


def spread(values: Sequence[float]) -> Spread | None:
    """The spread of some values; `None` for fewer than two."""
    if len(values) < 2:
        return None
    numbers = np.array(values)
    ends = float(numbers.min()), float(numbers.max())
    return Spread(len(values), float(numbers.mean()), float(numbers.std(ddof=1)), *ends)


def komi_range(curves: Sequence[KomiCurve], komi: float, size: int) -> tuple[int, int]:
    """The range of komi to draw: the position's own, and all curves from 5 to 95 %, hardly beyond the board's size."""
    most = size**2 + LEAST_HALF_WIDTH
    reaches = [(curve.fair_komi, math.log(19) / curve.beta) for curve in curves]
    ends = [min(max(middle + side * reach, -most), most) for middle, reach in reaches for side in (-1, 1)]
    ends += [komi - LEAST_HALF_WIDTH, komi + LEAST_HALF_WIDTH]
    return math.floor(min(ends)), math.ceil(max(ends))


def check_nets(nets: Sequence[GoRuntimeNet], position: GoPosition) -> None:
    """Check that the nets are for the position's board.

    :raises ConfigError: a net is for another board size.
    """
    for net in nets:
        if net.size != position.size:
            own, other = (f"{size}×{size}" for size in (net.size, position.size))
            raise ConfigError(f"{net.model.name} is a net for Go on a {own} board; the position is on {other}")


@dataclass(frozen=True, slots=True)
class CurvePanel:
    """A position with the nets' evaluations of it."""

    title: str
    position: GoPosition
    opinions: Sequence[NetOpinion]


def draw_komi_curves(panels: Sequence[CurvePanel], kind: PictureKind) -> bytes:
    """Draw a row for each panel: the board and the curves; a net with a single value is a dot at the position's komi.

    Where there are at most `FEW` nets, a ring marks each net's alpha at the fair komi, the tangent there, which falls
    from 1 to 0 over 4 / beta points, shows its beta, and a shaded band the agent's interval.
    """
    canvas = new_canvas(WIDTH, ROW * len(panels))
    for panel, (board, chart) in zip(
        panels, canvas.subplots(len(panels), 2, squeeze=False, width_ratios=(1, 1.8)), strict=True
    ):
        _board(board, panel)
        _chart(chart, panel)
    return picture(canvas, "komi", kind)


def _board(axes: "Axes", panel: CurvePanel) -> None:
    from matplotlib.patches import Circle  # noqa: PLC0415  as foible.drawing says

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


def _chart(axes: "Axes", panel: CurvePanel) -> None:
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


def _mark(axes: "Axes", curve: KomiCurve, position: GoPosition, colour: "ColorType") -> None:
    """Mark alpha, beta and the interval of a curve."""
    fair, reach = curve.fair_komi, 2 / curve.beta
    axes.plot([fair], [0.5], "o", color=colour, markersize=4, fillstyle="none")
    axes.plot([fair - reach, fair + reach], [1, 0], ":", color=colour, linewidth=0.8)
    axes.axvspan(*curve.shaded(position), color=colour, alpha=0.12, linewidth=0)
