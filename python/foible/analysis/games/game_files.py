"""From PGN files to the facts of their games."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from foible.analysis.games.game_facts import GameFacts, facts_of
from foible.analysis.games.games_summary import Summary, summarise
from foible.analysis.games.opening_names import NO_TABLE, Openings
from foible.errors import GameFileError
from foible.games.pgn import read_pgn
from foible.games.phases import PhaseTable

ALL = "all files"

OnGame = Callable[[int], None]
"""Told how many games are done."""


@dataclass(frozen=True, slots=True)
class GameSet:
    """The games of a file, or of all files."""

    name: str
    """The file's, without the suffixes of PGN."""
    file: str | None
    """Its path; `None` for all files."""
    games: tuple[GameFacts, ...]
    summary: Summary
    skipped: int = 0
    """Games that cannot be read."""
    reasons: tuple[str, ...] = ()
    """Why, of the first hundred."""


@dataclass(frozen=True, slots=True)
class GameFiles:
    """What was read: each file, and all of them together."""

    files: tuple[GameSet, ...]
    total: GameSet

    @property
    def sets(self) -> tuple[GameSet, ...]:
        """What is compared: the files, and where there are several their total."""
        return self.files if len(self.files) == 1 else (*self.files, self.total)


def read_files(
    paths: Sequence[Path],
    openings: Openings = NO_TABLE,
    on_game: OnGame = lambda _done: None,
    table: PhaseTable | None = None,
) -> GameFiles:
    """The games of each file; `openings` names what their tags do not, `table` tells their phases apart.

    :raises GameFileError: a file is missing, cannot be unpacked, or holds no game that can be read.
    """
    files: list[GameSet] = []
    done = 0
    texts = [os.fsencode(path).decode("utf-8", "replace") for path in paths]
    for path, text, name in zip(paths, texts, _names(texts), strict=True):
        reader = read_pgn(path, comments=True)
        games: list[GameFacts] = []
        for game in reader:
            games.append(facts_of(game, openings, table))
            on_game(done + len(games))
        done += len(games)
        if not games:
            reason = f"; {reader.errors[0]}" if reader.errors else ""
            raise GameFileError(f"{path}: no game that can be read{reason}; expected PGN")
        files.append(GameSet(name, text, tuple(games), summarise(games, table), reader.skipped, tuple(reader.errors)))
    if len(files) == 1:
        return GameFiles(tuple(files), files[0])
    every = tuple(game for file in files for game in file.games)
    skipped = sum(file.skipped for file in files)
    return GameFiles(tuple(files), GameSet(ALL, None, every, summarise(every, table), skipped))


def _names(paths: Sequence[str]) -> list[str]:
    """Short names; number and path where two files would have the same."""
    short = [re.sub(r"\.pgn(\.\w+)?$", "", name, flags=re.IGNORECASE) or name for name in map(os.path.basename, paths)]
    pairs = enumerate(zip(short, paths, strict=True), 1)
    return [name if short.count(name) == 1 else f"{number}: {path}" for number, (name, path) in pairs]
