"""An analysis killed at any instant and started again ends as one that was never disturbed, and repeats nothing."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from tests.analysis.quality.runs import random_run

ROOT = Path(__file__).resolve().parents[3]
KILLS = 5


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_run(tmp_path_factory.mktemp("run") / "run", games=16, max_plies=60)


def start(run: Path, folder: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.analysis.quality.analyse_run", str(run), str(folder)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def finish(process: "subprocess.Popen[bytes]") -> int:
    code = process.wait(60)
    assert process.stdout is not None
    process.stdout.close()
    return code


def wait_ready(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"


def parts_in(folder: Path) -> dict[str, bytes]:
    return {part.name: part.read_bytes() for part in folder.glob("*/scores/part-*.parquet")}


def files_in(folder: Path) -> dict[str, bytes]:
    [home] = (report.parent for report in folder.glob("*/report.html"))
    return {file.name: file.read_bytes() for file in home.iterdir() if file.suffix in {".csv", ".html", ".parquet"}}


def test_a_killed_analysis_ends_like_an_undisturbed_one(tmp_path: Path, run: Path) -> None:
    assert finish(start(run, tmp_path / "alone")) == 0
    rng, before, folder = random.Random(5), dict[str, bytes](), tmp_path / "killed"
    for kill in range(KILLS):
        process = start(run, folder)
        wait_ready(process)
        while kill % 2 == 0 and len(parts_in(folder)) == len(before) and process.poll() is None:
            time.sleep(0.01)  # however slow the machine is, some kills come after a part
        time.sleep(rng.uniform(0, 0.25))
        process.kill()
        assert finish(process) == -signal.SIGKILL, "the analysis ended before it could be killed"
        now = parts_in(folder)
        assert now.items() >= before.items(), "a finished part was lost or written anew"
        before = now
    assert len(before) > KILLS / 2
    assert finish(start(run, folder)) == 0
    assert files_in(folder) == files_in(tmp_path / "alone")
    keys = pl.read_parquet(list(folder.glob("*/scores/part-*.parquet")))["key"]
    assert keys.is_unique().all(), "a position was judged twice"
    assert not list(folder.glob("**/.*")), "a draft was left behind"


def test_a_second_process_is_refused_and_spoils_nothing(tmp_path: Path, run: Path) -> None:
    first = start(run, tmp_path)
    wait_ready(first)
    second = subprocess.run(
        [sys.executable, "-m", "tests.analysis.quality.analyse_run", str(run), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode != 0
    assert "another process" in second.stderr
    assert finish(first) == 0
    assert files_in(tmp_path)
