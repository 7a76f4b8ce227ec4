"""A person at a terminal, or lines from a pipe: what is said, what is typed."""

import contextlib
import io
import sys

from foible.interfaces.cli.output import output_console
from foible.mistakes import visible


class Hangup(Exception):  # noqa: N818 - nothing is wrong
    """Nobody types any more."""


class Terminal:
    """Where one line is asked for after the other."""

    def __init__(self) -> None:
        self._console = output_console()
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        if sys.stdin.isatty():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401, PLC0415  # The line can be edited, and earlier ones come back.

    def say(self, *lines: str) -> None:
        """Lines for the person."""
        for line in lines:
            self._console.print(line, markup=False, soft_wrap=True)

    def read(self, prompt: str) -> str:
        """What is typed; told again where it comes from a pipe.

        :raises Hangup: there is nothing more to read.
        """
        try:
            text = input(visible(prompt)).strip()
        except EOFError:
            self.say("")
            raise Hangup from None
        if not sys.stdin.isatty():
            self.say(text)
        return text
