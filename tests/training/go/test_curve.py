"""A run as a picture: its panels, and axes that can be read."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from foible.training.go.curve import curve_svg, decimals, ticks_up_to
from foible.training.go.generation import Generation
from tests.figures import approx, bands, caught, error_bars, points

KOMI, BETA = "komi of the empty board", "beta (per point)"
SHARE, ELO = "wins against the panel (%)", ">Elo<"
POLICY, VALUE = "policy loss (nats)", "value loss"
NOTHING = "nothing measured yet"
ALL = (KOMI, BETA, SHARE, ELO, POLICY, VALUE, NOTHING)


def run(count: int = 3, **known: Any) -> list[Generation]:
    """A run of so many generations after the random net, of all of which the same is known."""
    return [Generation(number=number, best=number, **known) for number in range(count + 1)]


def drawn(generations: Sequence[Generation], size: int) -> str:
    """The text of the picture of a run."""
    return curve_svg(generations, size).decode()


@pytest.mark.parametrize(
    ("generations", "panels"),
    [
        (run(alpha=3.0, beta=0.5), (KOMI, BETA)),
        (run(alpha=3.0, beta=0.5, elo=10.0, elo_standard_error=5.0), (KOMI, BETA, ELO)),
        (run(alpha=3.0, beta=0.5, panel=0.5), (KOMI, BETA, SHARE)),
        (run(panel=0.5, panel_standard_error=0.125, elo=10.0), (SHARE, ELO)),
        (run(policy=2.0, value=0.25), (POLICY, VALUE)),
        (run(policy=2.0, value=0.25, elo=10.0), (ELO,)),
        (run(), (NOTHING,)),
        (run(0, alpha=3.0, beta=0.5), (KOMI, BETA)),
        ([], (NOTHING,)),
    ],
)
def test_what_is_known_has_its_panel(generations: list[Generation], panels: tuple[str, ...]) -> None:
    svg = drawn(generations, 7)
    assert tuple(name for name in ALL if name in svg) == panels
    assert svg == drawn(generations, 7)


def test_generations_without_a_promoted_net_are_marked() -> None:
    generations = run(alpha=3.0, beta=0.5)
    assert "no net promoted" not in drawn(generations, 7)
    last = Generation(number=4, best=3, alpha=3.0, beta=0.5)
    assert drawn([*generations, last], 7).count("no net promoted") == 1
    assert "no net promoted" in drawn([*run(elo=1.0), last], 7)


def test_perfect_play_is_drawn_where_it_is_known() -> None:
    assert "perfect play" in drawn(run(alpha=3.0, beta=0.5), 7)
    assert "perfect play" not in drawn(run(alpha=3.0, beta=0.5), 9)


def labels(figure: Figure, *, vertical: bool) -> list[str]:
    """Of the ticks that are seen."""
    figure.canvas.draw()
    (axes,) = figure.axes
    axis, (low, high) = (axes.yaxis, axes.get_ylim()) if vertical else (axes.xaxis, axes.get_xlim())
    return [
        text.get_text()
        for text, at in zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=True)
        if low <= at <= high
    ]


@pytest.mark.parametrize(
    ("values", "seen"),
    [
        ((0.1, 0.9), ["0.1", "0.2", "0.5", "1"]),
        ((0.3, 0.4), ["0.3", "0.32", "0.34", "0.36", "0.38", "0.4"]),
        ((0.25, 0.25), ["0.2", "0.5"]),
        ((1.036,), ["1", "2"]),
        ((0.01, 20.0), ["0.01", "0.1", "1", "10"]),
    ],
)
def test_a_logarithmic_axis_has_plain_decimals(values: Sequence[float], seen: list[str]) -> None:
    figure = Figure()
    axes = figure.add_subplot()
    axes.plot(range(len(values)), values, "o-")
    decimals(axes, values)
    assert labels(figure, vertical=True) == seen


@pytest.mark.parametrize(
    ("last", "seen"), [(0, ["0"]), (2, ["0", "1", "2"]), (40, ["0", "5", "10", "15", "20", "25", "30", "35", "40"])]
)
def test_generations_are_whole_numbers(last: int, seen: list[str]) -> None:
    figure = Figure()
    axes = figure.add_subplot()
    axes.plot([0, last], [1, 1])
    ticks_up_to(axes, last)
    assert labels(figure, vertical=False) == seen


NAN = math.nan
RUN = [
    Generation(number=0, best=0, alpha=-1.0, beta=0.25, panel=0.25, elo=0.0, policy=3.0, value=0.5),
    Generation(
        number=1, best=1, alpha=6.0, beta=0.5, panel=0.5, panel_standard_error=0.125, elo=90.0, elo_standard_error=20.0
    ),
]


def test_numbers_stand_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    canvases = caught(monkeypatch)
    drawn(RUN, 7)
    fair, steep, share, strength = canvases[0].axes
    alpha, perfect = fair.lines
    assert points(alpha) == [(0, -1), (1, 6)]
    assert set(np.ravel(perfect.get_ydata())) == {9}
    # sg(beta x) is 0.9 where beta x = log 9.
    assert bands(fair) == [
        approx([(0, -1 - 4 * math.log(9), -1 + 4 * math.log(9)), (1, 6 - 2 * math.log(9), 6 + 2 * math.log(9))])
    ]
    assert [points(line) for line in steep.lines] == [[(0, 0.25), (1, 0.5)]]
    assert error_bars(share) == [approx([(0, 25, NAN), (1, 50, 12.5)])]
    assert error_bars(strength) == [approx([(0, 0, NAN), (1, 90, 20)])]


def test_losses_stand_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    canvases = caught(monkeypatch)
    drawn([Generation(number=2, best=1, policy=3.0, value=0.5)], 7)
    assert [[points(line) for line in axes.lines[:1]] for axes in canvases[0].axes] == [[[(2, 3)]], [[(2, 0.5)]]]
    assert all(set(np.ravel(axes.lines[1].get_xdata())) == {2} for axes in canvases[0].axes)
