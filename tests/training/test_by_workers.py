"""What a worker keeps from one training to the next, and what a killed one leaves."""

import shutil
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from foible.errors import GameFileError, WorkerError
from foible.runs.folder import LOCK
from foible.scale import Unit
from foible.toml import to_toml_dict
from foible.training.by_workers import Ordered, train_by_workers, train_part
from foible.training.data.config import DataConfig
from tests.training.test_run import GAMES, config


def test_the_same_name_in_another_folder_is_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = to_toml_dict(config(steps=1, data=DataConfig(sources=["games.pgn"])))
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    shutil.copy(GAMES, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    train_part(str(tmp_path / "first"), plain)
    monkeypatch.chdir(tmp_path / "there")
    with pytest.raises(GameFileError, match=r"games\.pgn"):
        train_part(str(tmp_path / "second"), plain)


class KilledAtOnce:
    """An executor whose workers are killed once they hold the folder of a training."""

    workers = 1

    def run(self, units: Sequence[Unit]) -> Generator[list[Unit], None, None]:
        yield []
        units[0].folder.mkdir()
        (units[0].folder / LOCK).touch()
        raise WorkerError("killed")


def test_a_worker_that_is_killed_before_it_began_leaves_no_folder(tmp_path: Path) -> None:
    ordered = Ordered("seed-1", tmp_path / "new" / "seed-1", config(steps=1))
    with pytest.raises(WorkerError, match="killed"):
        train_by_workers([ordered], KilledAtOnce(), train_part)
    assert not list(tmp_path.iterdir())
