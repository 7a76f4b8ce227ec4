"""Panel results and standings from the games of cells."""

from collections.abc import Sequence

import numpy as np
import pytest

from foible.analysis.go.panel import Calibration
from foible.analysis.go.scores import panel_results, to_json
from foible.analysis.go.standings import standings
from foible.arena.go.report import Cell
from tests.arena.go.test_stats import game


def cell(focal: str, opponent: str, margins: Sequence[float]) -> Cell:
    games = [game(number, margin) for number, margin in enumerate(margins)]
    return Cell(focal, opponent, tuple(games))


CELLS = [cell("x", "p", [1, 1, 1, -1]), cell("p", "q", [1, 1, -1, -1, 1, -1]), cell("x", "q", [])]
SCALE = Calibration(("p", "q"), (0.6, 0.8), (0.5, 0.25), nets=4, explained=0.9)


def test_shares_come_from_either_side_and_from_oneself() -> None:
    found = panel_results(CELLS, ["x", "p", "q"], ["p", "q"])
    assert found.shares.tolist()[1:] == [[0.5, 0.5], [0.5, 0.5]]
    assert found.shares[0, 0] == 0.75
    assert np.isnan(found.shares[0, 1])
    assert not found.complete
    assert found.errors[0, 0] == pytest.approx(0.25)
    assert found.errors[1, 0] == 0
    assert found.errors[1, 1] == found.errors[2, 0] == pytest.approx(CELLS[1].statistics.share.error)


def test_scores_are_of_those_who_met_the_whole_panel() -> None:
    found = panel_results(CELLS, ["x", "p"], ["p", "q"])
    (score,) = found.scored(SCALE)
    assert score.name == "p"
    assert score.value == pytest.approx(0.8 * 0.25)
    assert score.error == pytest.approx(0.8 * found.errors[1, 1])


def test_the_document_has_plain_values_and_no_holes() -> None:
    plain = to_json(panel_results(CELLS, ["x", "p"], ["p", "q"]), SCALE)
    assert plain["shares"]["x"] == {"p": {"share": 0.75, "error": pytest.approx(0.25)}, "q": None}
    assert plain["scale"]["scores"].keys() == {"p"}
    assert plain["scale"]["ceiling"] == pytest.approx(0.6 * 0.5 + 0.8 * 0.75)
    assert to_json(panel_results(CELLS, ["x"], ["p", "q"]), None)["scale"] is None


def test_one_pair_of_games_has_a_score_without_an_error() -> None:
    cells = [cell("x", "p", [1, -1]), cell("x", "q", [1, 1, -1, 1])]
    (score,) = panel_results(cells, ["x"], ["p", "q"]).scored(SCALE)
    assert score.error is None


def test_standings_need_three_players() -> None:
    assert standings(CELLS[:1]) is None
    found = standings(CELLS)
    assert found is not None
    assert found.ratings is not None
    assert [name for name, _ in found.rows()] == ["x", "p", "q"]
    assert found.to_json()["elo"]["x"]["value"] > 0


def test_standings_tell_of_cycles_and_of_players_who_never_met() -> None:
    won = [1.0] * 40
    circle = standings([cell("a", "b", won), cell("b", "c", won), cell("c", "a", won)])
    assert circle is not None
    assert list(circle.lines()) == [
        "not transitive: 1 of 1 triples (100.0 %) of players with clear results (z ≥ 1.96)",
        "a 100 % → b 100 % → c 100 % → a",
    ]
    assert list(circle.lines(most=0))[1:] == ["and 1 cycles more"]
    apart = standings([cell("a", "b", won), cell("c", "d", won)])
    assert apart is not None
    assert apart.ratings is None
    assert not list(apart.rows())
    assert not list(apart.lines())
    assert apart.to_json()["elo"] is None
