"""Lending files that a run names, such as nets, to workers on other machines that lack them.

The process that orders units lends the files; workers fetch those that they lack, and keep them in a cache. On a single
machine, or where the files lie in a shared folder, nothing is fetched.
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
"""The files that this process lends, by the names that stand for them."""
_offered: Final[dict[str, "Offer"]] = {}
"""In a worker: the files that it may fetch, by the names that stand for them."""
_copies: Final[dict[Path, "Offer"]] = {}
"""In a worker: what was fetched, by the path of the copy."""

PLACES: Final = 3
"""The number of last parts of a path that the copy keeps: a net may be named after the folder it was trained in."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A file of another machine, which a worker may fetch."""

    hash: str
    """The hash of the content, as `file_hash` gives it."""
    path: str
    """The path of the file on the other machine."""
    fetch: Callable[[], bytes]
    """Fetches the content."""

    def kept_in(self, cache: Path) -> Path:
        """The path of a local copy of the file below the folder `cache`; fetched unless it is there already.

        :raises NetFileError: what was fetched has another hash.
        :raises OSError: the copy cannot be written.
        """
        there = Path(os.path.normpath(os.path.join(os.sep, self.path)))  # absolute, and without any ".."
        place = cache.joinpath(self.hash, *there.relative_to(there.anchor).parts[-PLACES:])
        _copies[place] = self
        if place.is_file() and file_hash(place) == self.hash:
            return place
        content = self.fetch()
        if content_hash(content) != self.hash:
            raise NetFileError(f"{place}: not what lies at {self.path} on the machine that lent it")
        replace_file(place, content)
        return place


def lend(name: str, path: Path) -> None:
    """Lend the file at `path` to workers that look up the name."""
    _lent[name] = path.absolute()


def lent() -> Mapping[str, Path]:
    """The files that this process lends, by the names that stand for them."""
    return dict(_lent)


def offer(offers: Mapping[str, Offer]) -> None:
    """In a worker: replace the files that it may fetch, by the names that stand for them on the lending machine."""
    _offered.clear()
    _offered.update(offers)


def offered(name: str) -> Offer | None:
    """The file that a name stands for on the lending machine; `None` where none is offered under it."""
    return _offered.get(name)


def offered_beside(copy: Path, listed: str) -> str | None:
    """In a worker: the name of the file that lay at `listed`, a relative path, beside the file of which `copy` was
    fetched; `None` where the copy was not fetched, or no file is offered from there.
    """
    original = _copies.get(copy)
    if original is None:
        return None
    path = os.path.normpath(os.path.join(os.path.dirname(original.path), listed))
    return next((name for name, file in _offered.items() if os.path.normpath(file.path) == path), None)
