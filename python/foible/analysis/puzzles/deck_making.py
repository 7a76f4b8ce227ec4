"""A deck for training from one's own games: a folder of puzzles, made whole or not at all."""

import re
import shutil
from collections.abc import Generator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from foible.analysis.puzzles.mining import Journal, parts_of_work, settings
from foible.analysis.puzzles.mining_sources import Census, take_census
from foible.analysis.puzzles.mining_stages import Tools
from foible.analysis.puzzles.puzzle_files import write_all
from foible.errors import ConfigError, GameFileError
from foible.runs.files import write_atomically
from foible.runs.folder import expect_folder

GAMES: Final = "games.pgn"
"""Where the games themselves are kept."""
PART: Final = 64
"""Positions that are worked on together, some two games: somebody waits, and may go away."""
NAME: Final = re.compile(r"\w[\w .,'-]{0,59}")


@dataclass(frozen=True, slots=True)
class Making:
    """How far it is."""

    positions: int
    """Looked at."""
    total: int
    """To be looked at."""
    games: int
    """Done."""
    games_given: int
    """Those of the player, where one is named."""
    left_out: int
    """Games that could not be replayed, and games of Chess960."""
    puzzles: int
    """Found so far."""
    done: bool = False


def make_deck(
    folder: Path, name: str, pgn: str, tools: Tools, nets: Mapping[str, str], *, most: int
) -> Generator[Making, None, None]:
    """Find the puzzles of some games, and put what `foible puzzles` would write into `folder / name`.

    Yields at the start, after each part of the work, and at the end, when the deck is there. Closed before, or where
    something fails, it leaves nothing; where there was no puzzle, neither.

    :param pgn: the games.
    :param nets: as `settings` takes them.
    :param most: positions that are looked at, by whole games from the first one on.
    :raises ConfigError: the name is none for a folder, or is taken; or nobody in the games is called as `tools.player`.
    :raises GameFileError: there is no game in `pgn`.
    :raises OSError: the folder cannot be written.
    """
    if not NAME.fullmatch(name) or name != name.strip(" ."):
        raise ConfigError(f"deck {name!r}: expected 1 to 60 letters, digits, spaces and . , ' - _, a letter first")
    if (folder / name).exists():
        raise ConfigError(f"there is something called {name!r} already; expected another name")
    expect_folder(folder)
    draft = folder / f".{name}.new"  # what a kill leaves of it is overwritten the next time
    with ExitStack() as end:
        shutil.rmtree(draft, ignore_errors=True)
        end.callback(shutil.rmtree, draft, ignore_errors=True)
        draft.mkdir(parents=True)
        games = draft / GAMES
        write_atomically(games, pgn)
        census = _census(games, tools.player)
        with Journal(draft, settings(tools, nets)) as journal:
            yield _so_far(journal, census, most)
            for _ in parts_of_work([games], tools, journal, PART):
                yield _so_far(journal, census, most)
                if journal.positions >= most:
                    break
            puzzles = journal.puzzles
        if puzzles:
            write_all(draft, puzzles)
            draft.rename(folder / name)
        yield replace(_so_far(journal, census, most), done=True)


def _census(games: Path, player: str | None) -> Census:
    """Errors as `make_deck`; they do not name the file, which nobody else knows."""
    try:
        return take_census([games], player)
    except GameFileError as error:
        reason = str(error).removeprefix(f"{games}: ")
        raise GameFileError(f"the games: {reason}; expected PGN, from its tags to its result") from None


def _so_far(journal: Journal, census: Census, most: int) -> Making:
    total = min(sum(census.positions.values()), most)
    return Making(
        positions=min(journal.positions, total),
        total=total,
        games=len(journal.done),
        games_given=len(census.positions),
        left_out=census.left_out,
        puzzles=len(journal.puzzles),
    )
