"""Tuning: what an evaluation costs, and how a run fails."""

from pathlib import Path

import pytest
import torch

from foible.errors import ConfigError, DivergedError
from foible.training.attune import tune as module
from foible.training.attune.games import TrainingGames, collect
from foible.training.attune.tune import tune
from tests.training.attune.made_up import config, match_folder


def test_an_evaluation_takes_ten_batches_however_many_games_are_held_out(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    asked = config(tmp_path, games=60, batch=4, steps=2)
    games = collect(asked, match_folder(tmp_path / "match", asked), tmp_path)
    tuned = tune(asked, games, tmp_path / "net")
    assert tuned is not None
    assert tuned.validation is not None
    assert tuned.test is not None
    assert tuned.validation.sets["all"].positions == 40
    assert tuned.test.sets["all"].positions > 100


@pytest.mark.parametrize("error", [DivergedError, ConfigError])
def test_only_a_run_that_diverged_counts_as_such(
    error: type[ConfigError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(*_: object, **__: object) -> None:
        raise error("momentum is not a number")

    monkeypatch.setattr(module, "train", train)
    asked, games = config(tmp_path), TrainingGames(tmp_path / "data.pgn", {}, ())
    if error is DivergedError:
        assert tune(asked, games, tmp_path / "net") is None
    else:
        with pytest.raises(ConfigError, match="momentum"):
            tune(asked, games, tmp_path / "net")
