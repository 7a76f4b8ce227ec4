"""What the nets of workers did for the parts of a run: each part keeps an account, and the run adds them up."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from foible.errors import GameFileError
from foible.runs.files import read_sealed, seal, write_atomically
from foible.search.batcher import Usage
from foible.search.speed import Speed

WORK: Final = "work.json"
"""The file in a part's folder that records the plies played for it, and the work of the nets."""


class _Work(msgspec.Struct, frozen=True):
    """The work done for a part by the workers that ended in an orderly way; one that was killed leaves no account."""

    plies: int = 0
    nets: dict[str, tuple[dict[int, int], float]] = {}
    """By the name of a net, the two fields of `Usage`: `sizes` and `busy`."""

    def and_then(self, speed: Speed) -> "_Work":
        """The total with the work of one more worker added."""
        usage = _added(self.usage, speed.nets)
        nets = {name: (dict(used.sizes), used.busy) for name, used in usage.items()}
        return _Work(self.plies + speed.plies, nets)

    @property
    def usage(self) -> dict[str, Usage]:
        return {name: Usage(Counter(sizes), busy) for name, (sizes, busy) in self.nets.items()}


def record_work(part: Path, speed: Speed) -> None:
    """Add to a part's account what a worker has done for it.

    :raises GameFileError: the account is damaged.
    """
    write_atomically(part / WORK, seal(msgspec.json.encode(_read(part).and_then(speed))))


class MergedWork:
    """What the nets did for the parts that were merged."""

    def __init__(self) -> None:
        self.usage: dict[str, Usage] | None = {}
        """The usage of each net, by its name; `None` where a worker was killed before it could record its own."""

    def add(self, part: Path, plies: int) -> None:
        """Add the account of a part whose games have so many plies; one that covers fewer lacks a killed worker's.

        :raises GameFileError: the account is damaged.
        """
        work = _read(part)
        complete = self.usage is not None and work.plies >= plies
        self.usage = _added(self.usage or {}, work.usage) if complete else None

    def nets(self, workers: int) -> dict[str, Usage]:
        """The usage of each net, as busy as it was on average for the workers; none where it is not known."""
        return {name: Usage(used.sizes, used.busy / workers) for name, used in (self.usage or {}).items()}


def _read(part: Path) -> _Work:
    path = part / WORK
    if not path.exists():
        return _Work()
    try:
        return read_sealed(path.read_bytes(), msgspec.json.Decoder(_Work).decode)
    except GameFileError as error:
        raise GameFileError(f"{path}: cannot be read ({error}); remove it, and its figures are missing") from None


def _added(one: Mapping[str, Usage], other: Mapping[str, Usage]) -> dict[str, Usage]:
    """The work of each net in two pieces of work added up, by the names of the nets."""
    names = dict.fromkeys([*one, *other])
    return {name: one.get(name, Usage()) + other.get(name, Usage()) for name in names}
