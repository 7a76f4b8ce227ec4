"""A run killed at any instant and run again ends as one that was never disturbed."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interrupted import finished_games, interrupt, killed
from tests.selfplay.play_run import RUNS, main
from tests.selfplay.runs import snapshot

ROOT = Path(__file__).resolve().parents[2]


def start(folder: Path, trees: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.selfplay.play_run", str(folder), trees]
    return subprocess.Popen(command, cwd=ROOT, text=True)


def games_in(folder: Path) -> int:
    return finished_games(folder / "games.pgn")


@pytest.mark.parametrize("trees", RUNS)
def test_a_run_killed_at_random_points_ends_like_an_undisturbed_one(tmp_path: Path, trees: str) -> None:
    main(str(tmp_path / "alone"), trees)
    folder = killed(lambda folder: start(folder, trees), games_in, tmp_path, random.Random(trees), kills=2)
    assert start(folder, trees).wait() == 0
    assert snapshot(folder) == snapshot(tmp_path / "alone")


def test_an_interrupt_keeps_the_games_in_progress(tmp_path: Path) -> None:
    stopped = interrupt(
        lambda folder: start(folder, "own"),
        lambda folder: games_in(folder) >= 2,
        tmp_path,
        # Between two batches of the controller no game has moves, and at the end there is none.
        lambda folder: len(snapshot(folder).get("drafts.json", b"")) > 1000,
    )
    assert stopped.code == 0
    assert games_in(stopped.folder) >= 2
    assert "report.json" in snapshot(stopped.folder)
    assert start(stopped.folder, "own").wait() == 0
    assert "drafts.json" not in snapshot(stopped.folder)
