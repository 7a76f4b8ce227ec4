"""A run killed at any instant and run again ends as one that was never disturbed."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.interrupted import interrupt
from tests.selfplay.play_run import RUNS, main
from tests.selfplay.runs import snapshot

ROOT = Path(__file__).resolve().parents[2]
KILLS = 3


def start(folder: Path, trees: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.selfplay.play_run", str(folder), trees]
    return subprocess.Popen(command, cwd=ROOT, text=True)


def games_in(folder: Path) -> int:
    games = folder / "games.pgn"
    return games.read_bytes().count(b"[Pair ") if games.exists() else 0


@pytest.mark.parametrize("trees", RUNS)
def test_a_run_killed_at_random_points_ends_like_an_undisturbed_one(tmp_path: Path, trees: str) -> None:
    begin = time.monotonic()
    main(str(tmp_path / "alone"), trees)
    seconds = time.monotonic() - begin
    folder, chance, at_kill = tmp_path / "killed", random.Random(trees), [0]
    for kill in range(KILLS):
        process = start(folder, trees)
        while kill and games_in(folder) == at_kill[-1] and process.poll() is None:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, seconds / KILLS / 2))
        process.kill()
        if process.wait(60) == 0:
            break
        at_kill.append(games_in(folder))
    assert at_kill == sorted(at_kill)
    assert 0 < at_kill[-1] < RUNS[trees]["games"], "a kill fell between the first and the last finished game"
    assert start(folder, trees).wait(60) == 0
    assert snapshot(folder) == snapshot(tmp_path / "alone")


def test_an_interrupt_keeps_the_games_in_progress(tmp_path: Path) -> None:
    stopped = interrupt(
        lambda folder: start(folder, "own"),
        lambda folder: games_in(folder) >= 2,
        tmp_path,
        lambda folder: games_in(folder) < RUNS["own"]["games"],
    )
    assert stopped.code == 0
    assert games_in(stopped.folder) >= 2
    files = snapshot(stopped.folder)
    assert len(files["drafts.json"]) > 1000
    assert "report.json" in files
    assert start(stopped.folder, "own").wait(60) == 0
    assert "drafts.json" not in snapshot(stopped.folder)
