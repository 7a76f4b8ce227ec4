"""A command under way: its arguments, read one after the other, and its answer where that grows line by line."""

import math
import re
from collections.abc import Callable
from typing import Final

from foible.games.go import Colour
from foible.interfaces.gtp.protocol import SYNTAX, CommandError

LARGEST_INTEGER: Final = 2**31 - 1
"""Of the protocol's integers; none is negative."""

_COLOURS: Final[dict[str, Colour]] = {"b": "black", "black": "black", "w": "white", "white": "white"}
_VERTEX: Final = re.compile(r"[A-HJ-Z]([1-9]|1\d|2[0-5])", re.ASCII)


class Call:
    """What a command was called with. Words that nobody asks for are passed over.

    All readers raise `CommandError`, a syntax error, where there is no such argument.
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
        """In words or by its letter, in either case."""
        colour = self.next_colour()
        if colour is None:
            raise CommandError(SYNTAX)
        return colour

    def next_colour(self) -> Colour | None:
        """The next word where it is a colour; else it is left."""
        colour = _COLOURS.get(self._words[0].lower()) if self._words else None
        if colour:
            self._words.pop(0)
        return colour

    def next_integer(self) -> int | None:
        """The next word where it is a whole number; else it is left."""
        return integer(self.word()) if self._words and self._words[0].isdecimal() else None

    def vertex(self) -> str:
        """A point of some board, or `pass`."""
        return vertex(self.word())

    def integer(self) -> int:
        return integer(self.word())

    def number(self) -> float:
        """With a fraction or without; finite."""
        return number(self.word())


def vertex(word: str) -> str:
    """As positions name it: `D4`, `pass`.

    :raises CommandError: it is neither.
    """
    if word.lower() == "pass":
        return "pass"
    if not _VERTEX.fullmatch(word.upper()):
        raise CommandError(SYNTAX)
    return word.upper()


def integer(word: str) -> int:
    """:raises CommandError: no whole number from 0 to `LARGEST_INTEGER`."""
    if not (word.isascii() and word.isdecimal() and len(word) < 20 and int(word) <= LARGEST_INTEGER):
        raise CommandError(SYNTAX)
    return int(word)


def number(word: str) -> float:
    """:raises CommandError: not a finite number."""
    try:
        found = float(word)
    except ValueError:
        raise CommandError(SYNTAX) from None
    if not math.isfinite(found):
        raise CommandError(SYNTAX)
    return found
