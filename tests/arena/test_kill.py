"""A run killed at any instant and run again ends as one that was never disturbed."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from foible.arena.pgn import read_records
from tests.arena.play_run import main
from tests.interrupted import finished_games, interrupt, killed

ROOT = Path(__file__).resolve().parents[2]
PAIRS = 120
KILLS = 3


def start(folder: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.arena.play_run", str(folder), str(PAIRS)]
    return subprocess.Popen(command, cwd=ROOT, text=True)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    main(str(folder), PAIRS)
    return folder


def games_in(folder: Path) -> int:
    return finished_games(folder / "games.pgn")


def assert_same_run(folder: Path, expected: Path) -> None:
    for name in ("config.toml", "results.csv"):
        assert (folder / name).read_bytes() == (expected / name).read_bytes(), name
    reports = [json.loads((one / "report.json").read_text()) for one in (folder, expected)]
    assert {**reports[0], "speed": None} == {**reports[1], "speed": None}
    games = read_records((folder / "games.pgn").read_bytes())
    assert len(games) == 2 * PAIRS
    assert sorted(games, key=lambda g: g.number) == sorted(
        read_records((expected / "games.pgn").read_bytes()), key=lambda g: g.number
    )


def test_a_run_killed_at_random_points_ends_like_an_undisturbed_one(tmp_path: Path, undisturbed: Path) -> None:
    folder = killed(start, games_in, tmp_path, random.Random(4), kills=KILLS)
    main(str(folder), PAIRS)
    assert_same_run(folder, undisturbed)


def test_an_interrupt_ends_a_run_cleanly(tmp_path: Path, undisturbed: Path) -> None:
    stopped = interrupt(start, games_in, tmp_path, lambda folder: games_in(folder) < 2 * PAIRS)
    assert stopped.code == 0
    assert 0 < len(read_records((stopped.folder / "games.pgn").read_bytes())) < 2 * PAIRS
    assert (stopped.folder / "report.json").exists()
    main(str(stopped.folder), PAIRS)
    assert_same_run(stopped.folder, undisturbed)
