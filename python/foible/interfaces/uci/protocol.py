"""The parsing of what a GUI sends by the Universal Chess Interface, however malformed it is.

The option `UCI_Opponent`, which says who the opponent is, is parsed here too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, BinaryIO, Final

from foible.errors import ConfigError

Send = Callable[[str], None]
"""Takes one line of output, without its end. Callable from any thread."""
LONGEST_LINE: Final = 1 << 20
"""The most bytes of a line, longer ones are left out; a game of a thousand moves takes some six thousand."""
_SHOWN: Final = 80
"""The most characters of unreadable input that a complaint about it repeats."""
MOST_COMPLAINTS: Final = 5
"""The most complaints about one line."""
_FLAGS: Final = ("infinite", "ponder")
_LEAST: Final = {
    "nodes": 1,
    "depth": 1,
    "mate": 1,
    "movetime": 0,
    "wtime": 0,
    "btime": 0,
    "winc": 0,
    "binc": 0,
    "movestogo": 0,
}
"""Numbers after `go` and their least value. Lower ones are raised to it: GUIs do send negative clocks."""
_LIMITS: Final = {"infinite", "ponder", "nodes", "depth", "mate", "movetime"}
"""What ends a search, or leaves it to the GUI to end it, beside the clock of the side to move."""
_OF_CLOCKS: Final = {"wtime", "btime", "winc", "binc", "movestogo"}
"""What limits no search without the clock of the side to move."""
_WITHOUT_LIMIT: Final = 1000
"""Milliseconds for a search whose limits could not be read, or are the opponent's alone."""
_MOST: Final = 10**15
_WORDS: Final = (*_FLAGS, *_LEAST, "searchmoves")
_MOST_MOVES: Final = 256
"""The most moves that are read after `searchmoves`: no position has more legal ones."""
NOBODY: Final = "<empty>"
"""The word that stands for an empty text in UCI."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Go:
    """The limits of a search. Times are in milliseconds; `None` is no limit."""

    nodes: int | None = None
    """Visits of the root, including those kept from the previous search."""
    depth: int | None = None
    """Plies of the principal variation, the line of best moves: a tree has no single depth."""
    mate: int | None = None
    """Moves within which a mate is to be proven."""
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int = 0
    binc: int = 0
    movestogo: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The words that a GUI sends for these limits."""
        words = []
        for name, value in asdict(self).items():
            if value != getattr(Go(), name):
                words += [name, *(value if name == "searchmoves" else () if name in _FLAGS else (str(value),))]
        return " ".join(words)


def parse_go(words: Sequence[str], *, white: bool) -> tuple[Go, list[str]]:
    """The limits after `go`, and complaints about unreadable words, which are left out. Where limits were meant but
    there is none, the search is a short one: a GUI needs an answer.

    :param white: whether White is to move.
    """
    starts = [i for i, word in enumerate(words) if word in _WORDS]
    unknown = words[: starts[0]] if starts else words
    values: dict[str, Any] = {}
    complaints = [f"go: {shown(' '.join(unknown))} is unknown, left out"] if unknown else []
    for start, end in pairwise([*starts, len(words)]):
        word, arguments = words[start], words[start + 1 : end]
        if word in _FLAGS:
            values[word] = True
        elif word == "searchmoves":
            values[word] = tuple(arguments[:_MOST_MOVES])
        else:
            try:
                values[word] = min(max(int(float(arguments[0])), _LEAST[word]), _MOST)
            except (ValueError, IndexError, OverflowError):
                complaints.append(f"go {word} {shown(' '.join(arguments))}: expected a number, left out")
    limits = {*_LIMITS, "wtime" if white else "btime"}
    if (complaints or values.keys() & _OF_CLOCKS) and not values.keys() & limits:
        values["movetime"] = _WITHOUT_LIMIT
        complaints.append(f"go: no limit for this move; thinks for {_WITHOUT_LIMIT} ms")
    return Go(**values), complaints[:MOST_COMPLAINTS]


def parse_position(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """The FEN (`None` for the standard start position) and the moves after `position`.

    :raises ConfigError: neither `startpos` nor `fen` comes first.
    """
    if not words or words[0] not in ("startpos", "fen"):
        raise ConfigError("position: expected startpos or fen, then perhaps moves")
    end = words.index("moves") if "moves" in words else len(words)
    fen = None if words[0] == "startpos" else " ".join(words[1:end])
    if fen is None and end > 1:
        raise ConfigError(f"position startpos {shown(words[1])}: expected moves")
    return fen, list(words[end + 1 :])


def parse_setoption(rest: str) -> tuple[str, str]:
    """Name and value after `setoption`; both may hold spaces, the value is empty where there is none.

    :raises ConfigError: there is no name.
    """
    words = rest.split()
    if len(words) < 2 or words[0] != "name":
        raise ConfigError("setoption: expected name NAME value VALUE")
    end = words.index("value") if "value" in words else len(words)
    # The value is cut from the line itself: a path may hold more than one space in a row.
    value = rest.split(None, end + 1)[end + 1].strip() if end + 1 < len(words) else ""
    return " ".join(words[1:end]), value


def read_lines(stream: BinaryIO, send: Send) -> Iterator[str]:
    """The lines of a stream. Bytes that are no text become U+FFFD; an enormous line is left out, and reported."""
    while line := stream.readline(LONGEST_LINE):
        if not line.endswith(b"\n") and len(line) == LONGEST_LINE:
            send(f"info string a line of more than {LONGEST_LINE} bytes was left out")
            while (more := stream.readline(LONGEST_LINE)) and not more.endswith(b"\n"):
                pass
            continue
        yield line.decode("utf-8", "replace").strip()


def shown(text: str) -> str:
    """Text from outside, made fit for a line of output: quoted, on one line, in ASCII, not too long."""
    return ascii(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


@dataclass(frozen=True, slots=True)
class Opponent:
    """What the GUI says of the opponent; `None` where it does not say."""

    rating: int | None = None
    human: bool | None = None
    name: str = ""
    title: str = ""


def parse_opponent(text: str) -> Opponent:
    """The value of `UCI_Opponent`: title, rating, sort and name, the first two perhaps `none`; a rating of 0 is none.

    >>> parse_opponent("GM 2800 human Gary Kasparov")
    Opponent(rating=2800, human=True, name='Gary Kasparov', title='GM')

    :raises ConfigError: it is not of this form.
    """
    if text in ("", NOBODY):
        return Opponent()
    words = text.split(None, 3)
    if len(words) < 3 or not (words[1] == "none" or _is_rating(words[1])) or words[2] not in ("human", "computer"):
        raise ConfigError(f"option UCI_Opponent = {shown(text)}: expected TITLE RATING human|computer NAME")
    title, rating, sort = words[:3]
    return Opponent(
        None if rating == "none" else int(rating) or None,
        sort == "human",
        words[3] if len(words) > 3 else "",
        "" if title == "none" else title,
    )


def _is_rating(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 5
