"""A run killed at any instant and run again ends as one that was never disturbed."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from foible.arena.go.record import GoRecord
from tests.arena.go.play_run import main

ROOT = Path(__file__).resolve().parents[3]
GAMES = 10
KILLS = 3


def start(folder: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.arena.go.play_run", str(folder), str(GAMES)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def finished(folder: Path) -> dict[tuple[str, str, int], GoRecord]:
    lines = (folder / "games.jsonl").read_bytes().splitlines(keepends=True)
    games = [msgspec.json.decode(line, type=GoRecord) for line in lines if line.endswith(b"\n")]
    assert len({game.key for game in games}) == len(games)
    return {game.key: game for game in games}


def test_a_run_killed_at_random_points_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    main(str(tmp_path / "alone"), GAMES)
    expected, folder, dice = finished(tmp_path / "alone"), tmp_path / "run", random.Random(2)
    assert len(expected) == 2 * GAMES
    before = 0
    for _ in range(KILLS):
        process = start(folder)
        assert process.stdout is not None
        wanted = before + dice.randrange(1, 4)
        while int(process.stdout.readline()) < wanted:
            pass
        time.sleep(dice.uniform(0, 0.004))
        process.kill()
        process.stdout.close()
        assert process.wait(60) == -signal.SIGKILL, "the run ended before it could be killed"
        kept = finished(folder)
        assert before < len(kept) < 2 * GAMES
        assert kept.items() <= expected.items()
        before = len(kept)
    main(str(folder), GAMES)
    assert finished(folder) == expected
    for name in ("config.toml", "report.json"):
        assert (folder / name).read_bytes() == (tmp_path / "alone" / name).read_bytes(), name
    sgf = {path.relative_to(tmp_path / "alone") for path in (tmp_path / "alone" / "sgf").rglob("*.sgf")}
    assert len(sgf) == 2 * GAMES
    assert all((folder / path).read_bytes() == (tmp_path / "alone" / path).read_bytes() for path in sgf)
