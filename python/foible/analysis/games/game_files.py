"""Reads PGN files and collects the facts of their games."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from foible.analysis.games.game_facts import GameFacts, facts_of
from foible.analysis.games.games_summary import Summary, summarise
from foible.analysis.games.opening_names import NO_TABLE, OpeningNames
from foible.errors import GameFileError
from foible.games.pgn import read_pgn
from foible.games.phases import PhaseTable
from foible.mistakes import check_pgn_files
from foible.toml import AnyPath

ALL = "all files"

OnGame = Callable[[int], None]
"""A function that is called with the number of games done."""


@dataclass(frozen=True, slots=True)
class GameSet:
    """The games of a file, or of all files."""

    name: str
    """The name of the file, without the suffixes of PGN; `ALL` for all files."""
    file: str | None
    """The path of the file; `None` for all files."""
    games: tuple[GameFacts, ...]
    summary: Summary
    skipped: int = 0
    """The number of games that cannot be read."""
    reasons: tuple[str, ...] = ()
    """Why the first hundred of these cannot be read."""


@dataclass(frozen=True, slots=True)
class GameFiles:
    """The games of each file, and of all files together."""

    files: tuple[GameSet, ...]
    total: GameSet

    @property
    def sets(self) -> tuple[GameSet, ...]:
        """The sets to compare: the files, and their total where there are several."""
        return self.files if len(self.files) == 1 else (*self.files, self.total)


def read_files(
    paths: Sequence[AnyPath],
    openings: OpeningNames = NO_TABLE,
    on_game: OnGame = lambda _done: None,
    table: PhaseTable | None = None,
) -> GameFiles:
    """Read the games of each file. `openings` and `table`: as in `facts_of`.

    :raises ConfigError: `paths` is a single one.
    :raises GameFileError: a file is missing, cannot be unpacked, or holds no game that can be read.
    """
    check_pgn_files(paths)
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
    """A short name for each file; its number and path where the short name is not unique."""
    short = [re.sub(r"\.pgn(\.\w+)?$", "", name, flags=re.IGNORECASE) or name for name in map(os.path.basename, paths)]
    pairs = enumerate(zip(short, paths, strict=True), 1)
    return [name if short.count(name) == 1 else f"{number}: {path}" for number, (name, path) in pairs]
