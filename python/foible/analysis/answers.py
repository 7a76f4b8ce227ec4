"""Answers about positions that took long to find, kept on disk, and what they depend on.

    about.json            what gave the answers
    part-000000.parquet   one row per position: its key and the answer; never changed once it is there
    finished.json         the hashes of the parts
    lock                  held by the process that writes
    parts/FIRST-LAST      such a folder by itself, in which another process answers for this one (`foible.scale.parts`)

A part appears whole or not at all, so a process that is killed at any instant loses the part it was working on and
nothing else. What is asked again is found again: a position is answered once, however many games lead to it. Answers
depend on a player or judge as configured, the files behind its names, and the version of foible: others get another
folder.
"""

import hashlib
import io
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from foible._core import ChessPosition, __version__
from foible.agents.needs import file_hashes
from foible.analysis.helpers import Helpers
from foible.errors import GameFileError
from foible.runs.files import Closing, write_atomically
from foible.runs.folder import lock
from foible.runs.ledger import Ledger, file_hash
from foible.scale.parts import check_same, merge_all, parts_of, play_units, run_of, taken, unit_size, units_of

MAX_SLUG = 60

WITHOUT_EFFECT = ("name", "processes", "hang_after")
"""Keys that change no answer."""


def identity(spec: msgspec.Struct, nets: Mapping[str, str]) -> dict[str, Any]:
    """The specification, its programs and other files with their hashes.

    nets: what its nets stand for, `NetShelf.resolved`.
    """
    return {
        "spec": _effective(msgspec.to_builtins(spec)),
        "nets": dict(nets),
        "files": file_hashes(spec),
        "foible": __version__,
    }


def folder_name(name: str, about: Mapping[str, Any]) -> str:
    """A name for people with a hash of what the answers depend on: other answers get another folder."""
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
"""Answers many positions at once, none of which is over."""

PART_SECONDS = 20.0
"""How much work a part is meant to hold: what a kill may cost."""
SMALLEST, LARGEST = 16, 8192
"""Positions that are asked for at once."""
FIRST = 64

ASKED_AGAIN = "without it its positions are asked again"

KEY = {"key": pl.UInt64()}
ABOUT, LOCK = "about.json", "lock"

MOST_POSITIONS = 2048
"""Positions of a unit."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What others are told of who is to be asked."""

    work: Callable[..., None]
    """The function of their units; it takes the folder, `plain`, `expected`, positions, and what may differ."""
    plain: Any
    """How it is opened, as JSON has it."""
    expected: dict[str, Any]
    """What its answers have to depend on: its `about`, and the machine."""


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

    def __getitem__(self, position: ChessPosition) -> Row:
        return self._known[position.key]

    def missing(self, positions: Iterable[ChessPosition]) -> Iterator[ChessPosition]:
        """Those without an answer that are not over, each once."""
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
        """Find the missing answers, and tell how many they were; each part is on the disk before the next is begun.

        `positions` gives them anew at each call: they are counted first. `on_progress` gets the number of answers
        found so far and the number of all.
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

    def gather(
        self,
        positions: Callable[[], Iterable[ChessPosition]],
        errand: Errand,
        helpers: Helpers,
        on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> int:
        """As `fill`; others answer, each a part of the positions.

        :raises KeyboardInterrupt: it was interrupted; what was answered until then is kept.
        :raises FoibleError: as `Executor.run` and `merge`.
        """
        merge = partial(self.merge, expected=errand.expected, may_change=helpers.may_change)
        merge_all(self.folder, merge)
        asked, before = list(self.missing(positions())), len(self)
        if not asked:
            return 0

        def arguments(numbers: list[int]) -> tuple[Any, ...]:
            plain = [(asked[n].start_fen, asked[n].chess960, asked[n].moves) for n in numbers]
            return errand.plain, errand.expected, plain, helpers.may_change

        def tell() -> bool:
            waiting = sum(map(_finished, parts_of(self.folder)))
            on_progress(min(len(self) - before + waiting, len(asked)), len(asked))
            return False

        size = unit_size(len(asked), helpers.executor.workers, MOST_POSITIONS, together=1)
        units = units_of(self.folder, "positions", range(len(asked)), size, errand.work, arguments)
        on_progress(0, len(asked))
        complete = play_units(list(units), helpers.executor, merge, tell)
        merge_all(self.folder, merge)
        if not complete:
            raise KeyboardInterrupt
        return len(asked)

    def merge(self, part: Path, expected: Mapping[str, Any] | None = None, may_change: Sequence[str] = ()) -> None:
        """Take the answers of a part that are not there yet, and remove it.

        :param expected: what its answers have to depend on, and the machine; whatever it is when absent.
        :param may_change: keys in which its machine may differ.
        :raises ConfigError: it was made on another processor; or another process is still at work in it.
        :raises GameFileError: it is damaged, or an answer differs from the one that is there.
        :raises OSError: they cannot be written. The part is as it was then, as in all these cases.
        """
        with taken(part, LOCK):
            if expected is not None and (part / ABOUT).exists():
                check_same(expected, _read_about(part), part, may_change)
            found = _read(part, self._schema)
            if any(self._known.get(key, row) != row for key, row in found.items()):
                raise GameFileError(f"{self.folder} and {part}: not the same answer to a position; remove one of them")
            new = {key: row for key, row in found.items() if key not in self._known}
            if new:
                self._write([(key, *row) for key, row in new.items()])
                self._known |= new

    def close(self) -> None:
        self._lock.release()

    def _write(self, rows: Sequence[Row]) -> None:
        parts = _parts(self.folder)
        number = int(parts[-1].stem.removeprefix("part-")) + 1 if parts else 0
        part, buffer = self.folder / f"part-{number:06}.parquet", io.BytesIO()
        pl.DataFrame(rows, schema=self._schema, orient="row").write_parquet(buffer)
        write_atomically(part, buffer.getvalue())
        Ledger(self.folder).add_hashes([part.name])


def answer_part(
    folder: str,
    columns: Mapping[str, pl.DataType],
    ask: Ask,
    about: Mapping[str, Any],
    expected: Mapping[str, Any],
    positions: Sequence[tuple[str, bool, list[str]]],
    may_change: Sequence[str],
) -> None:
    """What a worker does with a unit of positions, in the folder of its part.

    :param about: what the answers of `ask` depend on, and the machine.
    :param expected: the same of the process that orders them.
    :param positions: each as where it began, whether that is Chess960, and the moves since.
    :param may_change: keys in which this machine may differ from the other.
    :raises ConfigError: the folder is not there on this machine; or who is asked is another here, or the processor is.
    """
    part = Path(folder)
    run = run_of(part, ABOUT)
    check_same(about, expected, run, may_change)
    with Answers(part, columns, about) as answers:
        answers.fill(lambda: (ChessPosition(fen, moves, chess960=odd) for fen, odd, moves in positions), ask)


def _read_about(folder: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode((folder / ABOUT).read_bytes(), type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise GameFileError(
            f"{folder / ABOUT}: cannot be read ({error}); remove {folder}, and its positions are asked again"
        ) from None


def _parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.parquet"))


def _read(folder: Path, schema: Mapping[str, pl.DataType]) -> dict[int, Row]:
    """The answers in a folder."""
    known: dict[int, Row] = {}
    hashes = Ledger(folder).hashes()
    for part in _parts(folder):
        if part.name in hashes and file_hash(part) != hashes[part.name]:
            raise GameFileError(f"{part}: damaged: its hash is not the one that was noted; {ASKED_AGAIN}")
        try:
            table = pl.read_parquet(part)
        except (pl.exceptions.PolarsError, OSError) as error:
            reason = str(error).splitlines()[0]
            raise GameFileError(f"{part}: cannot be read ({reason}); {ASKED_AGAIN}") from None
        if dict(table.schema) != schema:
            raise GameFileError(f"{part}: holds {', '.join(table.columns)}, not {', '.join(schema)}")
        known.update((row[0], row[1:]) for row in table.iter_rows())
    return known


def _finished(folder: Path) -> int:
    """How many answers a part holds that another process is writing."""
    with suppress(pl.exceptions.PolarsError, OSError):
        parts = _parts(folder)
        return int(pl.scan_parquet(parts).select(pl.len()).collect().item()) if parts else 0
    return 0


def _next_size(size: int, seconds: float) -> int:
    """As many positions as take `PART_SECONDS`, at most twice as many as before."""
    wanted = size * PART_SECONDS / max(seconds, 1e-6)
    return int(min(max(wanted, SMALLEST), 2 * size, LARGEST))
