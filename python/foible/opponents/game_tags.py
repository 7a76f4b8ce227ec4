"""What the tags of a game say of its date, its speed, a player's rating and name, however loosely filled in."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date
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
"""Seconds that 40 moves take at most, by lichess's classes; six hours are more than any game at one sitting."""

_DATE = re.compile(r"(\d{4})[./-](\d\d?|\?\?)[./-](\d\d?|\?\?)")
_STAGE = re.compile(r"(?:(\d+)/)?(\d+)(?:\+(\d+))?")
_DAYS_PER_MOVE = re.compile(r"\d+ days? per move")
_RATINGS = range(1, 5000)


def read_date(tags: Mapping[str, str]) -> date | None:
    """The day of the game by `UTCDate`, else `Date`; the middle of the month or year where no more is known.

    `None` for what is missing, is no date, or lies in the future.
    """
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
            if played <= date.today():
                return played
    return None


def read_speed(tags: Mapping[str, str]) -> Speed | None:
    """The class of the `TimeControl` tag by base + 40 · increment, as lichess counts; `None` where nothing is said.

    A stage of so many moves counts as the time of 40 of them where it is the only one, later stages add theirs.
    """
    text = tags.get("TimeControl", "").strip()
    if text == "-" or _DAYS_PER_MOVE.fullmatch(text):
        return "correspondence"
    stages = [_STAGE.fullmatch(stage) for stage in text.removeprefix("*").split(":")]
    seconds = 0.0
    for stage in stages:
        if stage is None:
            return None
        moves, base, increment = (int(number or 0) for number in stage.groups())
        seconds += base * (40 / moves if moves and len(stages) == 1 else 1) + 40 * increment
    return next(speed for at_least, speed in _SLOWER_THAN if seconds >= at_least)


def read_rating(tags: Mapping[str, str], *, white: bool) -> int | None:
    """The rating of one side, `None` where the tag holds no plausible number."""
    text = tags.get("WhiteElo" if white else "BlackElo", "").strip().rstrip("?")
    return int(text) if text.isascii() and text.isdigit() and int(text[:6]) in _RATINGS else None


_SEPARATORS = re.compile(r"[\s,.]+")

NameKey = tuple[str, ...]


@lru_cache(maxsize=1 << 14)
def name_key(name: str) -> NameKey:
    """The words of a name in an order of their own, without case and accents: equal for spellings of one name.

    >>> name_key("Last, First") == name_key("first last")
    True
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return tuple(sorted(filter(None, _SEPARATORS.split(plain.casefold()))))


def nearest_names(name: str, names: Iterable[str], count: int = 5) -> list[str]:
    """The names most like one: those that share words with it first, then by letters."""
    words = name_key(name)
    wanted = " ".join(words)

    def likeness(other: str) -> tuple[float, float]:
        others = name_key(other)
        shared = sum(max((_alike(word, o) for o in others), default=0.0) for word in words)
        matcher = SequenceMatcher(None, wanted, " ".join(others), autojunk=False)
        # The exact ratio only where it can matter: among a hundred thousand names it would take a minute.
        return shared, matcher.ratio() if shared or matcher.quick_ratio() > 0.5 else 0.0

    return nlargest(count, sorted(names), key=likeness)


def _alike(word: str, other: str) -> float:
    """1 for the same word, ¾ where one begins with the other, ¼ for an initial."""
    short, long = sorted((word, other), key=len)
    if not long.startswith(short):
        return 0.0
    return 1.0 if short == long else 0.75 if len(short) > 2 else 0.25
