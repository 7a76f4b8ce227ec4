"""Runs whose units Ray plays end with the bytes of those that one process plays: one cluster for runs of all kinds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from foible.scale import Executor, open_executor
from foible.selfplay.play import self_play
from foible.training.go.config import read_config
from foible.training.go.run import go_train
from foible.training.labels.config import LabelConfig, parse_teacher
from foible.training.labels.labelling import label
from tests.selfplay import runs, test_play
from tests.training.data.pgn_games import write_games
from tests.training.go import test_parts
from tests.training.labels import test_labelling

pytest.importorskip("ray")


@pytest.fixture(scope="module")
def ray() -> Iterator[Executor | None]:
    with open_executor("ray") as cluster:
        yield cluster


def test_self_play(ray: Executor, tmp_path: Path) -> None:
    asked = runs.config(games=6)
    self_play(asked, tmp_path / "alone")
    self_play(asked, tmp_path / "run", executor=ray)
    test_play.assert_same(tmp_path / "run", tmp_path / "alone")


def test_labels(ray: Executor, tmp_path: Path) -> None:
    write_games(tmp_path / "games.pgn", 150, seed=3)
    asked = LabelConfig(sources=[str(tmp_path / "games.pgn")], teacher=parse_teacher("material@8"))
    label(asked, tmp_path / "alone")
    label(asked, tmp_path / "run", executor=ray)
    test_labelling.assert_same(tmp_path / "run", tmp_path / "alone")


def test_a_run_from_random_play(ray: Executor, tmp_path: Path) -> None:
    (tmp_path / "go.toml").write_text(test_parts.TEXT.replace("generations = 2", "generations = 1"))
    asked = read_config(tmp_path / "go.toml")
    go_train(asked, tmp_path / "alone")
    go_train(asked, tmp_path / "run", executor=ray)
    test_parts.assert_same(tmp_path / "run", tmp_path / "alone")
