"""What has been looked at and what was found, kept so that a job can be stopped at any instant.

    about.json       the settings that the puzzles depend on
    journal.jsonl    one line per part of the work, with its checksum; only ever appended to
    finished.json    how many parts that are
    lock             held by the process that writes

A part is some games and all puzzles found in them. Its line is on the disk before the next part is begun; what a kill
leaves of an unfinished line is cut off when the folder is opened again, and that part is done again.
"""

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from foible.analysis.puzzles.puzzle import Puzzle
from foible.errors import ConfigError
from foible.runs.files import write_atomically
from foible.runs.folder import lock
from foible.runs.journal import JsonLines, RecordFile


class Part(msgspec.Struct, frozen=True):
    """A part of the work."""

    games: list[str]
    """Keys of the games that it has finished."""
    positions: int
    """Looked at."""
    seconds: float
    """That it took."""
    dropped: dict[str, int]
    """By reason how many positions were no puzzle; the keys of `mining_stages.REASONS`."""
    puzzles: list[Puzzle]


class Journal:
    """An open folder of puzzles. Closing it, or the end of the process, releases its lock."""

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        """`about`: the settings; plain values.

        :raises ConfigError: the folder was made with other settings, or another process writes there.
        :raises GameFileError: its journal cannot be read.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        with ExitStack() as held:
            held.callback(lock(folder / "lock").release)
            self._settle(dict(about))
            self._parts = held.enter_context(RecordFile(folder / "journal.jsonl", JsonLines(Part)))
            self._parts.begin()
            self._held = held.pop_all()
        self.done = {game for part in self.parts for game in part.games}

    @property
    def parts(self) -> list[Part]:
        """All that are done, in order."""
        return self._parts.items

    @property
    def puzzles(self) -> list[Puzzle]:
        """All that were found, in the order of the games."""
        return [puzzle for part in self.parts for puzzle in part.puzzles]

    @property
    def positions(self) -> int:
        return sum(part.positions for part in self.parts)

    @property
    def seconds(self) -> float:
        return sum(part.seconds for part in self.parts)

    @property
    def dropped(self) -> Counter[str]:
        return sum((Counter(part.dropped) for part in self.parts), Counter())

    def append(self, part: Part) -> None:
        """Keep a part; it is on the disk when this returns."""
        self._parts.append([part])
        self.done.update(part.games)

    def close(self) -> None:
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _settle(self, about: dict[str, Any]) -> None:
        path = self.folder / "about.json"
        now = json.loads(json.dumps(about))
        if not path.exists():
            write_atomically(path, json.dumps(now, indent=2) + "\n")
            return
        try:
            before = json.loads(path.read_text("utf-8"))
        except ValueError:
            raise ConfigError(f"{path}: not JSON; choose another folder") from None
        if not isinstance(before, dict):
            raise ConfigError(f"{path}: not the settings of puzzles; choose another folder")
        changed = [f"{key} = {before.get(key)!r} (now {now.get(key)!r})" for key in now if before.get(key) != now[key]]
        if changed:
            raise ConfigError(f"{self.folder}: made with {', '.join(changed[:3])}; choose another folder")
