"""From the games of a panel to its report and its scale."""

import json
from pathlib import Path

import numpy as np
import pytest

from foible.analysis.go.panel_report import CALIBRATION, REPORT, NetScore, measure, read_net_scores
from foible.analysis.go.panel_scores import PanelScale, calibrate, read_calibration, write_calibration
from foible.arena.go.config import GoMatchConfig
from foible.arena.go.panel import panel_match
from foible.arena.go.report import Cell
from foible.errors import ConfigError
from foible.nets.download import file_sha256
from tests.analysis.go.learnt_runs import write_panel
from tests.arena.go.records import cell
from tests.nets.go.naive import Recipe, lines_of, text_of

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
    path, scale = tmp_path / "c.json", PanelScale(("p", "q"), (0.6, 0.8), (0.5, 0.25), nets=4, explained=0.9)
    write_calibration(scale, path)
    found = measure(PLAIN, tmp_path / "run", calibration=path, play=played)
    assert found.scale == scale
    assert np.allclose(scale.score(found.results.shares), [0.3, -0.2])
    with pytest.raises(ConfigError, match="give one of them"):
        measure(PLAIN, tmp_path / "other", calibration=path, calibrate_now=True, play=never)
    with pytest.raises(ConfigError, match="no such file"):
        measure(PLAIN, tmp_path / "other", calibration=tmp_path / "none.json", play=never)
    assert not (tmp_path / "other").exists()


def test_a_panels_scores_are_known_by_the_hashes_of_its_nets(tmp_path: Path) -> None:
    nets = [tmp_path / f"net-{seed}.txt" for seed in range(3)]
    for seed, net in enumerate(nets):
        net.write_bytes(text_of(lines_of(Recipe(size=3, head="y", seed=seed))))
    names = [str(net) for net in nets]
    plan = panel_match(
        names, names[:1], games=2, visits=2, size=3, komi=2.5, plies=1, lambdas=(0.0, 0.5), threads=1, seed=3
    )
    found = measure(plan, tmp_path / "panel", calibrate_now=True)
    assert found.scale is not None
    scores = read_net_scores(tmp_path / "panel")
    assert (scores.even, scores.ceiling) == pytest.approx((found.scale.even, found.scale.ceiling))
    expected = {score.name: NetScore(score.value, score.standard_error) for score in found.results.scored(found.scale)}
    assert {f"net-{seed}, lambda 0.5" for seed in (1, 2)} < set(expected)
    assert scores.by_hash == {file_sha256(net): expected[net.stem] for net in nets if net.stem in expected}
    assert len(scores.by_hash) >= 2


def test_scores_with_another_lambda_are_not_on_the_scale_of_runs(tmp_path: Path) -> None:
    net = tmp_path / "net"
    net.touch()
    assert read_net_scores(write_panel(tmp_path / "plain", {net: (1.0, None)})).by_hash == {
        file_sha256(net): NetScore(1.0, None)
    }
    assert not read_net_scores(write_panel(tmp_path / "other", {net: (1.0, None)}, weight=0.5)).by_hash


@pytest.mark.parametrize(
    "config", [None, "", "resolved = 3", "players = 3", "[players.net-0]\nkind = 'net'\nnet = 'x'"]
)
def test_a_panel_that_does_not_tell_its_nets_has_no_scores(tmp_path: Path, config: str | None) -> None:
    net = tmp_path / "net"
    net.touch()
    panel = write_panel(tmp_path / "panel", {net: (1.0, 0.1)})
    (panel / "config.toml").unlink()
    if config is not None:
        (panel / "config.toml").write_text(config)
    assert not read_net_scores(panel).by_hash


def test_a_folder_without_scores_is_refused(tmp_path: Path) -> None:
    panel = write_panel(tmp_path / "panel", {})
    report = panel / "panel.json"
    report.write_text('{"panel": [], "shares": {}, "scale": null}')
    with pytest.raises(ConfigError, match="panel: has no scores yet; foible go panel --calibrate makes a scale"):
        read_net_scores(panel)
    for damaged in ("", "[]", '{"scale": {"even": 0}}', '{"scale": {"even": 0, "ceiling": 1, "scores": {"a": 2}}}'):
        report.write_text(damaged)
        with pytest.raises(ConfigError, match=r"panel\.json: no report on a panel"):
            read_net_scores(panel)
    for nowhere in (tmp_path, tmp_path / "none", report):
        with pytest.raises(ConfigError, match=r"holds no panel\.json; expected the run folder of foible go panel"):
            read_net_scores(nowhere)


def test_a_damaged_configuration_is_said(tmp_path: Path) -> None:
    panel = write_panel(tmp_path / "panel", {})
    (panel / "config.toml").write_text("= 3")
    with pytest.raises(ConfigError, match=r"config\.toml: not a configuration"):
        read_net_scores(panel)
