"""Units are played, each once, wherever that is; what goes wrong with them is told."""

import importlib.util
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from foible.errors import ConfigError, WorkerError
from foible.scale import Executor, Kept, Processes, Ray, Unit, open_executor
from tests.interfaces.cli.command import run_process
from tests.scale.work import unit

needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")


@pytest.fixture(scope="module", params=["processes", pytest.param("ray", marks=needs_ray)])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    if request.param == "processes":
        with Processes(2) as processes:
            yield processes
        return
    import ray  # noqa: PLC0415

    ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    with Ray() as cluster:
        yield cluster
    assert ray.is_initialized(), "it left a cluster that was not its own"
    ray.shutdown()


def names(executor: Executor, units: list[Unit]) -> list[str]:
    return sorted(one.name for ended in executor.run(units) for one in ended)


def noted(folder: Path) -> tuple[str, str]:
    text, process = (folder / "noted").read_text().rsplit(" ", 1)
    return text, process


def wait_for(path: Path) -> None:
    while not path.exists():
        time.sleep(0.01)


def assert_gone(process: int) -> None:
    """That a process, which is not our child, ends in a moment."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError(f"{process} is still there")


def test_every_unit_is_played_once_by_workers_that_stay(executor: Executor, tmp_path: Path) -> None:
    assert executor.workers == 2
    processes = set()
    for run in ("first", "second"):
        units = [unit(tmp_path / f"{run}{n}", "note", f"{run} ♞ {n}") for n in range(6)]
        assert names(executor, units) == [one.name for one in units]
        found = [noted(one.folder) for one in units]
        assert [text for text, _ in found] == [f"{run} ♞ {n}" for n in range(6)]
        processes |= {process for _, process in found}
    assert str(os.getpid()) not in processes
    assert len(processes) <= 2
    assert names(executor, []) == []


def test_a_unit_whose_worker_is_killed_is_begun_again(executor: Executor, tmp_path: Path) -> None:
    units = [unit(tmp_path / "killed", "die", 2), unit(tmp_path / "beside", "note", "x")]
    assert names(executor, units) == ["beside", "killed"]
    assert (tmp_path / "killed" / "lives").read_text() == "xxx"
    with pytest.raises(WorkerError, match=r"^hopeless: .+$"):
        names(executor, [unit(tmp_path / "hopeless", "die", 9)])
    assert (tmp_path / "hopeless" / "lives").read_text() == "xxx"


def test_what_is_wrong_with_a_unit_ends_the_run_in_one_line(executor: Executor, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=rf"^{tmp_path}/config: no match$"):
        names(executor, [unit(tmp_path / "config", "wrong", "config")])
    with pytest.raises(FileNotFoundError) as found:
        names(executor, [unit(tmp_path / "disk", "wrong", "disk")])
    assert found.value.filename == f"{tmp_path}/disk/missing/file"
    with pytest.raises(OSError, match=rf"^{tmp_path}/folder is a folder; expected a file$"):
        names(executor, [unit(tmp_path / "folder", "wrong", "folder")])
    with pytest.raises(WorkerError, match=r"^bug: LookupError: of nobody's making$"):
        names(executor, [unit(tmp_path / "bug", "wrong", "bug")])


def test_a_run_that_is_closed_leaves_nobody_playing(executor: Executor, tmp_path: Path) -> None:
    staying = [unit(tmp_path / name, "stay") for name in ("a", "b")]
    later = unit(tmp_path / "c", "note", "too early")
    with closing(executor.run([*staying, later])) as news:
        for ended in news:
            assert not ended
            if all((one.folder / "begun").exists() for one in staying):
                break
    assert all((one.folder / "left").exists() for one in staying)
    assert not (later.folder / "noted").exists()
    assert names(executor, [unit(tmp_path / "d", "note", "afterwards")]) == ["d"]


def test_a_worker_that_is_stopped_alone_ends_quietly(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with Processes(1) as executor:
        assert names(executor, [unit(tmp_path / "one", "give_up")]) == ["one"]
    assert capfd.readouterr().err == ""


def test_an_interrupt_that_a_callback_swallows_is_repeated(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    one = unit(tmp_path / "one", "stay_in_callback")
    with Processes(1) as executor, closing(executor.run([one])) as news:
        while not (one.folder / "called").exists():
            next(news)
    assert (one.folder / "left").exists()
    assert capfd.readouterr().err == ""


def test_a_worker_that_hangs_is_waited_for_and_replaced_when_it_is_killed(tmp_path: Path) -> None:
    hanging, beside = unit(tmp_path / "hanging", "hang"), unit(tmp_path / "beside", "note", "x")
    ended = list[str]()
    with Processes(2) as executor:
        for news in executor.run([hanging, beside]):
            ended += [one.name for one in news]
            hung = hanging.folder / "hung"
            if ended == ["beside"] and hung.exists():
                with suppress(ProcessLookupError):  # it was killed at the last news, and its successor is not done yet
                    os.kill(int(hung.read_text()), signal.SIGKILL)
    assert ended == ["beside", "hanging"]
    assert (hanging.folder / "ended").exists()


def test_a_worker_that_dies_while_it_answers_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dying = tmp_path / "worker"
    dying.write_text("""#!/bin/sh\nread order; printf '{"kind":"Config'; exit 3\n""")
    dying.chmod(0o755)
    monkeypatch.setattr("foible.scale.processes.sys.executable", str(dying))
    with (
        Processes(1) as executor,
        pytest.raises(WorkerError, match=r"^u: 3 workers were lost over it, the last with exit code 3$"),
    ):
        names(executor, [unit(tmp_path / "u", "note", "x")])


def test_a_worker_that_hangs_does_not_keep_a_run_from_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foible.scale.processes.GRACE", 0.2)
    hanging = unit(tmp_path / "hanging", "hang")
    with Processes(1) as executor, closing(executor.run([hanging])) as news:
        for _ in news:
            if (hanging.folder / "hung").exists():
                break
    assert_gone(int((hanging.folder / "hung").read_text()))
    assert not (hanging.folder / "ended").exists()


def test_processes_end_with_whoever_started_them(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from foible.scale import Processes
from tests.scale.work import unit
for _ in Processes(1).run([unit(Path({str(tmp_path / "x")!r}), "stay")]): pass
"""
    driver = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2])
    wait_for(tmp_path / "x" / "begun")
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    assert_gone(int((tmp_path / "x" / "begun").read_text()))
    assert (tmp_path / "x" / "left").exists()


SLOW_START = """
import threading, time
from foible.scale.worker import main
start = threading.Thread.start
threading.Thread.start = lambda thread: (start(thread), time.sleep(0.3))
main()
"""


def test_a_worker_that_is_dismissed_while_it_starts_ends_in_silence() -> None:
    ran = subprocess.run([sys.executable, "-c", SLOW_START], input=b"", capture_output=True, timeout=300, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "where", ["", "x", "processes", "processes:", "processes:0", "processes:-1", "processes:2x", "ray:"]
)
def test_another_place_is_refused(where: str) -> None:
    with pytest.raises(ConfigError, match="expected inline, processes:N"), open_executor(where):
        pass


def test_inline_is_nobody_else() -> None:
    with open_executor("inline") as nobody:
        assert nobody is None
    with open_executor("processes:3") as executor:
        assert executor is not None
        assert executor.workers == 3
    with pytest.raises(ConfigError, match="at least one, not 0"):
        Processes(0)


@needs_ray
def test_a_cluster_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    ran = run_process("match", "--preset", "demo", "--out", tmp_path / "run", "--on", "ray:127.0.0.1:1")
    assert ran.code == 2
    told = re.compile(r"foible: Ray: no cluster at 127\.0\.0\.1:1( with our token \(~/\.ray/auth_token\))?: .+")
    assert told.fullmatch(ran.err.splitlines()[-1])
    assert not (tmp_path / "run").exists()


def test_what_a_worker_opens_is_kept_until_it_opens_another_thing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []

    @Kept
    def opening(plain: object) -> int:
        opened.append(plain)
        return len(opened)

    assert [opening({"net": "a"}), opening({"net": "a"}), opening({"net": "b"}), opening({"net": "a"})] == [1, 1, 2, 3]
    monkeypatch.chdir(tmp_path)  # names of files mean others there
    assert [opening({"net": "a"}), opening({"net": "a"})] == [4, 4]
    opening.forget()
    assert opening({"net": "a"}) == 5
