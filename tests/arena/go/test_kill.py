"""A run killed at any instant and run again ends as one that was never disturbed."""

import json
import multiprocessing
import random
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from foible.arena.go.record import GoRecord
from foible.arena.go.store import GoStore
from foible.runs.journal import read_journal
from tests.arena.go.play_run import main

GAMES = 10
KILLS = 3


def finished(folder: Path) -> dict[tuple[str, str, int], GoRecord]:
    games = read_journal(folder / "games.jsonl", GoRecord)
    found = {GoStore.identity(game): game for game in games}
    assert len(found) == len(games)
    return found


def kill_after(folder: Path, wanted: int, seconds: float) -> None:
    """Runs until so many games are finished, and so much longer, unless it waits to report."""
    context = multiprocessing.get_context("forkserver")  # imports once for all
    context.set_forkserver_preload(["tests.arena.go.play_run"])
    ours, theirs = context.Pipe()
    told: Connection[None, int] = ours
    process = context.Process(target=main, args=(folder, GAMES, theirs))
    process.start()
    theirs.close()
    try:
        while told.recv() < wanted:
            told.send(None)
        told.send(None)
        time.sleep(seconds)
    except EOFError:
        pytest.fail("the run ended before it could be killed")
    finally:
        process.kill()
        process.join()
        told.close()
    assert process.exitcode == -signal.SIGKILL


def test_a_run_killed_at_random_points_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    main(tmp_path / "alone", GAMES)
    expected, folder, dice = finished(tmp_path / "alone"), tmp_path / "run", random.Random(2)
    assert len(expected) == 2 * GAMES
    before = 0
    for _ in range(KILLS):
        kill_after(folder, before + dice.randrange(1, 4), dice.uniform(0, 0.004))
        kept = finished(folder)
        assert before < len(kept) < 2 * GAMES
        assert kept.items() <= expected.items()
        before = len(kept)
    main(folder, GAMES)
    assert finished(folder) == expected
    assert (folder / "config.toml").read_bytes() == (tmp_path / "alone/config.toml").read_bytes()
    reports = [json.loads((run / "report.json").read_text()) for run in (folder, tmp_path / "alone")]
    for cell in (cell for report in reports for cell in report["cells"]):
        assert cell.pop("speed")["plies"] > 0
    assert reports[0] == reports[1]
    sgf = {path.relative_to(tmp_path / "alone") for path in (tmp_path / "alone" / "sgf").rglob("*.sgf")}
    assert len(sgf) == 2 * GAMES
    assert all((folder / path).read_bytes() == (tmp_path / "alone" / path).read_bytes() for path in sgf)
