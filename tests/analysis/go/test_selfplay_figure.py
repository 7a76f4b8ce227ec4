"""The picture of a run's self-play."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from foible.analysis.go.selfplay_figure import LEAST, draw_selfplay
from foible.analysis.go.selfplay_statistics import Calibration, generation_games, pooled
from foible.selfplay.go.record import GoSelfplayRecord
from tests.analysis.go.made_up_run import BLACK_HAS_ALL, WHITE_HAS_ALL, made_up
from tests.figures import approx, caught, error_bars, points

Floats = NDArray[np.float64]

ENDS = (BLACK_HAS_ALL, WHITE_HAS_ALL)
MANY = [made_up((number,), ENDS[number % 2]) for number in range(LEAST)]
BRANCHES = [made_up((number, 0), "pass pass", after="B2", komi=9.5) for number in range(2)]


def drawn(*generations: Sequence[GoSelfplayRecord]) -> str:
    found = [generation_games(number, games) for number, games in enumerate(generations, 1)]
    return draw_selfplay(found, pooled([Calibration.of(games) for games in generations]), "svg").decode()


def test_it_names_what_it_shows() -> None:
    figure = drawn([*MANY, *BRANCHES], MANY)
    for words in (
        "2 generations, 1 to 2: 22 games; bars: ± one standard error",
        "komi of games from the empty board",
        "komi of branches",
        "where branches leave: 2 branches",
        "games that half a point decided",
        "winrate of the player to move",
        "predicted by the net",
        "predicted by the search",
        ">realised<",
    ):
        assert words in figure, words
    for words in (">none<", "too few games"):
        assert words not in figure


def test_a_single_value_and_no_branches_have_their_places_empty() -> None:
    figure = drawn([made_up((number,), BLACK_HAS_ALL, fair=None) for number in range(LEAST)])
    assert figure.count(">none<") == 2
    assert "predicted by the net" not in figure
    assert "predicted by the search" in figure


def test_one_generation_is_one_tick_and_few_games_are_no_calibration() -> None:
    figure = drawn(MANY[1:])
    assert "generation 1: 9 games" in figure
    assert ">1.1<" not in figure
    assert figure.count(">too few games<") == 2


def test_a_generation_that_has_just_begun_is_drawn() -> None:
    assert "generation 1: 0 games" in drawn([])


def test_half_steps_of_komi_and_gaps_between_generations_are_drawn() -> None:
    games = [made_up((number,), BLACK_HAS_ALL, komi=komi) for number, komi in enumerate((7.0, 7.5, 9.0))]
    found = [generation_games(number, games) for number in (3, 9)]
    assert draw_selfplay(found, Calibration.of(games), "png").startswith(b"\x89PNG")


def panels(monkeypatch: pytest.MonkeyPatch, *generations: Sequence[GoSelfplayRecord]) -> list[Axes]:
    """Of the picture of generations 1, 3, 5, …"""
    canvases = caught(monkeypatch)
    found = [generation_games(2 * index + 1, games) for index, games in enumerate(generations)]
    draw_selfplay(found, pooled([Calibration.of(games) for games in generations]), "svg")
    return canvases[0].axes[:6]


def heat(axes: Axes) -> tuple[Floats, Floats]:
    """The shares, `[komi, generations]`, and the corners of their places, `[komi + 1, generations + 1, 2]`."""
    (mesh,) = [one for one in axes.collections if isinstance(one, QuadMesh)]
    shares = np.ma.asarray(mesh.get_array(), np.float64)
    return shares.filled(math.nan), np.asarray(mesh.get_coordinates())


def test_shares_stand_at_their_generation_and_komi(monkeypatch: pytest.MonkeyPatch) -> None:
    first = [made_up((number,), BLACK_HAS_ALL, komi=komi) for number, komi in enumerate((7.0, 9.0, 9.0, 9.0))]
    last = [made_up((0,), BLACK_HAS_ALL, komi=7.5), made_up((0, 0), "pass pass", after="B2", komi=5.5)]
    roots, branches, *_ = panels(monkeypatch, first, last)
    shares, edges = heat(roots)
    none = [math.nan] * 3
    np.testing.assert_array_equal(shares, [[25, *none[1:]], [*none[1:], 100], none, none, [75, *none[1:]]])
    assert edges[0, :, 0].tolist() == [0.5, 1.5, 2.5, 3.5]
    assert edges[:, 0, 1].tolist() == [6.75, 7.25, 7.75, 8.25, 8.75, 9.25]
    np.testing.assert_array_equal(heat(branches)[0], [[*none[1:], 100]])


def test_branches_stand_where_they_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    late = made_up((0, 7), "pass", after="B2 pass A1")
    bars = [one for one in panels(monkeypatch, [*MANY, *BRANCHES, late])[2].patches if isinstance(one, Rectangle)]
    assert [(one.get_x() + one.get_width() / 2, one.get_height()) for one in bars] == [(1, 2), (3, 1)]


def test_half_points_are_percent_and_have_bars_where_they_vary(monkeypatch: pytest.MonkeyPatch) -> None:
    other = made_up((99,), BLACK_HAS_ALL, komi=5.0)
    halves = [made_up((number,), BLACK_HAS_ALL) for number in range(3)]
    assert error_bars(panels(monkeypatch, halves, [*halves, other])[3]) == [
        approx([(1, 100, math.nan), (3, 75, 100 * math.sqrt(4 / 3 * 0.75) / 4)])
    ]


def test_what_was_realised_stands_at_what_was_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    *_, by_winrate, by_komi = panels(monkeypatch, MANY)
    net, search = error_bars(by_winrate)
    # Of Black's positions half were won, of White's two in three; at half a point the net is sure of 0.62 or 0.38.
    sure = 1 / (1 + math.exp(-0.5))
    assert [point[:2] for point in net] == approx([(1 - sure, 2 / 3), (sure, 1 / 2)])
    assert [point[:2] for point in search] == approx([(0.25, 2 / 3), (0.75, 1 / 2)])
    cells = Calibration.of(MANY)
    assert [point[2] for point in net] == pytest.approx(
        [cell.standard_error for cell in cells.by_winrate["net"].values()]
    )
    ((komi, realised, _),) = error_bars(by_komi)[0]
    assert (komi, realised) == pytest.approx((8.5, 15 / 35))
    assert [points(line) for line in by_komi.lines[:2]] == [approx([(8.5, sure)]), approx([(8.5, 0.75)])]
