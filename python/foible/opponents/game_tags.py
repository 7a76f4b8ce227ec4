"""Reading the tags of a game, however loosely filled in: its date, its speed, the players' ratings and names."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nlargest
from typing import Literal, get_args

Speed = Literal["ultrabullet", "bullet", "blitz", "rapid", "classical", "correspondence"]
SPEEDS: tuple[Speed, ...] = get_args(Speed)

_SLOWER_THAN: tuple[tuple[float, Speed], ...] = (
    (21600, "correspondence"),
    (1500, "classical"),
    (480, "rapid"),
    (180, "blitz"),
    (30, "bullet"),
    (0, "ultrabullet"),
)
"""lichess's classes of speed, each with the seconds from which it holds, as the time of 40 moves, the slowest first. A
game of six hours is longer than any that is played at one sitting.
"""

_DATE = re.compile(r"(\d{4})[./-](\d\d?|\?\?)[./-](\d\d?|\?\?)")
_NUMBER = r"\d{1,9}(?:\.\d+)?"  # with more digits it is no time, and with hundreds infinite as a float
_STAGE = re.compile(rf"(?:(\d{{1,9}})/)?({_NUMBER})(?: ?\+ ?({_NUMBER}))?")
_DAYS = re.compile(r"\d+ days?(?: per move)?")
_RATINGS = range(1, 5000)
_LONGEST_RATING = 6
"""The number of digits, leading zeros included, beyond which a text is no rating: Python refuses to read thousands."""


def read_date(tags: Mapping[str, str]) -> date | None:
    """The day of the game by `UTCDate`, else `Date`; the middle of the month or year where no more is known.

    `None` where both are missing, no date, or in the future everywhere on earth.
    """
    latest = datetime.now(UTC).date() + timedelta(days=1)
    for name in ("UTCDate", "Date"):
        if found := _DATE.fullmatch(tags.get(name, "").strip()):
            year, month, day = found.groups()
            if month == "??":
                month, day = "7", "1"
            if day == "??":
                day = "15"
            try:
                played = date(int(year), int(month), int(day))
            except ValueError:
                continue
            if played <= latest:
                return played
    return None


def read_speed(tags: Mapping[str, str]) -> Speed | None:
    """The speed of a game by its `TimeControl` tag: base + 40 · increment, as lichess counts; `None` where unknown.

    A single stage for a number of moves is scaled to the time for 40 moves; of several stages the times are added.
    """
    text = tags.get("TimeControl", "").strip()
    if text == "-" or _DAYS.fullmatch(text):
        return "correspondence"
    stages = [_STAGE.fullmatch(stage) for stage in text.removeprefix("*").split(":")]
    seconds = 0.0
    for stage in stages:
        if stage is None:
            return None
        moves, base, increment = (float(number or 0) for number in stage.groups())
        seconds += base * (40 / moves if moves and len(stages) == 1 else 1) + 40 * increment
    return next(speed for at_least, speed in _SLOWER_THAN if seconds >= at_least)


def read_rating(tags: Mapping[str, str], *, white: bool) -> int | None:
    """The rating of one side; `None` where its tag holds no plausible number."""
    text = tags.get("WhiteElo" if white else "BlackElo", "").strip().rstrip("?")
    plausible = text.isascii() and text.isdigit() and len(text) <= _LONGEST_RATING and int(text) in _RATINGS
    return int(text) if plausible else None


_SEPARATORS = re.compile(r"[\s,.]+")
NEAREST = 5
"""The number of names that a message lists in place of one that nobody has."""

NameKey = tuple[str, ...]


@lru_cache(maxsize=1 << 14)
def name_key(name: str) -> NameKey:
    """The words of a name, sorted, in lower case and without accents: equal for different spellings of one name.

    >>> name_key("Last, First") == name_key("first last")
    True
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return tuple(sorted(filter(None, _SEPARATORS.split(plain.casefold()))))


def nearest_names(name: str, names: Iterable[str]) -> list[str]:
    """The `NEAREST` names that are most like `name`, by shared words and then by similar letters. "?" is no name."""
    words = name_key(name)
    wanted = " ".join(words)

    def likeness(other: str) -> tuple[float, float]:
        others = name_key(other)
        shared = sum(max((_alike(word, o) for o in others), default=0.0) for word in words)
        matcher = SequenceMatcher(None, wanted, " ".join(others), autojunk=False)
        # The exact ratio is computed only where it can matter: for a hundred thousand names it would take a minute.
        return shared, matcher.ratio() if shared or matcher.quick_ratio() > 0.5 else 0.0

    return nlargest(NEAREST, sorted(other for other in names if other.strip("?")), key=likeness)


def nearest_hint(name: str, names: Iterable[str]) -> str:
    """The second half of a message about games in which nobody has the name: the names that are most like it."""
    near = ", ".join(map(repr, nearest_names(name, names)))
    return f"the nearest names are {near}" if near else "they name no players (tags White and Black)"


def _alike(word: str, other: str) -> float:
    """The likeness of two words: 1 if they are equal, ¾ where one begins with the other, ¼ for an initial, else 0."""
    short, long = sorted((word, other), key=len)
    if not long.startswith(short):
        return 0.0
    return 1.0 if short == long else 0.75 if len(short) > 2 else 0.25
