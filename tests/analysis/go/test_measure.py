"""From the games of a panel to its report and its scale."""

import json
from pathlib import Path

import numpy as np
import pytest

from foible.analysis.go.measure import CALIBRATION, REPORT, measure
from foible.analysis.go.panel import Calibration, calibrate, read_calibration, write_calibration
from foible.arena.go.cells import Cell
from foible.arena.go.config import GoMatchConfig
from foible.arena.go.panel import panel_match
from foible.errors import ConfigError
from tests.arena.go.records import cell

PLAIN = panel_match(["a", "b"], ["p", "q"], games=4)
BOTH = panel_match(["a", "b"], ["p", "q"], games=4, lambdas=(0.0, 1.0))
WON = {
    ("a", "p"): 4,
    ("a", "q"): 1,
    ("b", "p"): 2,
    ("b", "q"): 0,
    ("a, lambda 1", "p"): 0,
    ("a, lambda 1", "q"): 0,
    ("b, lambda 1", "p"): 1,
    ("b, lambda 1", "q"): 3,
}


def played(config: GoMatchConfig, folder: Path) -> list[Cell]:
    folder.mkdir(exist_ok=True)
    return [cell(*names, [1] * WON[names] + [-1] * (4 - WON[names])) for names in config.cells]


def stopped(config: GoMatchConfig, folder: Path) -> list[Cell]:
    """One game is missing."""
    *cells, last = played(config, folder)
    return [*cells, Cell(last.focal, last.opponent, last.games[:-1])]


def alike(config: GoMatchConfig, folder: Path) -> list[Cell]:
    folder.mkdir(exist_ok=True)
    return [cell(*names, [1, -1, 1, -1]) for names in config.cells]


def never(config: GoMatchConfig, folder: Path) -> list[Cell]:
    pytest.fail("played although it cannot end well")


def test_without_a_scale_there_are_shares_alone(tmp_path: Path) -> None:
    found = measure(PLAIN, tmp_path / "run", play=played)
    assert found.scale is None
    assert found.results.shares.tolist() == [[1, 0.25], [0.5, 0]]
    assert json.loads((tmp_path / "run" / REPORT).read_text()) == found.to_json()
    assert [path.name for path in (tmp_path / "run").iterdir()] == [REPORT]


def test_a_scale_is_made_of_those_who_play_to_win(tmp_path: Path) -> None:
    found = measure(BOTH, tmp_path, calibrate_now=True, play=played)
    assert found.scale == calibrate(("p", "q"), [[1, 0.25], [0.5, 0]])
    assert read_calibration(tmp_path / CALIBRATION, ("p", "q")) == found.scale
    report = json.loads((tmp_path / REPORT).read_text())
    assert report == json.loads(json.dumps(found.to_json()))
    assert set(report["scale"]["scores"]) == set(BOTH.candidates)
    assert (tmp_path / "panel.svg").exists()
    assert measure(BOTH, tmp_path, play=played).to_json() == found.to_json()


def test_a_scale_is_made_once(tmp_path: Path) -> None:
    (tmp_path / CALIBRATION).write_text("kept")
    with pytest.raises(ConfigError, match=r"calibration\.json: a scale is made once"):
        measure(PLAIN, tmp_path, calibrate_now=True, play=never)
    assert (tmp_path / CALIBRATION).read_text() == "kept"


def test_no_scale_is_made_before_all_is_played(tmp_path: Path) -> None:
    found = measure(PLAIN, tmp_path, calibrate_now=True, play=stopped)
    assert found.results.complete
    assert found.scale is None
    assert not (tmp_path / CALIBRATION).exists()


def test_nets_that_do_not_differ_have_a_report_but_make_no_scale(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="do not differ"):
        measure(PLAIN, tmp_path, calibrate_now=True, play=alike)
    assert json.loads((tmp_path / REPORT).read_text())["scale"] is None
    assert not (tmp_path / CALIBRATION).exists()


def test_a_scale_may_lie_elsewhere(tmp_path: Path) -> None:
    path, scale = tmp_path / "c.json", Calibration(("p", "q"), (0.6, 0.8), (0.5, 0.25), nets=4, explained=0.9)
    write_calibration(scale, path)
    found = measure(PLAIN, tmp_path / "run", calibration=path, play=played)
    assert found.scale == scale
    assert np.allclose(scale.score(found.results.shares), [0.3, -0.2])
    with pytest.raises(ConfigError, match="give one of them"):
        measure(PLAIN, tmp_path / "other", calibration=path, calibrate_now=True, play=never)
    with pytest.raises(ConfigError, match="no such file"):
        measure(PLAIN, tmp_path / "other", calibration=tmp_path / "none.json", play=never)
    assert not (tmp_path / "other").exists()
