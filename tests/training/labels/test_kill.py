"""A labelling that is killed at any instant and begun again ends as one that was never disturbed."""

import random
import subprocess
import sys
import time
from pathlib import Path

from tests.training.data.pgn_games import write_games
from tests.training.labels.made_up import Noting, config, labelled

ROOT = Path(__file__).resolve().parents[3]


def start(pgn: Path, folder: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.training.labels.label_run", str(pgn), str(folder)]
    return subprocess.Popen(command, cwd=ROOT)


def shards(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("*/[!.]*.parquet")}


def test_no_position_is_lost_or_labelled_twice(tmp_path: Path) -> None:
    pgn, folder, chance = tmp_path / "games.pgn", tmp_path / "killed", random.Random(3)
    write_games(pgn, 60, seed=8)
    labelled(config(pgn), tmp_path / "alone", Noting(chunk=15))
    expected = shards(tmp_path / "alone")
    counts = [0]
    for _ in range(3):
        process = start(pgn, folder)
        while len(shards(folder)) == counts[-1] and process.poll() is None:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.1))
        process.kill()
        process.wait()
        counts.append(len(shards(folder)))
    assert counts == sorted(set(counts)) or counts[-1] == len(expected)
    assert start(pgn, folder).wait() == 0
    assert shards(folder) == expected
