"""The figures: what stands in them, and when there is none."""

import math
from pathlib import Path

import msgspec
import pytest

from foible.analysis.go.panel_scores import PanelScale, PanelScore
from foible.analysis.go.strength_plots import APART, draw_by_lambda, draw_scores
from foible.arena.go.config import GoMatchConfig, NetPlayer
from tests.arena.go.records import cell
from tests.figures import approx, caught, error_bars

NET = {"kind": "net", "net": "nets/gen-$7.txt.gz", "visits": 9}
CONFIG = msgspec.convert(
    {
        "players": {
            "a": NET,
            "b": {**NET, "lambda": 0.5},
            "c": {**NET, "mu": 0.25},
            "_z": {"kind": "gtp", "command": "z"},
        },
        "focal": ["a", "b", "c", "_z"],
        "opponents": ["_z", "a"],
    },
    GoMatchConfig,
)


def test_strength_and_margins_are_drawn_against_lambda(tmp_path: Path) -> None:
    cells = [
        cell("a", "_z", [3, 5, -1, 2]),
        cell("b", "_z", [9, 7, 3, 3]),
        cell("c", "_z", [1, 1]),
        cell("_z", "a", []),
    ]
    assert draw_by_lambda(cells, CONFIG, tmp_path)
    figure = (tmp_path / "lambda.svg").read_text()
    for words in (
        "gen-$7, 9 visits, against _z<",
        "win share (%)",
        "margin when won (points)",
        "margin, all games (points)",
        "komi 9.5; n = 4 games a point; bars: ± one standard error",
    ):
        assert words in figure
    assert "mu 0.25" not in figure
    assert (tmp_path / "lambda.png").read_bytes().startswith(b"\x89PNG")


def test_lines_are_of_players_who_differ_in_the_first_lambda_alone(tmp_path: Path) -> None:
    players = {
        **CONFIG.players,
        "d": NetPlayer(net="n", lambda_=[0.5, 0.25], mu=[0.125, 0.0]),
        "e": NetPlayer(net="n", lambda_=[1.0, 0.25], mu=[0.125, 0.0]),
        "f": NetPlayer(net="n", lambda_=[0.75, 0.0], mu=[0.125, 0.0]),
    }
    config = msgspec.structs.replace(CONFIG, players=players)
    assert draw_by_lambda([cell(name, "_z", [3, 5]) for name in "def"], config, tmp_path)
    figure = (tmp_path / "lambda.svg").read_text()
    assert "n, 100 visits, lambda x, 0.25, mu 0.125, 0, against _z<" in figure
    assert "lambda x, 0," not in figure


def test_players_who_search_otherwise_have_a_line_of_their_own(tmp_path: Path) -> None:
    others = {"interval": "root", "cpuct": 1.5, "dumb_pass": True}
    players = {
        name: msgspec.convert({**NET, "lambda": weight, **search}, NetPlayer)
        for name, weight, search in (("a", 0.0, {}), ("b", 0.5, {}), ("c", 0.0, others), ("d", 0.5, others))
    }
    config = msgspec.structs.replace(CONFIG, players={**CONFIG.players, **players})
    assert draw_by_lambda([cell(name, "_z", [3, 5, 1, 2]) for name in "abcd"], config, tmp_path)
    figure = (tmp_path / "lambda.svg").read_text()
    assert "gen-$7, 9 visits, against _z<" in figure
    assert "gen-$7, 9 visits, cpuct 1.5, interval root, dumb_pass, against _z<" in figure


def test_one_lambda_makes_no_figure(tmp_path: Path) -> None:
    assert not draw_by_lambda([cell("a", "_z", [3, 5]), cell("b", "_z", []), cell("c", "_z", [1])], CONFIG, tmp_path)
    assert not list(tmp_path.iterdir())


def test_points_without_a_win_have_no_margin_when_won(tmp_path: Path) -> None:
    assert draw_by_lambda([cell("a", "_z", [-3, -5]), cell("b", "_z", [-1])], CONFIG, tmp_path)
    assert "n = 1 to 2 games" in (tmp_path / "lambda.svg").read_text()


def test_scores_are_drawn_in_the_order_of_the_nets(tmp_path: Path) -> None:
    candidates = {
        "g1": NetPlayer(net="g1"),
        "g2": NetPlayer(net="g2"),
        "g1, lambda 0.5": NetPlayer(net="g1", lambda_=0.5),
    }
    scores = [PanelScore("g1", 0.1, 0.05), PanelScore("g2", 0.4, 0.01), PanelScore("g1, lambda 0.5", 0.2, 0.05)]
    draw_scores(scores, candidates, PanelScale(("p",), (1.0,), (0.5,), nets=3, explained=1.0), tmp_path)
    figure = (tmp_path / "panel.svg").read_text()
    for words in ("panel score", ">g1<", ">g2<", "lambda 0<", "lambda 0.5<", "wins all games"):
        assert words in figure
    assert (tmp_path / "panel.png").read_bytes().startswith(b"\x89PNG")


def two_nets(*nets: str) -> GoMatchConfig:
    """Players a and b of the first net, c and d of the second, with lambda 0 and 0.5."""
    four = zip("abcd", (net for net in nets for _ in range(2)), (0.0, 0.5) * 2, strict=True)
    players = {name: NetPlayer(net=net, visits=9, lambda_=weight) for name, net, weight in four}
    return msgspec.structs.replace(CONFIG, players={**CONFIG.players, **players})


def test_nets_with_the_same_short_name_have_a_line_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    canvases = caught(monkeypatch)
    cells = [cell(name, "_z", [margin]) for name, margin in zip("abcd", (1, 2, 3, 4), strict=True)]
    assert draw_by_lambda(cells, two_nets("A/best.txt.gz", "B/best.txt.gz"), tmp_path)
    panel = canvases[0].axes[2]
    assert error_bars(panel) == [
        approx([(0, 1, math.nan), (0.5, 2, math.nan)]),
        approx([(0, 3, math.nan), (0.5, 4, math.nan)]),
    ]
    assert panel.get_legend_handles_labels()[1] == [
        "A/best.txt.gz, 9 visits, against _z",
        "B/best.txt.gz, 9 visits, against _z",
    ]


def test_numbers_stand_where_they_belong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    canvases = caught(monkeypatch)
    cells = [cell("a", "_z", [3, 5, -1, -2]), cell("b", "_z", [9, 7, 3, -3])]
    assert draw_by_lambda(cells, CONFIG, tmp_path)
    share, won, margin = (error_bars(axes)[0] for axes in canvases[0].axes)
    assert share == approx([(0, 50, 50), (0.5, 75, 25)])
    assert [point[:2] for point in won] == approx([(0, 4), (0.5, 19 / 3)])
    assert margin == approx([(0, 1.25, 2.75), (0.5, 4, 4)])


def test_scores_stand_where_they_belong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    canvases = caught(monkeypatch)
    names = ("A/best.txt.gz", "B/best.txt.gz")
    candidates = {
        **{name: NetPlayer(net=name) for name in names},
        f"{names[1]}, lambda 0.5": NetPlayer(net=names[1], lambda_=0.5),
    }
    scores = [PanelScore(name, 0.25 * index, 0.125) for index, name in enumerate(candidates)]
    draw_scores(scores, candidates, PanelScale(("p",), (1.0,), (0.5,), nets=3, explained=1.0), tmp_path)
    (axes,) = canvases[0].axes
    plain, aiming = error_bars(axes)
    assert plain == approx([(-APART / 2, 0, 0.125), (1 - APART / 2, 0.25, 0.125)])
    assert aiming == approx([(1 + APART / 2, 0.5, 0.125)])
    assert [text.get_text() for text in axes.get_xticklabels()] == [*names]
