"""A deck for training from one's own games: a folder of puzzles, made whole or not at all."""

import re
import shutil
from collections.abc import Generator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from foible.analysis.puzzles.mining import MiningJournal, parts_of_work, settings
from foible.analysis.puzzles.mining_sources import Census, take_census
from foible.analysis.puzzles.mining_stages import Tools
from foible.analysis.puzzles.puzzle_files import write_all
from foible.errors import ConfigError, GameFileError
from foible.runs.files import write_atomically
from foible.runs.folder import expect_folder

GAMES: Final = "games.pgn"
"""The file in a deck's folder that holds the games themselves."""
PART: Final = 64
"""Positions in a part of the work, some two games; few, since a user waits and may close the work in between."""
NAME: Final = re.compile(r"\w[\w .,'-]{0,59}")


@dataclass(frozen=True, slots=True)
class Making:
    """The progress of making a deck."""

    positions: int
    """Positions looked at so far."""
    total: int
    """Positions to be looked at in all."""
    games: int
    """Games finished so far."""
    games_given: int
    """Games given in all; where a player is named, only that player's."""
    left_out: int
    """Games that could not be replayed, and games of Chess960."""
    puzzles: int
    """Puzzles found so far."""
    done: bool = False


def make_deck(
    folder: Path, name: str, pgn: str, tools: Tools, nets: Mapping[str, str], *, most: int
) -> Generator[Making, None, None]:
    """Find the puzzles in some games, and write the files that `foible puzzles` would write into `folder / name`.

    Yields the progress at the start, after each part of the work, and at the end, when the deck is complete. If it is
    closed before, or something fails, or there is no puzzle, no folder is left.

    :param pgn: the games as PGN text.
    :param nets: the nets, as for `settings`.
    :param most: about how many positions to look at; games are taken whole, from the first one on.
    :raises ConfigError: the name does not suit a folder, or is taken; or no player is called `tools.player`.
    :raises GameFileError: there is no game in `pgn`.
    :raises OSError: the folder cannot be written.
    """
    if not NAME.fullmatch(name) or name != name.strip(" ."):
        wanted = "1 to 60 letters, digits, spaces and . , ' - _, the first a letter, a digit or _, no space or . last"
        raise ConfigError(f"deck {name!r}: expected {wanted}")
    if (folder / name).exists():
        raise ConfigError(f"there is something called {name!r} already; expected another name")
    expect_folder(folder)
    draft = folder / f".{name}.new"  # a draft left by a killed process is deleted the next time
    with ExitStack() as end:
        shutil.rmtree(draft, ignore_errors=True)
        end.callback(shutil.rmtree, draft, ignore_errors=True)
        draft.mkdir(parents=True)
        games = draft / GAMES
        write_atomically(games, pgn)
        census = _census(games, tools.player)
        with MiningJournal(draft, settings(tools, nets)) as journal:
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
    """Count the games. Errors as `make_deck`; they leave out the draft's file name, which means nothing to users."""
    try:
        return take_census([games], player)
    except GameFileError as error:
        reason = str(error).removeprefix(f"{games}: ")
        raise GameFileError(f"the games: {reason}; expected PGN, from its tags to its result") from None


def _so_far(journal: MiningJournal, census: Census, most: int) -> Making:
    total = min(sum(census.positions.values()), most)
    return Making(
        positions=min(journal.positions, total),
        total=total,
        games=len(journal.done),
        games_given=len(census.positions),
        left_out=census.left_out,
        puzzles=len(journal.puzzles),
    )
