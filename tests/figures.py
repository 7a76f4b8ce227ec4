"""What is drawn in a figure, as numbers."""

import math
from collections.abc import Iterable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

Points = list[tuple[float, ...]]


def caught(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that are drawn from now on, in place of their files, which stay empty."""
    found: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: found.append(figure))
    return found


def points(line: Line2D) -> Points:
    """(x, y) of a line."""
    return [tuple(point) for point in np.asarray(line.get_xydata()).tolist()]


def error_bars(axes: Axes) -> list[Points]:
    """(x, y, error) of each line with bars; the error is not a number where there is no bar."""
    return [_with_errors(one) for one in axes.containers if isinstance(one, ErrorbarContainer)]


def bands(axes: Axes) -> list[Points]:
    """(x, low, high) of each band between two lines."""
    return [_band(one) for one in axes.collections if isinstance(one, FillBetweenPolyCollection)]


def approx(wanted: Iterable[tuple[float, ...]]) -> object:
    """Points that are those."""
    return [pytest.approx(point, nan_ok=True) for point in wanted]


def _with_errors(container: ErrorbarContainer) -> Points:
    line, _, (bars,) = container.lines
    assert line is not None
    ends = {float(end[0, 0]): (end[1, 1] - end[0, 1]) / 2 for end in map(np.asarray, bars.get_segments()) if len(end)}
    return [(*point, float(ends.get(point[0], math.nan))) for point in points(line)]


def _band(collection: FillBetweenPolyCollection) -> Points:
    (path,) = collection.get_paths()
    found: dict[float, list[float]] = {}
    for x, y in np.asarray(path.vertices).tolist():
        found.setdefault(x, []).append(y)
    return [(x, min(ys), max(ys)) for x, ys in sorted(found.items())]
