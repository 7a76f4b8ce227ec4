"""Standard output: of an engine that other programs start, with errors as text for one line of it; and of commands,
where its encoding is not UTF-8.

Little is imported here: `foible-uci` answers `uci` before it imports anything that takes long.
"""

import codecs
import io
import os
import sys
import threading
from typing import Final, TextIO

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


_STAND_INS: Final = dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟·–−…", "KQRBNPkqrbnp.--.", strict=True))
"""What is printed in place of characters that an old encoding lacks; question marks stand for all others."""


def use_stand_ins(stream: TextIO) -> None:
    """Let a stream whose encoding is not UTF-8 print stand-ins for the characters that it cannot express."""
    if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
        codecs.register_error("foible.stand-ins", _stand_in)
        stream.reconfigure(errors="foible.stand-ins")


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    return "".join(_STAND_INS.get(one, "?") for one in lacking), error.end
