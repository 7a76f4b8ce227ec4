"""The learning curves of several runs in one picture (SAI, §7, figures 1 to 6)."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from foible.analysis.go.run_comparison import CurvePoint, LearningCurve, LearningCurves
from foible.drawing import COLOURS, MARKS, new_canvas, open_frame, picture, plain
from foible.errors import ConfigError
from foible.fields import PictureKind
from foible.training.go.curve import bars, decimals, ticks_up_to

if TYPE_CHECKING:
    from matplotlib.axes import Axes

By = Literal["generations", "games"]
WIDTH, UNIT = 7.6, 0.95
"""Inches: the picture's width, and the height of a panel of height 1."""
FRAME, LINE = 0.7, 0.2
"""Inches: the height for the horizontal axis, and that of a line of the legend."""
MARKS_SHOWN: Final = 15
"""About how many marks a line gets; they serve to tell the lines apart."""
LETTERS: Final = 84
"""The number of letters that fit into a line of the legend."""
Value = Callable[[CurvePoint], float | None]


def draw_learning_curves(curves: LearningCurves, kind: PictureKind, by: By = "generations") -> bytes:
    """Draw three panels, one above the other: strength ± one standard error, alpha with the known value, and beta.

    A panel for which no run has data is left out. A run has the same colour, mark and dash in all panels. For a single
    run the picture marks the generations at which its learning rate or branching changed.

    :param by: the quantity on the horizontal axis; by games, runs compare whose generations differ in size.
    :raises ConfigError: there is nothing to draw.
    """
    from matplotlib.lines import Line2D  # noqa: PLC0415  as foible.drawing says

    panels = list(_panels(curves))
    if not panels:
        raise ConfigError("nothing to draw: these runs have no alpha, no Elo and no panel; --panel gives them scores")
    names = [plain(curve.name) for curve in curves.curves]
    columns = max(1, min(len(names), LETTERS // (max(map(len, names)) + 6)))
    heights = [height for height, _ in panels]
    inches = FRAME + UNIT * sum(heights) + LINE * -(-len(names) // columns)
    canvas = new_canvas(WIDTH, inches)
    rows = canvas.subplots(len(panels), sharex=True, height_ratios=heights, squeeze=False)[:, 0]
    for (_, dress), axes in zip(panels, rows, strict=True):
        dress(axes, curves, by)
        axes.grid(axis="y", color="0.9")
        axes.set_axisbelow(True)
        open_frame(axes)
        if len(curves.curves) == 1:
            _mark_changes(axes, curves.curves[0], by, named=axes is rows[0])
    canvas.align_ylabels(rows)
    _dress_bottom(rows[-1], curves, by)
    handles = [Line2D([], [], **_style(index)) for index in range(len(names))]
    canvas.legend(handles, names, loc="outside lower center", frameon=False, fontsize=8, ncols=columns)
    note = "; bars: ± one standard error" if curves.measure else ""
    canvas.suptitle(f"Training runs of Go on {curves.size}×{curves.size}{note}", fontsize=10)
    return picture(canvas, "runs", kind)


def _panels(curves: LearningCurves) -> Iterator[tuple[int, Callable[["Axes", LearningCurves, By], None]]]:
    """The panels to draw: their relative heights, and the functions that draw them."""
    points = [point for curve in curves.curves for point in curve.points]
    if curves.measure:
        yield 3, _strength
    if any(point.alpha is not None for point in points):
        yield 3, _alpha
    if any(point.beta is not None for point in points):
        yield 2, _beta


def _strength(axes: "Axes", curves: LearningCurves, by: By) -> None:
    in_percent = curves.measure == "panel share"
    scale = 100 if in_percent else 1
    for index, curve in enumerate(curves.curves):
        points = [point for point in curve.points if point.strength is not None]
        values = [scale * (point.strength or 0.0) for point in points]
        look: dict[str, Any] = {"elinewidth": 0.8, "capsize": 2, "errorevery": _every(points, index)}
        errors = bars((point.standard_error for point in points), scale)
        axes.errorbar(_places(points, by), values, errors, **look, **_marked(points, index))
    axes.set_ylabel("wins against the panel (%)" if in_percent else str(curves.measure))
    if in_percent:
        axes.set_ylim(-2, 102)
    if curves.scale:
        _line(axes, curves.scale.ceiling, "wins\nall games")
        _line(axes, curves.scale.even, "wins half\nagainst all")


def _alpha(axes: "Axes", curves: LearningCurves, by: By) -> None:
    values = _lines(axes, curves, by, lambda point: point.alpha)
    most = 1.1 * curves.size**2
    if curves.known_value is not None:
        _line(axes, curves.known_value, "perfect\nplay")
        values.append(curves.known_value)
    room = 1 + 0.05 * (max(values) - min(values))
    # The alpha of an untrained net may be anywhere, but no game ends with a margin larger than the board.
    axes.set_ylim(max(min(values) - room, -most), min(max(values) + room, most))
    axes.set_ylabel("alpha of the empty\nboard (points)")


def _beta(axes: "Axes", curves: LearningCurves, by: By) -> None:
    decimals(axes, _lines(axes, curves, by, lambda point: point.beta))
    axes.set_ylabel("beta of the empty\nboard (per point)")


def _lines(axes: "Axes", curves: LearningCurves, by: By, value: Value) -> list[float]:
    """Draw a quantity of each run; returns all values drawn."""
    drawn: list[float] = []
    for index, curve in enumerate(curves.curves):
        known = [(point, number) for point in curve.points if (number := value(point)) is not None]
        points, numbers = [point for point, _ in known], [number for _, number in known]
        axes.plot(_places(points, by), numbers, **_marked(points, index))
        drawn += numbers
    return drawn


def _line(axes: "Axes", value: float, label: str) -> None:
    """Draw a line across the panel, with its label outside, where no curve can cover it."""
    axes.axhline(value, color="0.4", linewidth=1, linestyle="--", zorder=1.5)
    axes.annotate(label, (1.01, value), xycoords=("axes fraction", "data"), ha="left", va="center", fontsize=7)


def _mark_changes(axes: "Axes", curve: LearningCurve, by: By, *, named: bool) -> None:
    """Draw a dotted line at each change of the run's settings, labelled with the change if `named`."""
    for point in curve.points:
        whats = [change.what for change in curve.changes if change.generation == point.generation]
        if whats:
            (place,) = _places([point], by)
            axes.axvline(place, color="0.4", linewidth=1, linestyle=":", zorder=1.5)
            label = ", ".join(whats) if named else ""
            foot: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": "right", "va": "bottom"}
            axes.annotate(label, (place, 0.02), rotation=90, fontsize=7, **foot)


def _dress_bottom(axes: "Axes", curves: LearningCurves, by: By) -> None:
    ticks_up_to(axes, max(_places([curve.last for curve in curves.curves], by)))
    axes.set_xlabel("generation" if by == "generations" else "games of self-play")
    if by == "games":
        axes.xaxis.set_major_formatter("{x:,.0f}")


def _places(points: Sequence[CurvePoint], by: By) -> list[int]:
    return [point.generation if by == "generations" else point.games for point in points]


def _style(index: int) -> dict[str, Any]:
    """The colour, mark and dash of a run: no two of fifty runs look the same; the second seven are dashed."""
    dashes = ("-", "--", ":")[index // len(COLOURS) % 3]
    look = {"color": COLOURS[index % len(COLOURS)], "marker": MARKS[index % len(MARKS)], "linestyle": dashes}
    return {**look, "markersize": 4, "linewidth": 1.2}


def _marked(points: Sequence[CurvePoint], index: int) -> dict[str, Any]:
    return {**_style(index), "markevery": _every(points, index)}


def _every(points: Sequence[CurvePoint], index: int) -> tuple[int, int]:
    """The first point that gets a mark, which differs from run to run, and the step from one mark to the next."""
    step = max(1, -(-len(points) // MARKS_SHOWN))
    return index % step, step
