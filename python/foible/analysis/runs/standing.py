"""How far a run is, and how fast it goes by what is seen of it."""

from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.errors import GameFileError
from foible.runs.configuration import CONFIG, read_recorded
from foible.runs.ledger import Ledger

WINDOW: Final = 300.0
"""Seconds that a rate looks back."""


class Standing(msgspec.Struct, frozen=True):
    """How far something is."""

    done: int
    total: int | None
    """`None` where nobody has said."""
    unit: str
    """What is counted: `games`, `positions`, …"""

    @property
    def complete(self) -> bool:
        return self.total is not None and self.done >= self.total


class Pace:
    """How fast a count grows that is looked at now and then."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def look(self, now: float, done: int) -> None:
        """`now`: seconds of any clock that goes on. A count that has fallen begins anew."""
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()
        self._seen.append((now, done))
        while len(self._seen) > 1 and self._seen[1][0] < now - WINDOW:
            self._seen.popleft()

    @property
    def rate(self) -> float | None:
        """Per second, over the time that was looked at; `None` before the count has grown."""
        if not self._seen:
            return None
        (began, first), (now, last) = self._seen[0], self._seen[-1]
        return (last - first) / (now - began) if last > first and now > began else None

    def left(self, standing: Standing) -> float | None:
        """Seconds to the end at this rate; `None` where either is unknown."""
        if standing.complete:
            return 0.0
        rate = self.rate
        return None if rate is None or standing.total is None else (standing.total - standing.done) / rate


def recorded(folder: Path) -> Mapping[str, Any]:
    """The configuration as it was written down; empty where there is none yet.

    :raises ConfigError: it is damaged.
    """
    path = folder / CONFIG
    return read_recorded(path) if path.is_file() else {}


def noted(folder: Path, name: str) -> int:
    """Records that a file holds at least, by the ledger beside it: cheaper than to count them. 0 in folders without.

    :raises GameFileError: the ledger is damaged.
    """
    return Ledger(folder).count(name)


def whole_number(config: Mapping[str, Any], key: str) -> int | None:
    """What a configuration says under a key; `None` where it says nothing.

    :raises GameFileError: it is no number.
    """
    found = config.get(key)
    if found is not None and type(found) is not int:
        raise GameFileError(f"{CONFIG}: {key} = {found!r}: expected a whole number")
    return found
