"""What a worker keeps from one training of an experiment to the next."""

import shutil
from pathlib import Path

import msgspec
import pytest

from foible.errors import GameFileError
from foible.toml import to_toml_dict
from foible.training.data.config import DataConfig
from foible.training.experts.trainings import train_part
from tests.training.test_run import GAMES, config


def test_the_same_name_in_another_folder_is_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = DataConfig(sources=["games.pgn"])
    asked = to_toml_dict(config(steps=1, data=data)), msgspec.to_builtins(data)
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    shutil.copy(GAMES, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    train_part(str(tmp_path / "first"), *asked)
    monkeypatch.chdir(tmp_path / "there")
    with pytest.raises(GameFileError, match=r"games\.pgn"):
        train_part(str(tmp_path / "second"), *asked)
