"""An analysis killed at any instant and started again ends as one that was never disturbed, whoever judges for it."""

import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from foible.analysis import answers_by_workers
from foible.analysis.quality.judging import AnalysisProgress
from foible.analysis.quality.quality_report import Options, analyse
from foible.analysis.workers import Workers
from foible.errors import ConfigError
from foible.judges.spec import parse_judge
from foible.scale import Executor
from foible.search.speed import Speed
from tests.analysis.quality.analyse_run import JUDGE
from tests.analysis.quality.runs import random_run, run_of
from tests.interfaces.cli.command import PROGRAM
from tests.interrupted import killed, worker_and_run_killed
from tests.scale.workers import assert_gone

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_run(tmp_path_factory.mktemp("run") / "run", games=16, max_plies=60)


@pytest.fixture(scope="module")
def alone(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the analysis that was never disturbed."""
    folder = tmp_path_factory.mktemp("alone")
    analyse(run, Options(judge=parse_judge(JUDGE), folder=folder))
    return folder


def start(run: Path, folder: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.analysis.quality.analyse_run", str(run), str(folder)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)


def parts_in(folder: Path) -> set[tuple[str, bytes]]:
    return {(part.name, part.read_bytes()) for part in folder.glob("*/verdicts/part-*.parquet")}


def files_in(folder: Path) -> dict[str, bytes]:
    [home] = (report.parent for report in folder.glob("*/report.html"))
    return {file.name: file.read_bytes() for file in home.iterdir() if file.suffix in {".csv", ".html", ".parquet"}}


def test_a_killed_analysis_ends_like_an_undisturbed_one(tmp_path: Path, run: Path, alone: Path) -> None:
    folder = killed(lambda folder: start(run, folder), parts_in, tmp_path, random.Random(5), kills=2)
    last = start(run, folder)
    _, err = last.communicate()
    assert last.returncode == 0, err
    assert files_in(folder) == files_in(alone)
    keys = pl.read_parquet(list(folder.glob("*/verdicts/part-*.parquet")))["key"]
    assert keys.is_unique().all(), "a position was judged twice"
    assert not list(folder.glob("**/.*")), "a draft was left behind"


def test_a_second_process_is_refused_and_spoils_nothing(tmp_path: Path, run: Path, alone: Path) -> None:
    refused: list[tuple[int, str]] = []

    def start_another(now: AnalysisProgress) -> None:
        if not refused:
            assert now.done < now.total
            second = start(run, tmp_path)
            _, err = second.communicate()
            refused.append((second.returncode, err))

    analyse(run, Options(judge=parse_judge(JUDGE), folder=tmp_path), start_another)
    [(code, err)] = refused
    assert code != 0
    assert "another process" in err
    assert files_in(tmp_path) == files_in(alone)


def test_others_judge_and_choose_with_the_same_bytes(
    processes: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers_by_workers, "MOST_POSITIONS", 20)
    run = run_of("tag_team", tmp_path / "run")
    written, seen, speeds = [], list[AnalysisProgress](), list[Speed | None]()
    for workers in (None, Workers(processes)):
        folder = tmp_path / f"{workers is None}"
        options = Options(judge=parse_judge("material@20"), folder=folder, induced=True, agreement=True)
        speeds.append(analyse(run, options, seen.append, workers=workers).speed)
        written.append(files_in(folder))
        assert not list(folder.rglob("parts"))
    here, there = written
    assert here == there
    assert len(here) > 6
    assert {now.done for now in seen if now.done == now.total} >= {seen[-1].total}
    by_one, by_two = (speed for speed in speeds if speed)
    assert by_one.plies == by_two.plies
    assert by_one.nets.keys() == by_two.nets.keys()
    assert 0 < by_one.evaluations <= by_two.evaluations  # two workers share fewer evaluations


def test_players_by_the_clock_are_asked_here_alone(processes: Executor, tmp_path: Path) -> None:
    run = run_of("standard", tmp_path / "run", games=2, seconds=0.01)
    options = Options(judge=parse_judge("material"), folder=tmp_path / "analysis", agreement=True)
    with pytest.raises(ConfigError, match=r"TREE.*its moves are timed"):
        analyse(run, options, workers=Workers(processes))


def start_elsewhere(run: Path, folder: Path) -> "subprocess.Popen[str]":
    words = ["analyse", str(run), "--judge", JUDGE, "--out", str(folder), "--json", "--on", "processes:2"]
    return subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_killed_workers_are_replaced_and_a_killed_run_goes_on(tmp_path: Path, run: Path, alone: Path) -> None:
    stopped = worker_and_run_killed(
        lambda folder: start_elsewhere(run, folder),
        lambda folder: list(folder.glob("*/verdicts/parts/*-*/part-*")),
        tmp_path,
        random.Random(6),
    )
    assert (stopped.code, "stopped" in stopped.err, "Traceback" in stopped.err) == (130, True, False), stopped.err
    folder = stopped.folder
    process = start_elsewhere(run, folder)
    _, err = process.communicate(timeout=200)
    assert process.returncode == 0, err
    assert_gone(stopped.seen)
    assert files_in(folder) == files_in(alone)
    assert not list(folder.rglob("parts"))
