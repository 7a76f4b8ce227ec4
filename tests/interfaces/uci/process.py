"""The engine as GUIs run it: a process behind two pipes."""

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence

COMMAND = [sys.executable, "-m", "foible.interfaces.uci"]
WITH_ARGUMENTS = [sys.executable, "-c", "from foible.interfaces.cli.uci import main; main()"]


class Process:
    """An engine process; what it says is read by a thread, so that no test can hang on a pipe."""

    def __init__(self, environment: dict[str, str] | None = None, arguments: Sequence[str] = ()) -> None:
        self.popen = subprocess.Popen(
            [*WITH_ARGUMENTS, *arguments] if arguments else COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.popen.stdout is not None
        for line in self.popen.stdout:
            self._lines.put(line.decode().rstrip("\r\n"))

    def write(self, data: bytes) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(data)
        self.popen.stdin.flush()

    def send(self, *lines: str) -> None:
        self.write("".join(line + "\n" for line in lines).encode())

    def until(self, wanted: str | Callable[[str], bool], seconds: float = 20) -> list[str]:
        """What was said up to the first line that starts with `wanted`, or for which it holds."""
        found = wanted if callable(wanted) else lambda line: line.startswith(wanted)
        heard, end = [], time.monotonic() + seconds
        while True:
            try:
                heard.append(self._lines.get(timeout=max(0.0, end - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f"no {wanted!r} in {seconds} s; heard {heard}") from None
            if found(heard[-1]):
                return heard

    def pending(self) -> list[str]:
        """What was said and not yet read."""
        heard = []
        while not self._lines.empty():
            heard.append(self._lines.get())
        return heard

    def close(self) -> tuple[int, str, list[str]]:
        """End the input: exit status, standard error, and what was said last."""
        assert self.popen.stdin is not None
        assert self.popen.stderr is not None
        assert self.popen.stdout is not None
        self.popen.stdin.close()
        try:
            status = self.popen.wait(20)
        finally:
            self.popen.kill()
        self._reader.join(5)
        error = self.popen.stderr.read().decode()
        self.popen.stderr.close()
        self.popen.stdout.close()
        return status, error, self.pending()
