"""Plays units in processes of this machine: a fixed number of workers, each of which plays one unit after the other."""

import os
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Final

import msgspec

from foible.errors import ConfigError, WorkerError
from foible.runs.files import Closing
from foible.scale.gpus import gpus_of_worker
from foible.scale.units import BETWEEN_NEWS, GRACE, TRIES, Failure, Unit

ANSWER: Final[msgspec.json.Decoder[Failure | None]] = msgspec.json.Decoder(Failure | None)


class Processes(Closing):
    """An `Executor` whose workers are processes. One that crashes or is killed is replaced; a hung one is awaited."""

    def __init__(self, workers: int) -> None:
        """Prepare workers; their processes are started when they are first needed.

        :raises ConfigError: fewer than one worker.
        """
        if workers < 1:
            raise ConfigError(f"processes: expected at least one, not {workers}")
        self.workers = workers
        self._kept: list[_Worker] = []

    def run(self, units: Sequence[Unit]) -> Generator[list[Unit], None, None]:
        """As `Executor.run`."""
        self._kept = self._kept or [_Worker(gpus_of_worker(n, self.workers)) for n in range(self.workers)]
        free = SimpleQueue[_Worker]()
        for worker in self._kept:
            free.put(worker)

        def play(unit: Unit) -> None:
            worker = free.get()
            try:
                worker.play(unit)
            finally:
                free.put(worker)

        with ThreadPoolExecutor(self.workers) as threads:
            going = {threads.submit(play, unit): unit for unit in units}
            try:
                while going:
                    ended, _ = wait(going, BETWEEN_NEWS, FIRST_COMPLETED)
                    for one in ended:
                        one.result()
                    yield [going.pop(one) for one in ended]
            finally:
                if going:
                    threads.shutdown(wait=False, cancel_futures=True)
                    self.close()

    def close(self) -> None:
        """End the workers, and interrupt what they play; one that takes longer than `GRACE` to end is killed."""
        workers, self._kept = self._kept, []
        for worker in workers:
            worker.dismiss()
        for worker in workers:
            worker.wait()


class _LostError(Exception):
    """A process has ended in the middle of a unit."""


class _Worker:
    """A process that plays units, or the process that replaces it after a crash.

    Each unit is sent to it as a line of JSON; it answers with a line when the unit has ended.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        """`environment`: the variables that its process has in addition to those of this one."""
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._changing = threading.Lock()
        self._dismissed = False

    def play(self, unit: Unit) -> None:
        """Return when the unit has ended, or when the worker is dismissed. Errors as `Executor.run`."""
        how = ""
        for _ in range(TRIES):
            try:
                failure = self._ask(unit)
            except _LostError as error:
                how = str(error)
                continue
            if failure is not None:
                raise failure.raised(unit.name)
            return
        if not self._dismissed:
            raise WorkerError(f"{unit.name}: {TRIES} workers were lost over it, the last {how}")

    def _ask(self, unit: Unit) -> Failure | None:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(msgspec.json.encode(unit.order) + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except (OSError, ValueError):  # either end of the pipe is closed
            answer = b""
        if not answer.endswith(b"\n"):  # none, or one that it could not write to its end
            with self._changing:
                self._process = None
            raise _LostError(f"with exit code {_end(process)}")
        return ANSWER.decode(answer)

    def _started(self) -> subprocess.Popen[bytes]:
        with self._changing:
            if self._dismissed:
                raise _LostError
            if self._process is None:
                script = f"import sys; sys.path[:] = {sys.path!r}; from foible.scale.worker import main; main()"
                self._process = subprocess.Popen(
                    [sys.executable, "-c", script],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env={**os.environ, **self._environment},
                    start_new_session=True,  # Ctrl-C reaches only this process, which dismisses the worker
                )
            return self._process

    def dismiss(self) -> None:
        """Ask the process to end, and start no other in its place."""
        with self._changing:
            self._dismissed = True
            if self._process is not None:
                _close(self._process.stdin)

    def wait(self) -> None:
        """Wait until the process has ended; kill it where it does not end by itself."""
        with self._changing:
            process, self._process = self._process, None
        if process is not None:
            _end(process)


def _end(process: "subprocess.Popen[bytes]") -> int:
    """Wait for a process to end, kill it after `GRACE` seconds, and return its exit code."""
    try:
        code = process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    _close(process.stdin)
    _close(process.stdout)
    return code


def _close(pipe: IO[bytes] | None) -> None:
    """Close a pipe. What could not be written to it is discarded: the process at its other end is gone."""
    if pipe is not None:
        with suppress(OSError):
            pipe.close()
