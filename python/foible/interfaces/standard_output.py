"""Standard output of an engine that other programs start, and errors as text for one line of it.

Little is imported here: `foible-uci` answers `uci` before it imports anything that takes long.
"""

import os
import sys
import threading
from typing import Final

from foible.errors import FoibleError

_SHOWN: Final = 300
"""The most characters of an error's text."""


class StandardOutput:
    """Standard output, from several threads, until the program that reads it has gone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.closed = False
        """Whether that program has gone."""

    def send(self, text: str) -> None:
        """Write a text, at once. What UTF-8 cannot express becomes a question mark."""
        with self._lock:
            if self.closed:
                return
            try:
                sys.stdout.buffer.write(text.encode("utf-8", "replace"))
                sys.stdout.buffer.flush()
            except (OSError, ValueError):
                self.closed = True
                # What is left in the buffer must not be tried again when the interpreter ends.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def send_line(self, text: str) -> None:
        """Write a text as one line: what follows a line break in it follows a space."""
        self.send(" ".join(text.splitlines()) + "\n")


def described(error: BaseException) -> str:
    """An error as text on one line, not too long; those that are not foible's own with the name of their class."""
    name = "" if isinstance(error, FoibleError) else f"{type(error).__name__}: "
    text = " ".join(str(error).split())
    return name + (text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
