"""The engine as GUIs run it: a process behind two pipes."""

import queue
import sys
import time
from collections.abc import Callable, Sequence

from tests.interfaces.piped import PipedProcess

COMMAND = [sys.executable, "-m", "foible.interfaces.uci"]
WITH_ARGUMENTS = [sys.executable, "-c", "from foible.interfaces.uci.program import main; main()"]


class Process(PipedProcess):
    """An engine process and what it says."""

    def __init__(self, environment: dict[str, str] | None = None, arguments: Sequence[str] = ()) -> None:
        super().__init__([*WITH_ARGUMENTS, *arguments] if arguments else COMMAND, environment or {})

    def send(self, *lines: str) -> None:
        self.write("".join(line + "\n" for line in lines).encode())

    def until(self, wanted: str | Callable[[str], bool], seconds: float = 300) -> list[str]:
        """What was said up to the first line that starts with `wanted`, or for which it holds."""
        found = wanted if callable(wanted) else lambda line: line.startswith(wanted)
        heard, end = [], time.monotonic() + seconds
        while True:
            try:
                heard.append(self.lines.get(timeout=max(0.0, end - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f"no {wanted!r} in {seconds} s; heard {heard}") from None
            if found(heard[-1]):
                return heard

    def pending(self) -> list[str]:
        """What was said and not yet read."""
        heard = []
        while not self.lines.empty():
            heard.append(self.lines.get())
        return heard

    def close(self) -> tuple[int, str, list[str]]:
        """End the input: exit status, standard error, and what was said last."""
        return *self.end(300), self.pending()
