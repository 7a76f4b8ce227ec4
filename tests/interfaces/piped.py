"""An engine as programs run it: a process behind two pipes."""

import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence


class PipedProcess:
    """An engine process; what it says is read by a thread, so that no test can hang on a pipe."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        self.lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.popen.stdout is not None
        for line in self.popen.stdout:
            self.lines.put(line.decode().rstrip("\r\n"))

    def write(self, data: bytes) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(data)
        self.popen.stdin.flush()

    def end(self, seconds: float) -> tuple[int, str]:
        """End the input: exit status and standard error."""
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        assert self.popen.stderr is not None
        self.popen.stdin.close()
        try:
            status = self.popen.wait(seconds)
        finally:
            self.popen.kill()
        self._reader.join(5)
        error = self.popen.stderr.read().decode()
        self.popen.stderr.close()
        self.popen.stdout.close()
        return status, error
