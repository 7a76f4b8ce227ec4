"""A run as a picture: its panels, and axes that can be read."""

from collections.abc import Sequence

import pytest
from matplotlib.figure import Figure

from foible.training.go.curve import curve_svg, decimals, whole_numbers
from foible.training.go.generation import Generation

KOMI, BETA = "komi of the empty board", "beta (per point)"
SHARE, ELO = "wins against the panel (%)", ">Elo<"
POLICY, VALUE = "policy loss (nats)", "value loss"
NOTHING = "nothing measured yet"
ALL = (KOMI, BETA, SHARE, ELO, POLICY, VALUE, NOTHING)


def run(count: int = 3, **known: object) -> list[Generation]:
    """A run of so many generations after the random net, of all of which the same is known."""
    return [Generation(number=number, best=number, **known) for number in range(count + 1)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("generations", "panels"),
    [
        (run(alpha=3.0, beta=0.5), (KOMI, BETA)),
        (run(alpha=3.0, beta=0.5, elo=10.0, elo_error=5.0), (KOMI, BETA, ELO)),
        (run(alpha=3.0, beta=0.5, panel=0.5), (KOMI, BETA, SHARE)),
        (run(panel=0.5, panel_error=0.125, elo=10.0), (SHARE, ELO)),
        (run(policy=2.0, value=0.25), (POLICY, VALUE)),
        (run(policy=2.0, value=0.25, elo=10.0), (ELO,)),
        (run(), (NOTHING,)),
        (run(0, alpha=3.0, beta=0.5), (KOMI, BETA)),
        ([], (NOTHING,)),
    ],
)
def test_what_is_known_has_its_panel(generations: list[Generation], panels: tuple[str, ...]) -> None:
    svg = curve_svg(generations, 7)
    assert tuple(name for name in ALL if name in svg) == panels
    assert svg == curve_svg(generations, 7)


def test_generations_without_a_promoted_net_are_marked() -> None:
    generations = run(alpha=3.0, beta=0.5)
    assert "no net promoted" not in curve_svg(generations, 7)
    last = Generation(number=4, best=3, alpha=3.0, beta=0.5)
    assert curve_svg([*generations, last], 7).count("no net promoted") == 1
    assert "no net promoted" in curve_svg([*run(elo=1.0), last], 7)


def test_perfect_play_is_drawn_where_it_is_known() -> None:
    assert "perfect play" in curve_svg(run(alpha=3.0, beta=0.5), 7)
    assert "perfect play" not in curve_svg(run(alpha=3.0, beta=0.5), 9)


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
    whole_numbers(axes, last)
    assert labels(figure, vertical=False) == seen
