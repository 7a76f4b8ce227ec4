"""`foible analyse` with an engine as the judge, which dies: nothing that was judged is lost."""

import io
import subprocess
import time
from pathlib import Path

import polars as pl

from tests.analysis.quality.runs import random_run
from tests.engines.fake import Fake, assert_gone
from tests.interfaces.cli.command import PROGRAM, Command


def parts_in(run: Path) -> dict[str, bytes]:
    return {part.name: part.read_bytes() for part in run.glob("analysis/*/verdicts/part-*.parquet")}


def program(folder: Path, command: list[str]) -> Path:
    """An engine that does not start while there is a file `broken` beside it."""
    path = folder / "engine"
    path.write_text(
        f"#!/bin/sh\n[ -e '{folder}/broken' ] && exit 3\nexec " + " ".join(f"'{w}'" for w in command) + "\n"
    )
    path.chmod(0o755)
    return path


def test_a_judge_that_dies_stops_the_analysis_and_the_same_command_goes_on(tmp_path: Path, foible: Command) -> None:
    run, fake = random_run(tmp_path / "run", games=8, max_plies=40), Fake(tmp_path)
    words = ("analyse", str(run), "--judge", f"uci:{program(tmp_path, fake.command())}:depth=1")
    process = subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not parts_in(run):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    (tmp_path / "broken").touch()
    fake.kill()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert "Fake 1.0 at depth 1" in err
    assert "asked twice" in err
    assert "Traceback" not in err
    before, asked = parts_in(run), len(fake.told("go"))
    assert before

    (tmp_path / "broken").unlink()
    assert foible(*words).code == 0
    assert parts_in(run).items() > before.items()
    keys = pl.read_parquet(list(run.glob("analysis/*/verdicts/part-*.parquet")))["key"]
    assert keys.is_unique().all()
    judged_before = sum(len(pl.read_parquet(part)) for part in map(io.BytesIO, before.values()))
    assert len(fake.told("go")) - asked == len(keys) - judged_before
    assert_gone([pid for pid, _ in fake.lines()])


def test_an_engine_that_fails_now_and_then_is_asked_again(tmp_path: Path, foible: Command) -> None:
    run, fake = random_run(tmp_path / "run", games=2, max_plies=40), Fake(tmp_path)
    engine = program(tmp_path, fake.command("killed", after=25))
    assert foible("analyse", run, "--judge", f"uci:{engine}:depth=1").code == 0
    assert len(fake.told("started")) > 2
    keys = pl.read_parquet(list(run.glob("analysis/*/verdicts/part-*.parquet")))["key"]
    assert len(fake.told("go")) == len(keys) + len(fake.told("started")) - 1
    assert_gone([pid for pid, _ in fake.lines()])
