"""The words of the Go Text Protocol, version 2: commands, taken apart whatever they are, and answers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from foible.errors import FoibleError

Send = Callable[[str], None]
"""Takes text as it is to be written."""

LONGEST_LINE: Final = 1 << 20
"""Bytes of a line that are read; what is beyond is left out."""
_SHOWN: Final = 200
"""Characters of an error that are told."""


class CommandError(FoibleError):
    """A command that fails. The message is what the protocol has the engine answer."""


SYNTAX: Final = "syntax error"


@dataclass(frozen=True, slots=True)
class Command:
    """A line with a command."""

    id: str
    """Digits that the answer repeats; may be empty."""
    name: str
    """Empty where there is an id alone."""
    arguments: tuple[str, ...]


def parse(line: bytes) -> Command | None:
    """A line taken apart; `None` where it holds nothing but space and comments. Bytes that are no text become U+FFFD.

    Control characters are dropped, tabs are spaces, and what follows `#` is a comment.
    """
    text = line.decode("utf-8", "replace").partition("#")[0].replace("\t", " ")
    words = "".join(character for character in text if character >= " " and character != "\x7f").split(" ")
    words = [word for word in words if word]
    if not words:
        return None
    number = words.pop(0) if words[0].isascii() and words[0].isdecimal() else ""
    name, *arguments = words or [""]
    return Command(number, name, tuple(arguments))


def read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream to its end."""
    while line := stream.readline(LONGEST_LINE):
        more = line
        while len(more) == LONGEST_LINE and not more.endswith(b"\n"):
            more = stream.readline(LONGEST_LINE)
        yield line


class Answer:
    """The one answer to a command. It may grow line by line before it ends."""

    def __init__(self, number: str, send: Send) -> None:
        """`number`: the command's id."""
        self._number, self._send = number, send
        self._begun = False

    def line(self, text: str) -> None:
        """A line of an answer that goes on; nothing can fail any more."""
        self._begin()
        if text:
            self._send(f"{text}\n")

    def end(self, text: str) -> None:
        """All of it, or its last line."""
        if self._begun:
            self._send(f"{text}\n\n" if text else "\n")
        else:
            self._send(f"={self._number}{_body(text)}\n\n")

    def fail(self, message: str) -> None:
        """The command failed; of an answer that has begun, only the end."""
        if self._begun:
            self._send("\n")
        else:
            self._send(f"?{self._number} {' '.join(message.split())}\n\n")

    def _begin(self) -> None:
        if not self._begun:
            self._send(f"={self._number}\n")
        self._begun = True


def _body(text: str) -> str:
    """Text that cannot be taken for the end of the answer: without empty lines, but it may begin on a new one."""
    rows = "\n".join(row.rstrip() for row in text.split("\n") if row.strip())
    return f"\n{rows}" if text.startswith("\n") else f" {rows}"


def described(error: BaseException) -> str:
    """An error as an answer: not too long."""
    name = "" if isinstance(error, FoibleError) else f"{type(error).__name__}: "
    text = " ".join(str(error).split())
    return name + (text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
