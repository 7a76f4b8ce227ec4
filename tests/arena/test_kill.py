"""A run killed at any instant and run again ends as one that was never disturbed."""

import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from foible.arena.pgn import read_records
from tests.arena.play_run import main
from tests.interrupted import interrupt

ROOT = Path(__file__).resolve().parents[2]
PAIRS = 120
KILLS = 6


def start(folder: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.arena.play_run", str(folder), str(PAIRS)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def wait_ready(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


def finish(process: "subprocess.Popen[str]") -> int:
    code = process.wait(60)
    assert process.stdout is not None
    process.stdout.close()
    return code


@dataclass(frozen=True)
class Undisturbed:
    folder: Path
    seconds: float


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folder, begin = tmp_path_factory.mktemp("undisturbed"), time.monotonic()
    main(str(folder), PAIRS)
    return Undisturbed(folder, time.monotonic() - begin)


def games_in(folder: Path) -> int:
    games = folder / "games.pgn"
    return games.read_bytes().count(b"[Pair ") if games.exists() else 0


def wait_for_a_game(folder: Path) -> None:
    before = games_in(folder)
    while games_in(folder) <= before:
        time.sleep(0.005)


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


def test_a_run_killed_at_random_points_ends_like_an_undisturbed_one(tmp_path: Path, undisturbed: Undisturbed) -> None:
    folder, rng = tmp_path / "run", random.Random(4)
    finished_at_kill = []
    for kill in range(KILLS):
        process = start(folder)
        if kill % 4:
            wait_ready(process)
            wait_for_a_game(folder)
            time.sleep(rng.uniform(0, undisturbed.seconds / (2 * KILLS)))
        else:
            time.sleep(rng.uniform(0, 0.6))
        process.kill()
        assert finish(process) == -signal.SIGKILL, "the match ended before it could be killed"
        finished_at_kill.append(games_in(folder))
    assert finished_at_kill == sorted(finished_at_kill)
    assert len(set(finished_at_kill)) > KILLS / 2
    assert finish(start(folder)) == 0
    assert_same_run(folder, undisturbed.folder)


def test_an_interrupt_ends_a_run_cleanly(tmp_path: Path, undisturbed: Undisturbed) -> None:
    stopped = interrupt(start, games_in, tmp_path, lambda folder: games_in(folder) < 2 * PAIRS)
    assert stopped.code == 0
    assert 0 < len(read_records((stopped.folder / "games.pgn").read_bytes())) < 2 * PAIRS
    assert (stopped.folder / "report.json").exists()
    assert finish(start(stopped.folder)) == 0
    assert_same_run(stopped.folder, undisturbed.folder)
