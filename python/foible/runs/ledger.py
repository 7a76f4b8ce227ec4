"""How much is finished in the files of a folder, kept apart from them, so that it is noticed when something is gone.

    finished.json   how many records the files that grow hold at least, and the hashes of those that stay as they are

A count is raised after its records are on the disk, and lowered before some of them go. So a kill of the process at any
instant leaves one that is too low, never one that is too high. Folders of earlier versions have no such file, and
nothing is expected of them; the same is true where somebody has removed it, to go on with what is left.
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
    """By the names of files that grow."""
    hashes: dict[str, str] = {}
    """By the paths, in the folder, of files that stay."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is known to be finished in a folder. One process at a time writes it: the folder's lock sees to that."""

    folder: Path

    def count(self, name: str) -> int:
        """Records that a file holds at least; 0 where nothing is known.

        :raises GameFileError: the ledger is damaged.
        """
        return self._read().records.get(name, 0)

    def set_count(self, name: str, count: int) -> None:
        """Errors as `count`.

        :raises OSError: it cannot be written, names it.
        """
        content = self._read()
        if content.records.get(name, 0) != count:
            counts = {**content.records, name: count}
            self._write(_Content({name: count for name, count in counts.items() if count}, content.hashes))

    def hashes(self) -> Mapping[str, str]:
        """Those of the files that stay as they are. Errors as `count`."""
        return self._read().hashes

    def check(self, way_on: Callable[[str], str]) -> None:
        """Check that the files that stay as they are have done so. `way_on`: by the name of one, what there is to do.

        :raises GameFileError: one is damaged or gone.
        """
        for name, noted in self.hashes().items():
            path = self.folder / name
            if not path.exists():
                raise GameFileError(f"{path}: is missing; {way_on(name)}")
            if file_hash(path) != noted:
                raise GameFileError(f"{path}: damaged: its hash is not the one that was noted; {way_on(name)}")

    def add_hashes(self, names: Iterable[str]) -> None:
        """From now on these files stay as they are. Errors as `set_count`."""
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
        """Whole or not at all, but not at once on the disk: a raised count that a power cut loses is one too low."""
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
    """The same of what is not in a file yet."""
    found = _new_hash()
    found.update(content)
    return found.hexdigest()


def _new_hash() -> "hashlib.blake2b":
    return hashlib.blake2b(digest_size=16)
