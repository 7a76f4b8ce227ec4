"""The engine as controllers run it: a process behind two pipes."""

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

COMMAND = [
    sys.executable,
    "-c",
    "import sys; from foible.interfaces.cli import run; sys.exit(run(['gtp', *sys.argv[1:]]))",
]
"""`foible gtp`, before its options."""


class Process:
    """An engine process; what it says is read by a thread, so that no test can hang on a pipe."""

    def __init__(self, *arguments: str, command: Sequence[str] = (*COMMAND, "--visits", "20")) -> None:
        self.popen = subprocess.Popen(
            [*command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.popen.stdout is not None
        for line in self.popen.stdout:
            self._lines.put(line.decode().rstrip("\n"))

    def write(self, data: bytes) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(data)
        self.popen.stdin.flush()

    def line(self, seconds: float = 100) -> str:
        """The next line, without its end."""
        return self._lines.get(timeout=seconds)

    def answer(self, command: str) -> list[str]:
        """The lines of the next answer, after a command is sent."""
        self.write(f"{command}\n".encode())
        return self.rest()

    def rest(self) -> list[str]:
        """Lines up to the next empty one."""
        lines = []
        while line := self.line():
            lines.append(line)
        return lines

    def quiet(self, seconds: float) -> bool:
        """Whether nothing is said for a while."""
        time.sleep(seconds)
        return self._lines.empty()

    def close(self) -> tuple[int, str]:
        """End the input: exit status and standard error."""
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        assert self.popen.stderr is not None
        self.popen.stdin.close()
        try:
            status = self.popen.wait(100)
        finally:
            self.popen.kill()
        self._reader.join(5)
        error = self.popen.stderr.read().decode()
        self.popen.stderr.close()
        self.popen.stdout.close()
        return status, error


def ran(words: Sequence[str], data: bytes, seconds: float = 100) -> subprocess.CompletedProcess[bytes]:
    """`foible gtp` with all of its input at once."""
    return subprocess.run([*COMMAND, *words], input=data, capture_output=True, timeout=seconds, check=False)
