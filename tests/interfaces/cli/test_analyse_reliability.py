"""`foible analyse` with an engine as the judge, which dies: nothing that was judged is lost."""

import io
import shlex
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tests.analysis.quality.runs import random_run
from tests.engines.fake import Fake, assert_gone
from tests.interfaces.cli.command import Command


def parts_in(run: Path) -> dict[str, bytes]:
    return {part.name: part.read_bytes() for part in run.glob("analysis/*/verdicts/part-*.parquet")}


def program(folder: Path, command: list[str], dying: Sequence[str] = ()) -> Path:
    """An engine; beside a file `dies` it is another one, which does not start again."""
    path, dies, broken = folder / "engine", folder / "dies", folder / "broken"
    path.write_text(f"""#!/bin/sh
[ -e '{broken}' ] && exit 3
[ -e '{dies}' ] && touch '{broken}' && exec {shlex.join(dying)}
exec {shlex.join(command)}
""")
    path.chmod(0o755)
    return path


def test_a_judge_that_dies_stops_the_analysis_and_the_same_command_goes_on(tmp_path: Path, foible: Command) -> None:
    run, fake = random_run(tmp_path / "run", games=8, max_plies=40), Fake(tmp_path)
    engine = program(tmp_path, fake.command(), dying=fake.command("killed", after=100))
    words = ("analyse", run, "--judge", f"uci:{engine}:depth=1")
    (tmp_path / "dies").touch()
    ran = foible(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "Fake 1.0 at depth 1" in ran.err
    assert "asked twice" in ran.err
    before, asked = parts_in(run), len(fake.told("go"))
    assert before

    for file in ("dies", "broken"):
        (tmp_path / file).unlink()
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
