"""Answers about positions that take long to compute, cached on disk together with all that they depend on.

    about.json            what the answers depend on: the player or judge, its files, the version
    part-000000.parquet   one row per position: its key and the answer; never changed once it is there
    finished.json         the hashes of the parts
    lock                  held by the process that writes into the folder
    parts/FIRST-LAST      a folder of the same form, which a worker fills (`foible.analysis.answers_by_workers`)

A part appears whole or not at all, so a process that is killed at any instant loses the part it was working on and
nothing else. A position is answered once, however many games lead to it, and looked up afterwards. Answers depend on
the settings of a player or judge, the files that these name, and the version of foible: where any of these differs,
the answers go to a different folder.
"""

import hashlib
import io
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from foible._core import ChessPosition, __version__
from foible.agents.named_files import file_hashes
from foible.errors import GameFileError
from foible.runs.files import Closing, write_atomically
from foible.runs.folder import lock
from foible.runs.ledger import Ledger, file_hash
from foible.scale.parts import merge_all, taken

MAX_SLUG = 60

WITHOUT_EFFECT = ("name", "processes", "hang_after")
"""Settings that do not affect the answers and are left out of the identity."""


def identity(spec: msgspec.Struct, nets: Mapping[str, str]) -> dict[str, Any]:
    """What the answers of a player or judge depend on: its specification, nets, file hashes, and foible's version.

    nets: the nets that the names in the specification stand for, from `NetShelf.resolved`.
    """
    return {
        "spec": _effective(msgspec.to_builtins(spec)),
        "nets": dict(nets),
        "files": file_hashes(spec),
        "foible": __version__,
    }


def folder_name(name: str, about: Mapping[str, Any]) -> str:
    """A folder name: a readable name and a hash of what the answers depend on, so that other answers go elsewhere."""
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
    slug = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:MAX_SLUG]
    return f"{slug or 'unnamed'}-{digest[:8]}"


def _effective(settings: Any) -> Any:
    if isinstance(settings, dict):
        return {key: _effective(value) for key, value in settings.items() if key not in WITHOUT_EFFECT}
    return [_effective(item) for item in settings] if isinstance(settings, list) else settings


Row = tuple[Any, ...]
"""An answer: one value for each column."""

Ask = Callable[[Sequence[ChessPosition]], Sequence[Row]]
"""A function that answers many positions at once; in none of them is the game over."""

PART_SECONDS = 20.0
"""How many seconds of work a part should hold, and so about how much is lost when the process is killed."""
SMALLEST, LARGEST = 16, 8192
"""Bounds of the number of positions in one batch."""
FIRST = 64

ASKED_AGAIN = "without it its positions are asked again"

KEY = {"key": pl.UInt64()}
ABOUT, LOCK = "about.json", "lock"


class Answers(Closing):
    """An open folder of answers. Closing it, or the end of the process, releases its lock."""

    def __init__(self, folder: Path, columns: Mapping[str, pl.DataType], about: Mapping[str, Any]) -> None:
        """`about`: what the answers depend on, for whoever looks into the folder.

        :raises ConfigError: another process writes into the folder.
        :raises GameFileError: a part is damaged.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._schema = {**KEY, **columns}
        self._lock = lock(folder / LOCK)
        try:
            for draft in self.folder.glob(".*.new"):
                draft.unlink()
            self._known: dict[int, Row] = _read(folder, self._schema)
            if not (folder / ABOUT).exists():
                write_atomically(folder / ABOUT, json.dumps(about, indent=2) + "\n")
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, position: ChessPosition) -> bool:
        return position.key in self._known

    def __getitem__(self, position: ChessPosition) -> Row:
        return self._known[position.key]

    def missing(self, positions: Iterable[ChessPosition]) -> Iterator[ChessPosition]:
        """The positions that have no answer yet and in which the game is not over, each once."""
        seen: set[int] = set()
        for position in positions:
            key = position.key
            if key not in self._known and key not in seen and position.outcome() is None:
                seen.add(key)
                yield position

    def fill(
        self,
        positions: Callable[[], Iterable[ChessPosition]],
        ask: Ask,
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> int:
        """Find the missing answers and return their number; each part is on the disk before the next is begun.

        `positions` must yield all positions anew at each call, since a first pass counts them. `on_progress` gets the
        number of answers found so far and the number to find in all.
        """
        merge_all(self.folder, self.merge)
        total = sum(1 for _ in self.missing(positions()))
        pending, size, found = self.missing(positions()), FIRST, 0
        while batch := list(islice(pending, size)):
            if not found:
                on_progress(0, total)
            begin = time.monotonic()
            rows = [(position.key, *row) for position, row in zip(batch, ask(batch), strict=True)]
            self._write(rows)
            self._known.update((key, tuple(row)) for key, *row in rows)
            found += len(rows)
            on_progress(found, total)
            size = _next_size(size, time.monotonic() - begin)
        return total

    def take(self, part: Path) -> None:
        """Add the answers that this folder lacks from a worker's folder.

        :raises GameFileError: the part is damaged, or one of its answers differs from the one already here.
        :raises OSError: the answers cannot be written.
        """
        found = _read(part, self._schema)
        if any(self._known.get(key, row) != row for key, row in found.items()):
            raise GameFileError(f"{self.folder} and {part}: not the same answer to a position; remove one of them")
        new = {key: row for key, row in found.items() if key not in self._known}
        if new:
            self._write([(key, *row) for key, row in new.items()])
            self._known |= new

    def merge(self, part: Path) -> None:
        """`take` the answers in a worker's folder, and remove the folder.

        :raises ConfigError: another process is still at work in it.
        """
        with taken(part, LOCK):
            self.take(part)

    def close(self) -> None:
        self._lock.release()

    def _write(self, rows: Sequence[Row]) -> None:
        parts = answer_files(self.folder)
        number = int(parts[-1].stem.removeprefix("part-")) + 1 if parts else 0
        part, buffer = self.folder / f"part-{number:06}.parquet", io.BytesIO()
        pl.DataFrame(rows, schema=self._schema, orient="row").write_parquet(buffer)
        write_atomically(part, buffer.getvalue())
        Ledger(self.folder).add_hashes([part.name])


def answer_files(folder: Path) -> list[Path]:
    """The files with the answers of a folder, in order."""
    return sorted(folder.glob("part-*.parquet"))


def _read(folder: Path, schema: Mapping[str, pl.DataType]) -> dict[int, Row]:
    """The answers in a folder, by the key of their position."""
    known: dict[int, Row] = {}
    hashes = Ledger(folder).hashes()
    for part in answer_files(folder):
        if part.name in hashes and file_hash(part) != hashes[part.name]:
            raise GameFileError(f"{part}: damaged: its hash is not the one that was noted; {ASKED_AGAIN}")
        try:
            table = pl.read_parquet(part.read_bytes())  # polars knows no path that is not UTF-8
        except (pl.exceptions.PolarsError, OSError) as error:
            reason = str(error).splitlines()[0]
            raise GameFileError(f"{part}: cannot be read ({reason}); {ASKED_AGAIN}") from None
        if dict(table.schema) != schema:
            raise GameFileError(f"{part}: holds {', '.join(table.columns)}, not {', '.join(schema)}")
        known.update((row[0], row[1:]) for row in table.iter_rows())
    return known


def _next_size(size: int, seconds: float) -> int:
    """The size of the next batch: as many positions as take `PART_SECONDS`, at most twice as many as before."""
    wanted = size * PART_SECONDS / max(seconds, 1e-6)
    return int(min(max(wanted, SMALLEST), 2 * size, LARGEST))
