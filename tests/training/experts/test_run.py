"""The whole paper at the size of a test."""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from foible._core import ChessPosition
from foible.errors import ConfigError, GameFileError
from foible.nets import open_net
from foible.nets.mixture import MajorityMixture
from foible.scale import Executor
from foible.training.experts.config import ExpertsConfig, parse_config, read_config
from foible.training.experts.run import News, experts

pytestmark = pytest.mark.usefixtures("one_thread")

GAMES = 16

SMALL_NET = """\
[net]
kind = "se-resnet"
blocks = 1
filters = 8
squeeze = 4
value_filters = 4
value_hidden = 8

[training]
batch_size = 256
device = "cpu"
"""
CONFIG = (
    """
seeds = [1]
regimes = ["staged"]
move_counter = [2]

[data]
sources = ["{games}"]
hold_out = {{validation = 3, test = 3}}

"""
    + SMALL_NET
    + """\
precision = "f32"
threads = 1

[matches]
games = 2
nodes = [3]
batch_sizes = [2]
one_phase = ["staged"]
runtime = "onnxruntime"
threads = 1
"""
)


SEPARATED = (('regimes = ["staged"]', 'regimes = ["separated"]'), ('one_phase = ["staged"]', ""))
SMALL = (*SEPARATED, ("move_counter = [2]", ""))


class DiedError(Exception):
    """In place of a kill."""


def interrupt_match() -> Callable[[News], None]:
    """Ctrl-C, once, as soon as games are played."""
    left = count(1, -1)

    def tell(news: News) -> None:
        if "games/s" in news.text and next(left) > 0:
            os.kill(os.getpid(), signal.SIGINT)

    return tell


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random games in which much is captured, so that they reach all phases."""
    rng = np.random.default_rng(7)
    path = tmp_path_factory.mktemp("games") / "games.pgn"
    with path.open("w") as file:
        for _ in range(GAMES):
            position, sans = ChessPosition(), list[str]()
            while position.outcome() is None and len(sans) < 100:
                legal = {position.san(move): move for move in position.legal_moves}
                captures = [san for san in legal if "x" in san]
                san = str(rng.choice(captures if captures and rng.random() < 0.5 else list(legal)))
                sans.append(san)
                position = position.play(legal[san])
            result = rng.choice(["1-0", "0-1", "1/2-1/2"])
            file.write(f'[Event "x"]\n[Result "{result}"]\n\n{" ".join(sans)} {result}\n\n')
    return path


def config(games: Path, *changes: tuple[str, str]) -> ExpertsConfig:
    text = CONFIG.format(games=games)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_config(text, "test.toml")


def times(folder: Path) -> dict[Path, int]:
    """When each net was written."""
    return {path: path.stat().st_mtime_ns for path in (folder / "nets").rglob("net.pb.gz")}


@pytest.fixture(scope="module")
def whole(games: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    found = experts(config(games), folder)
    assert found.complete
    return folder


def test_it_trains_measures_plays_and_reports(whole: Path) -> None:
    found = json.loads((whole / "experts.json").read_text())
    rows = [(row["regime"], row["expert"]) for row in found["losses"]]
    phases = ["opening", "middlegame", "endgame", "mixture"]
    by_moves = ["phase 0", "phase 1", "mixture"]
    assert rows == [
        ("regular", ""),
        *(("staged", name) for name in phases),
        *(("moves-2", name) for name in by_moves),
    ]
    assert all(0 < loss < 9 for row in found["losses"] for loss in row["mean"].values())
    names = ["staged", *(f"staged, {phase} only" for phase in phases[:3]), "moves-2"]
    assert [(row["player"], row["batch"]) for row in found["matches"]] == [(name, 2) for name in names]
    for row in found["matches"]:
        assert row["games"] == sum(row["wdl"]) == 2
        assert (whole / row["by_seed"][0]["folder"] / "games.pgn").is_file()
    page = (whole / "report.html").read_text()
    for text in ("Test losses", "staged, endgame only", "figure 6", "figure 7", "<svg "):
        assert text in page
    assert {path.name for path in whole.glob("*.svg")} == {"regimes.svg", "one-phase-staged.svg", "move-counter.svg"}


def test_what_plays_is_a_mixture_of_the_nets_that_were_trained(whole: Path) -> None:
    folder = whole / "mixtures" / "seed-1"
    alone = open_net(str(folder / "staged-endgame-only-current-majority.toml"), runtime="onnxruntime", threads=1)
    assert isinstance(alone, MajorityMixture)
    assert alone.nets[0] is alone.nets[1]
    assert alone.nets[1] is not alone.nets[2]
    assert (whole / "nets" / "seed-1" / "only-opening-middlegame-endgame" / "net.pb.gz").is_file()
    votes = open_net(str(folder / "moves-2-moves-2-majority.toml"), runtime="onnxruntime", threads=1)
    assert isinstance(votes, MajorityMixture)
    assert votes.gate.count == 2


def test_a_finished_run_is_read_back(games: Path, whole: Path) -> None:
    report, trained = (whole / "experts.json").read_bytes(), times(whole)
    assert experts(config(games), whole).complete
    assert (whole / "experts.json").read_bytes() == report
    assert times(whole) == trained


def test_others_train_and_play_the_same(processes: Executor, games: Path, whole: Path, tmp_path: Path) -> None:
    folder, seen = tmp_path / "there", list[News]()
    assert experts(config(games), folder, seen.append, executor=processes).complete
    names = [f"nets/seed-1/{path.parent.name}/net.pb.gz" for path in sorted((whole / "nets").rglob("net.pb.gz"))]
    for name in [*names, "losses.csv", "matches.csv", "experts.json"]:
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name
    assert len([news for news in seen if news.lasting and "validation loss" in news.text]) == len(names)
    assert any("trainings; " in news.text and "at step" in news.text for news in seen)
    assert not list(folder.rglob("parts"))


def test_what_others_cannot_train_is_told_and_leaves_nothing_behind(processes: Executor, tmp_path: Path) -> None:
    with pytest.raises(GameFileError, match=r"missing\.pgn"):
        experts(config(tmp_path / "missing.pgn"), tmp_path / "new" / "deep", executor=processes)
    assert not list(tmp_path.iterdir())


def test_torch_is_needed_to_train_but_not_to_read_back(
    games: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert experts(config(games), whole).complete
    with pytest.raises(ConfigError, match="this needs PyTorch"):
        experts(config(games), tmp_path / "new")
    assert not os.listdir(tmp_path)


def test_a_run_that_died_comes_to_the_same_end_and_may_grow(games: Path, tmp_path: Path) -> None:
    # One game after the other, so that some are left to be played when the first news of the match comes.
    several = ("games = 2", "games = 6\nconcurrency = 1")
    small = config(games, *SMALL, several)
    for last in (2, 4, 6):
        left = count(last, -1)

        def die(news: News, left: Iterator[int] = left) -> None:
            if not next(left):
                raise DiedError

        with pytest.raises(DiedError):
            experts(small, tmp_path / "died", die)
    assert not experts(small, tmp_path / "died", interrupt_match()).complete
    assert experts(small, tmp_path / "died").complete
    assert experts(small, tmp_path / "whole").complete
    died, whole = ((tmp_path / name / "experts.json").read_text() for name in ("died", "whole"))
    assert died == whole

    before = times(tmp_path / "died")
    grown = config(games, *SEPARATED, several, ("batch_sizes = [2]", "batch_sizes = [1, 2]"))
    found = experts(grown, tmp_path / "died")
    names = ("separated", "moves-2")
    assert [(row.player, row.batch) for row in found.matches] == [(name, k) for k in (1, 2) for name in names]
    after = times(tmp_path / "died")
    assert before.items() <= after.items()
    assert len(after) == len(before) + 2


def test_a_folder_that_was_moved_goes_on(games: Path, whole: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(whole, moved)
    trained, before = times(moved), (moved / "experts.json").read_bytes()
    assert experts(config(games), moved).complete
    assert (moved / "experts.json").read_bytes() == before
    shutil.rmtree(moved / "nets" / "seed-1" / "only-opening-middlegame-endgame")
    (moved / "nets" / "seed-1" / "only-opening-middlegame" / "result.json").unlink()
    assert experts(config(games, ("games = 2", "games = 4")), moved).matches[0].games.n == 4
    assert len(times(moved)) == len(trained)


def test_a_folder_says_what_was_asked_for_from_the_first_step_on(games: Path, tmp_path: Path) -> None:
    def interrupt(news: News) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    small = config(games, *SMALL, ("batch_size = 256", "batch_size = 256\nepochs = 1000"))  # stopped long before
    assert not experts(small, tmp_path, interrupt).complete
    assert read_config(tmp_path / "experts.toml") == small


def test_a_folder_of_something_else_is_left_alone(games: Path, tmp_path: Path) -> None:
    (tmp_path / "cells").mkdir()
    with pytest.raises(ConfigError, match="holds a sweep run; choose another folder"):
        experts(config(games), tmp_path)
    assert os.listdir(tmp_path) == ["cells"]


def test_a_source_that_is_not_there_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for folder in ("new/deep", "mine"):
        with pytest.raises(GameFileError, match=r"missing\.pgn"):
            experts(config(tmp_path / "missing.pgn"), tmp_path / folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["mine"]


def test_an_experiment_on_other_games_is_refused(games: Path, whole: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"regular: made with data.hold_out.test = 3 \(now 2\); choose another folder"
    ):
        experts(config(games, ("test = 3}", "test = 2}"), ("seeds = [1]", "seeds = [2, 1]")), whole)
    assert read_config(whole / "experts.toml") == config(games)
    assert not (whole / "nets" / "seed-2").exists()


def test_games_without_an_endgame_train_no_expert_for_it(tmp_path: Path) -> None:
    path = tmp_path / "short.pgn"
    moves = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7"
    path.write_text(
        "".join(
            f'[Event "x"]\n[Result "1-0"]\n\n{moves} {end} 1-0\n\n' for end in ("Re1", "d3", "c3", "h3", "Nc3", "Qe2")
        )
    )
    changes = ("validation = 3, test = 3", "validation = 1, test = 1"), ("batch_size = 256", "batch_size = 8")
    with pytest.raises(GameFileError, match=r"no position of phases \[1\] is there to train on"):
        experts(config(path, *changes, ('["staged"]', '["separated"]')), tmp_path / "run")
