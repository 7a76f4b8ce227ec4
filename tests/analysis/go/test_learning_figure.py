"""Learning curves as a picture."""

import math
from pathlib import Path
from typing import Any

import pytest

from foible.analysis.go.learning_figure import By, draw_learning_curves
from foible.analysis.go.panel_report import NetScores
from foible.analysis.go.run_comparison import Change, CurvePoint, LearningCurve, LearningCurves, Measure
from foible.errors import ConfigError
from tests.figures import approx, caught, error_bars, points

ALPHA, BETA, PERFECT = "alpha of the empty", "beta of the empty", ">perfect<"


def curve(name: str, length: int = 4, changes: tuple[Change, ...] = (), **known: Any) -> LearningCurve:
    values = {"alpha": 3.0, "beta": 0.5, "strength": None, "standard_error": None, **known}
    points = tuple(CurvePoint(number, 700 * number, **values) for number in range(length))
    return LearningCurve(name, Path(name), points, None, 1.0, changes)


def svg_of(*curves: LearningCurve, **known: Any) -> str:
    found = LearningCurves(**{"size": 7, "known_value": 9, "measure": None, "curves": curves, **known})
    return draw_learning_curves(found, "svg").decode()


def test_every_run_stands_in_the_legend() -> None:
    svg = svg_of(curve("one"), curve("_two"), curve("$x$ <3"))
    for words in (
        ">one<",
        "> _two<",
        ">$x$ &lt;3<",
        ALPHA,
        BETA,
        PERFECT,
        "Training runs of Go on 7×7<",
        ">generation<",
    ):
        assert words in svg
    assert svg == svg_of(curve("one"), curve("_two"), curve("$x$ <3"))


def test_what_no_run_has_is_left_out() -> None:
    bare: dict[str, Any] = {"alpha": None, "beta": None}
    svg = svg_of(curve("one", strength=10.0, **bare), measure="Elo")
    assert ">Elo<" in svg
    assert not any(words in svg for words in (ALPHA, BETA, PERFECT))
    both = svg_of(curve("one", **bare), curve("two"))
    assert all(words in both for words in (ALPHA, BETA))
    assert PERFECT not in svg_of(curve("one"), size=9, known_value=None)
    with pytest.raises(ConfigError, match="nothing to draw: these runs have no alpha, no Elo and no panel"):
        svg_of(curve("one", **bare))


@pytest.mark.parametrize(
    ("measure", "label"),
    [("Elo", ">Elo<"), ("panel share", ">wins against the panel (%)<"), ("panel score", ">panel score<")],
)
def test_strength_has_its_name_and_its_errors(measure: str, label: str) -> None:
    curves = curve("one", strength=0.5, standard_error=0.125), curve("two", strength=0.5), curve("three")
    scale = NetScores({}, even=-0.25, ceiling=1.5) if measure == "panel score" else None
    svg = svg_of(*curves, measure=measure, scale=scale)
    assert label in svg
    assert "bars: ± one standard error" in svg
    assert ("against all" in svg) == (scale is not None)
    assert "LineCollection" in svg


def test_games_may_be_on_the_horizontal_axis() -> None:
    found = LearningCurves(7, 9, None, (curve("one"), curve("two", 3)))
    svg = draw_learning_curves(found, "svg", "games").decode()
    assert ">games of self-play<" in svg
    assert ">2,000<" in svg


def test_changes_are_marked_in_the_picture_of_one_run() -> None:
    changes = (Change(2, "branches"), Change(2, "learning rate 0.01"), Change(99, "never"))
    svg = svg_of(curve("one", changes=changes))
    assert svg.count(">branches, learning rate 0.01<") == 1
    assert "never" not in svg
    assert "branches" not in svg_of(curve("one", changes=changes), curve("two"))


def test_a_single_point_and_many_runs_are_drawn() -> None:
    runs = [curve(f"run-{index}", 1 + 40 * index, strength=1.0, standard_error=0.1) for index in range(16)]
    svg = svg_of(*runs, measure="Elo")
    assert all(f">run-{index}<" in svg for index in range(16))
    assert svg_of(curve("one", 1))


def test_pictures_may_be_png() -> None:
    found = LearningCurves(7, 9, None, (curve("one"),))
    assert draw_learning_curves(found, "png").startswith(b"\x89PNG")


@pytest.mark.parametrize(("by", "apart"), [("generations", 1), ("games", 700)])
@pytest.mark.parametrize(("measure", "scale"), [("Elo", 1), ("panel share", 100)])
def test_numbers_stand_where_they_belong(
    monkeypatch: pytest.MonkeyPatch, by: By, apart: int, measure: Measure, scale: int
) -> None:
    canvases = caught(monkeypatch)
    first, last = CurvePoint(0, 0, 3.0, 0.5, 0.25, None), CurvePoint(2, 1400, 5.0, 0.75, 0.5, 0.125)
    run = LearningCurve("one", Path("one"), (first, CurvePoint(1, 700, 4.0, 0.625, None, None), last), None, 1.0)
    draw_learning_curves(LearningCurves(7, 9, measure, (run, curve("two", strength=0.75))), "svg", by)
    strength, alpha, beta = canvases[0].axes
    one, two = error_bars(strength)
    assert one == approx([(0, 0.25 * scale, math.nan), (2 * apart, 0.5 * scale, 0.125 * scale)])
    assert two == approx([(apart * number, 0.75 * scale, math.nan) for number in range(4)])
    assert points(alpha.lines[0]) == [(0, 3), (apart, 4), (2 * apart, 5)]
    assert points(beta.lines[0]) == [(0, 0.5), (apart, 0.625), (2 * apart, 0.75)]
    assert [points(axes.lines[1])[-1] for axes in (alpha, beta)] == [(3 * apart, 3), (3 * apart, 0.5)]
    assert points(alpha.lines[2]) == [(0, 9), (1, 9)]
