"""Scores that a panel has left in its folder."""

from pathlib import Path

import pytest

from foible.analysis.go.measure import measure
from foible.analysis.go.net_scores import NetScore, read_net_scores
from foible.arena.go.panel import panel_match
from foible.errors import ConfigError
from foible.nets.download import file_sha256
from tests.analysis.go.learnt_runs import write_panel
from tests.nets.go.naive import Recipe, lines_of, text_of


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
    expected = {score.name: NetScore(score.value, score.error) for score in found.results.scored(found.scale)}
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
