"""The progress of a run, and its rate from repeated observations; and what the files of a run record of it."""

from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from foible.errors import GameFileError
from foible.runs.folder import CONFIG, read_recorded
from foible.runs.ledger import Ledger

WINDOW: Final = 300.0
"""The number of seconds back over which a rate is computed."""


R = TypeVar("R")


class Standing(msgspec.Struct, frozen=True):
    """The progress of a run, as a count."""

    done: int
    total: int | None
    """`None` where the total is unknown."""
    unit: str
    """What is counted: `games`, `positions`, …"""

    @property
    def complete(self) -> bool:
        """Whether all is done; false where the total is unknown."""
        return self.total is not None and self.done >= self.total


class Pace:
    """The rate at which a count grows, from observations at any times."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def look(self, now: float, done: int) -> None:
        """Note the count. `now`: seconds of any monotonic clock. Where the count has fallen, the rate begins anew."""
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()
        self._seen.append((now, done))
        while len(self._seen) > 1 and self._seen[1][0] < now - WINDOW:
            self._seen.popleft()

    @property
    def rate(self) -> float | None:
        """The growth per second over the observed time; `None` before the count has grown."""
        if not self._seen:
            return None
        (began, first), (now, last) = self._seen[0], self._seen[-1]
        return (last - first) / (now - began) if last > first and now > began else None

    def left(self, standing: Standing) -> float | None:
        """The seconds left at this rate; `None` where the rate or the total is unknown."""
        if standing.complete:
            return 0.0
        rate = self.rate
        return None if rate is None or standing.total is None else (standing.total - standing.done) / rate


def recorded(folder: Path) -> Mapping[str, Any]:
    """The configuration that the run recorded; empty where there is none yet.

    :raises ConfigError: the configuration is damaged.
    """
    path = folder / CONFIG
    return read_recorded(path) if path.is_file() else {}


def noted(folder: Path, name: str) -> int:
    """The least number of records in a file, by the ledger beside it: cheaper than counting. 0 without a ledger.

    :raises GameFileError: the ledger is damaged.
    """
    return Ledger(folder).count(name)


def written_report(folder: Path, kind: type[R]) -> R:
    """The fields of a structure as `report.json` has them. All of them need defaults, which count where there is no
    such file or it cannot be read: a report is written anew from what the run recorded.
    """
    try:
        return msgspec.json.decode((folder / "report.json").read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return kind()


def whole_number(config: Mapping[str, Any], key: str) -> int | None:
    """The whole number under a key of a configuration; `None` where the key is missing.

    :raises GameFileError: the value is not a whole number.
    """
    found = config.get(key)
    if found is not None and type(found) is not int:
        raise GameFileError(f"{CONFIG}: {key} = {found!r}: expected a whole number")
    return found
