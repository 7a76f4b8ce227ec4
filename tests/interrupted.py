"""Processes that are interrupted while they are at work, however late this busy machine interrupts them."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ATTEMPTS = 9


class Interrupted(NamedTuple):
    """A process that a signal stopped before its work was done."""

    folder: Path
    seen: Any
    """What was waited for."""
    code: int
    out: str
    err: str


def interrupt(
    start: Callable[[Path], "subprocess.Popen[str]"],
    ready: Callable[[Path], Any],
    folder: Path,
    unfinished: Callable[[Path], bool] | None = None,
    *,
    by: int = signal.SIGINT,
) -> Interrupted:
    """Start work in a folder of `folder`, and interrupt it when it is `ready`.

    Work that ends before the signal reaches it shows nothing: it is started anew, in another folder, until one is
    caught. Without `unfinished` the exit code tells: 0 is work that ended.
    """
    for attempt in range(ATTEMPTS):
        process = start(run := folder / f"run-{attempt}")
        while not (seen := ready(run)) and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(by)
        out, err = process.communicate(timeout=200)
        if unfinished(run) if unfinished else process.returncode:
            return Interrupted(run, seen, process.returncode, out, err)
    raise AssertionError(f"{ATTEMPTS} times the work ended before it could be interrupted")
