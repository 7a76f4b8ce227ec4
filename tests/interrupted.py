"""Processes that are interrupted or killed while they are at work, however late this busy machine does it.

Work that ends before the signal reaches it shows nothing: it is begun anew, in another folder, until it is caught.
"""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from foible.arena.match import complete_pairs
from foible.arena.open_match import OnProgress
from foible.arena.pgn import finished_bytes
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from tests.scale.workers import children

ATTEMPTS = 9


class Interrupted(NamedTuple):
    """A process that a signal stopped before its work was done."""

    folder: Path
    seen: Any
    """What was waited for."""
    code: int
    out: str
    err: str


def finished_games(path: Path) -> int:
    """How many games are whole in a file that is being written, or is not there."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return 0
    return data[: finished_bytes(data)].count(b"[Event ")


def caught(attempt: Callable[[Path], bool], folder: Path) -> Path:
    """The first of some folders of `folder` in which an attempt came before the end of the work: it says whether."""
    folder.mkdir(exist_ok=True)
    for number in range(ATTEMPTS):
        if attempt(run := folder / f"run-{number}"):
            return run
    raise AssertionError(f"{ATTEMPTS} times the work ended before it could be interrupted")


def interrupt(
    start: Callable[[Path], "subprocess.Popen[str]"],
    ready: Callable[[Path], Any],
    folder: Path,
    unfinished: Callable[[Path], bool] | None = None,
    *,
    by: int = signal.SIGINT,
) -> Interrupted:
    """Start work in a folder of `folder`, and interrupt it when it is `ready`.

    Without `unfinished` the exit code tells: 0 is work that ended.
    """
    found: list[Interrupted] = []

    def attempt(run: Path) -> bool:
        process = start(run)
        while not (seen := ready(run)) and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(by)
        out, err = process.communicate(timeout=600)
        found.append(Interrupted(run, seen, process.returncode, out, err))
        return unfinished(run) if unfinished else process.returncode != 0

    caught(attempt, folder)
    return found[-1]


def killed(
    start: Callable[[Path], "subprocess.Popen[Any]"],
    done: Callable[[Path], Any],
    folder: Path,
    dice: random.Random,
    *,
    kills: int = 3,
    late: float = 0.1,
) -> Path:
    """Start work in a folder of `folder` and kill it, once while it begins and then so many times; the folder.

    :param done: how much is finished and kept, a number or a set: but for the first time there is more of it than
        before when the process is killed, and nothing of it is lost.
    :param late: the most seconds after that.
    """

    def killed_at_work(run: Path, kill: int) -> bool:
        before, process = done(run), start(run)
        while kill and done(run) == before and process.poll() is None:
            time.sleep(0.002)
        time.sleep(dice.uniform(0, late if kill else 0.5))
        process.kill()
        process.communicate()
        assert before <= done(run), "something that was finished is lost"
        return process.returncode == -signal.SIGKILL

    return caught(lambda run: all(killed_at_work(run, kill) for kill in range(kills + 1)), folder)


def worker_and_run_killed(
    start: Callable[[Path], "subprocess.Popen[str]"],
    begun: Callable[[Path], Any],
    folder: Path,
    dice: random.Random,
) -> Interrupted:
    """Start a run in a folder of `folder`, kill one of its workers and interrupt it; go on with it and kill it.

    Returns how it was interrupted; `seen` are all workers that it had.
    """
    stops: list[Interrupted] = []

    def attempt(run: Path) -> bool:
        stops.clear()
        workers: list[int] = []
        for by in (signal.SIGINT, signal.SIGKILL):
            process = start(run)
            while not begun(run) and process.poll() is None:
                time.sleep(0.005)
            time.sleep(dice.uniform(0, 0.3))
            found = children(process.pid)
            workers += found
            if by == signal.SIGINT and found:
                with suppress(ProcessLookupError):
                    os.kill(found[0], signal.SIGKILL)
                time.sleep(0.2)
            process.send_signal(by)
            out, err = process.communicate(timeout=600)
            stops.append(Interrupted(run, workers, process.returncode, out, err))
            if process.returncode == 0:
                return False
        return True

    caught(attempt, folder)
    return stops[0]


def after_a_pair(tell: OnProgress = lambda now: None) -> OnProgress:
    """Where a match tells its progress: in `tell`, and once its first pair is finished this process is interrupted."""
    sent: list[bool] = []

    def told(now: MatchProgress[GameRecord]) -> None:
        tell(now)
        if not sent and complete_pairs(now.finished):
            sent.append(True)
            os.kill(os.getpid(), signal.SIGINT)

    return told
