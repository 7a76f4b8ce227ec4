"""The papers' experiments: each is a match that can be played."""

from pathlib import Path

import pytest

from foible.agents.spec import TagTeamSpec
from foible.arena.config import preset_names, read_preset, with_changes
from foible.arena.papers import EXPERIMENTS
from foible.arena.play import play
from foible.errors import ConfigError


def test_both_teams_of_an_experiment_have_the_same_junior() -> None:
    for name in EXPERIMENTS:
        config = read_preset(name)
        if isinstance(config.focal, TagTeamSpec):
            assert isinstance(config.alter, TagTeamSpec)
            assert config.focal.junior == config.alter.junior, name


@pytest.mark.parametrize("name", ["stt-exp", "stt-exp-trick", "stt-coin-tree", "hb-exp", "hb-hand-tree", "raw-exp"])
def test_experiments_play_to_their_end(name: str, tmp_path: Path) -> None:
    config = with_changes(read_preset(name), games=2, effort=0.005, max_plies=20)
    report = play(config, tmp_path / name)
    assert report is not None
    assert report.games.n == 2


def test_an_unknown_preset_is_refused_with_its_neighbours() -> None:
    with pytest.raises(ConfigError, match="stt-exp-trick"):
        read_preset("stt-exp-tricks")
    assert {"demo", "standard", *EXPERIMENTS} <= set(preset_names())
