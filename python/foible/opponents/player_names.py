"""Names of players as game files spell them: `Last, First`, `First Last`, `FIRST LAST`."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import nlargest

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
