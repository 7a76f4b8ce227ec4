"""The Go Text Protocol, version 2: parsing commands and their arguments, however malformed, and writing answers."""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from foible.errors import FoibleError
from foible.games.go import Colour

Send = Callable[[str], None]
"""Writes a text to the controller as it stands."""

LONGEST_LINE: Final = 1 << 20
"""The most bytes of a line that are read; the rest of the line is left out."""
_SHOWN: Final = 200
"""The most characters of an error message that an answer repeats."""


class CommandError(FoibleError):
    """A command that fails. The message is what the protocol has the engine answer."""


SYNTAX: Final = "syntax error"


@dataclass(frozen=True, slots=True)
class Command:
    """A line with a command."""

    id: str
    """Digits that the answer repeats; may be empty."""
    name: str
    """The command's name, empty where the line holds an id alone."""
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
        """Write a line of an answer that goes on; from then on the command can no longer be answered with a failure."""
        self._begin()
        if text:
            self._send(f"{text}\n")

    def end(self, text: str) -> None:
        """End the answer, with its whole text, or with its last line where it has begun."""
        if self._begun:
            self._send(f"{text}\n\n" if text else "\n")
        else:
            self._send(f"={self._number}{_body(text)}\n\n")

    def fail(self, message: str) -> None:
        """Answer that the command failed; an answer that has begun is only ended."""
        if self._begun:
            self._send("\n")
        else:
            self._send(f"?{self._number} {' '.join(message.split())}\n\n")

    def _begin(self) -> None:
        if not self._begun:
            self._send(f"={self._number}\n")
        self._begun = True


def _body(text: str) -> str:
    """A text without empty lines, which would end the answer; it may begin on a new line."""
    rows = "\n".join(row.rstrip() for row in text.split("\n") if row.strip())
    return f"\n{rows}" if text.startswith("\n") else f" {rows}"


LARGEST_INTEGER: Final = 2**31 - 1
"""The largest of the protocol's integers; none is negative."""

_COLOURS: Final[dict[str, Colour]] = {"b": "black", "black": "black", "w": "white", "white": "white"}
_VERTEX: Final = re.compile(r"[A-HJ-Z]([1-9]|1\d|2[0-5])", re.ASCII)


class Call:
    """The arguments of a command, read one after the other. Words that nobody reads are ignored.

    All methods that read raise `CommandError`, a syntax error, where there is no such argument.
    """

    def __init__(self, words: tuple[str, ...], line: Callable[[str], None]) -> None:
        """`line`: takes a line of an answer that goes on; an empty one only begins it."""
        self._words = list(words)
        self.line = line

    @property
    def more(self) -> bool:
        """Whether there are words left."""
        return bool(self._words)

    def word(self) -> str:
        if not self._words:
            raise CommandError(SYNTAX)
        return self._words.pop(0)

    def rest(self) -> list[str]:
        """All words that are left."""
        words, self._words = self._words, []
        return words

    def colour(self) -> Colour:
        """The next word as a colour, given in full or by its first letter, in upper or lower case."""
        colour = self.next_colour()
        if colour is None:
            raise CommandError(SYNTAX)
        return colour

    def next_colour(self) -> Colour | None:
        """The next word where it is a colour; else `None`, and the word stays."""
        colour = _COLOURS.get(self._words[0].lower()) if self._words else None
        if colour:
            self._words.pop(0)
        return colour

    def next_integer(self) -> int | None:
        """The next word where it is a whole number; else `None`, and the word stays."""
        return integer(self.word()) if self._words and self._words[0].isdecimal() else None

    def vertex(self) -> str:
        """The next word as a point of a board of any size, or `pass`."""
        return vertex(self.word())

    def integer(self) -> int:
        return integer(self.word())

    def number(self) -> float:
        """The next word as a finite number, with a fraction or without."""
        return number(self.word())


def vertex(word: str) -> str:
    """A vertex as positions name it: a point such as `D4`, or `pass`.

    :raises CommandError: the word is neither.
    """
    if word.lower() == "pass":
        return "pass"
    if not _VERTEX.fullmatch(word.upper()):
        raise CommandError(SYNTAX)
    return word.upper()


def integer(word: str) -> int:
    """:raises CommandError: the word is no whole number from 0 to `LARGEST_INTEGER`."""
    if not (word.isascii() and word.isdecimal() and len(word) < 20 and int(word) <= LARGEST_INTEGER):
        raise CommandError(SYNTAX)
    return int(word)


def number(word: str) -> float:
    """:raises CommandError: the word is not a finite number."""
    try:
        found = float(word)
    except ValueError:
        raise CommandError(SYNTAX) from None
    if not math.isfinite(found):
        raise CommandError(SYNTAX)
    return found
