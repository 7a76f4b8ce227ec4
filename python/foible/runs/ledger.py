"""The ledger of a folder: how much its files hold, kept in a file of its own, so that a loss is noticed.

    finished.json   the least number of records in each file that grows, and the hash of each file that stays as it is

A count is raised after the records are on the disk, and lowered before any are removed. So if the process is killed at
any instant, the count may be too low, but never too high. Where the ledger is missing nothing is checked: folders of
earlier versions have none, and a user may remove it to go on with the files that are left.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from foible.errors import GameFileError
from foible.runs.files import named, read_sealed, seal

LEDGER: Final = "finished.json"


class _Content(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    records: dict[str, int] = {}
    """The number of records of each file that grows, by its name."""
    hashes: dict[str, str] = {}
    """The hash of each file that stays as it is, by its path relative to the folder."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The ledger of a folder. The folder's lock ensures that only one process at a time writes it."""

    folder: Path

    def count(self, name: str) -> int:
        """The number of records that a file holds at least; 0 where nothing is known.

        :raises GameFileError: the ledger is damaged.
        """
        return self._read().records.get(name, 0)

    def set_count(self, name: str, count: int) -> None:
        """Note the number of records that a file holds. Errors as `count`.

        :raises OSError: the ledger cannot be written; names it.
        """
        content = self._read()
        if content.records.get(name, 0) != count:
            counts = {**content.records, name: count}
            self._write(_Content({name: count for name, count in counts.items() if count}, content.hashes))

    def hashes(self) -> Mapping[str, str]:
        """The hashes of the files that stay as they are, by their paths. Errors as `count`."""
        return self._read().hashes

    def check(self, way_on: Callable[[str], str]) -> None:
        """Check the files whose hashes are noted. `way_on`: the advice for the error message, by a file's name.

        :raises GameFileError: one is damaged or gone.
        """
        for name, noted in self.hashes().items():
            path = self.folder / name
            if not path.exists():
                raise GameFileError(f"{path}: is missing; {way_on(name)}")
            if file_hash(path) != noted:
                raise GameFileError(f"{path}: damaged: its hash is not the one that was noted; {way_on(name)}")

    def add_hashes(self, names: Iterable[str]) -> None:
        """Note the hashes of files that will not change from now on. Errors as `set_count`."""
        content = self._read()
        found = {name: file_hash(self.folder / name) for name in names}
        if found.items() - content.hashes.items():
            self._write(_Content(content.records, {**content.hashes, **found}))

    def _read(self) -> _Content:
        path = self.folder / LEDGER
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return _Content()
        try:
            return read_sealed(data, msgspec.json.Decoder(_Content).decode) if data else _Content()
        except GameFileError as error:
            raise GameFileError(
                f"{path}: cannot be read ({error}); remove it, and what the other files hold is all that is finished"
            ) from None

    def _write(self, content: _Content) -> None:
        """Write the ledger whole or not at all, but without syncing: after a power cut the counts may be too low."""
        path = self.folder / LEDGER
        draft = path.with_name(f".{LEDGER}.new")
        with named(path, draft):
            draft.write_bytes(seal(msgspec.json.encode(content, order="deterministic")) + b"\n")
            draft.replace(path)


def file_hash(path: Path) -> str:
    """The hash of a file's content, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, _new_hash).hexdigest()


def content_hash(content: bytes) -> str:
    """The hash of some content that is not in a file yet, as `file_hash` would give it."""
    found = _new_hash()
    found.update(content)
    return found.hexdigest()


def _new_hash() -> "hashlib.blake2b":
    return hashlib.blake2b(digest_size=16)
