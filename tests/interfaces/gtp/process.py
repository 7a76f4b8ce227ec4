"""The engine as controllers run it: a process behind two pipes."""

import subprocess
import sys
import time
from collections.abc import Sequence

from tests.interfaces.piped import PipedProcess

COMMAND = [
    sys.executable,
    "-c",
    "import sys; from foible.interfaces.cli import run; sys.exit(run(['gtp', *sys.argv[1:]]))",
]
"""`foible gtp`, before its options."""


class Process(PipedProcess):
    """An engine process and its answers."""

    def __init__(self, *arguments: str, command: Sequence[str] = (*COMMAND, "--visits", "20")) -> None:
        super().__init__([*command, *arguments], {"OMP_NUM_THREADS": "1"})

    def line(self, seconds: float = 100) -> str:
        """The next line, without its end."""
        return self.lines.get(timeout=seconds)

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
        return self.lines.empty()

    def close(self) -> tuple[int, str]:
        """End the input: exit status and standard error."""
        return self.end(100)


def ran(words: Sequence[str], data: bytes, seconds: float = 100) -> subprocess.CompletedProcess[bytes]:
    """`foible gtp` with all of its input at once."""
    return subprocess.run([*COMMAND, *words], input=data, capture_output=True, timeout=seconds, check=False)
