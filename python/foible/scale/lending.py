"""Files that a run names and that other machines may lack: lent by the process that orders units, kept by those who
play them. Where a folder is shared, or there is one machine alone, nobody asks for any.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from foible.errors import NetFileError
from foible.runs.files import replace_file
from foible.runs.ledger import content_hash, file_hash

_lent: Final[dict[str, Path]] = {}
_offered: Final[dict[str, "Offer"]] = {}

PLACES: Final = 3
"""Parts of a path that are kept: a net may be called after the folder of its training."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A file of another machine."""

    hash: str
    """As `file_hash`."""
    path: str
    """Where it lies there."""
    fetch: Callable[[], bytes]
    """Gets its content."""

    def kept_in(self, cache: Path) -> Path:
        """The same file here, below a folder; fetched unless it is there already.

        :raises NetFileError: something else has come.
        :raises OSError: it cannot be written.
        """
        there = Path(os.path.normpath(os.path.join(os.sep, self.path)))  # a whole path in which no ".." is left
        place = cache.joinpath(self.hash, *there.relative_to(there.anchor).parts[-PLACES:])
        if place.is_file() and file_hash(place) == self.hash:
            return place
        content = self.fetch()
        if content_hash(content) != self.hash:
            raise NetFileError(f"{place}: not what lies at {self.path} on the machine that lent it")
        replace_file(place, content)
        return place


def lend(name: str, path: Path) -> None:
    """Let others have the file that a name stands for."""
    _lent[name] = path.absolute()


def lent() -> Mapping[str, Path]:
    """What this process lets others have, by its names."""
    return dict(_lent)


def offer(offers: Mapping[str, Offer]) -> None:
    """Know from now on, in a worker, what names stand for where it was started."""
    _offered.clear()
    _offered.update(offers)


def offered(name: str) -> Offer | None:
    """What a name stands for there; `None` where nobody has said."""
    return _offered.get(name)
