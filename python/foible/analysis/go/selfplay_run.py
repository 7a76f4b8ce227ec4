"""The self-play of a run of `foible go train`, read while it may be going on: nothing in its folder is touched."""

import re
from dataclasses import dataclass
from pathlib import Path

from foible.analysis.go.training_runs import recorded_run
from foible.errors import GameFileError
from foible.journal import read_journal
from foible.selfplay.go.record import GoGame
from foible.selfplay.go.starts import first_games
from foible.training.go.folder import games_path
from foible.training.go.generation import Generation


@dataclass(frozen=True, slots=True)
class SelfplayRun:
    """What a run's folder says of its self-play."""

    folder: Path
    size: int
    """Points on a side of the board."""
    wanted: int
    """Games of a generation, branches included."""
    finished: dict[int, Generation]
    """The generations that are over, by number."""
    numbers: tuple[int, ...]
    """The generations of which there are games, ascending; the last may be under way."""

    def games(self, number: int) -> list[GoGame]:
        """The games that a generation consists of, in turn; of one under way, those that are finished.

        :raises GameFileError: the file is damaged, or its games are for another board.
        """
        path = games_path(self.folder, number)
        games = read_journal(path, GoGame)
        for line, game in enumerate(games, 1):
            if not game.id:
                raise GameFileError(f"{path}, line {line}: a game without a number")
            if game.size != self.size:
                found = f"a game on a board of size {game.size}; the run's is {self.size}"
                raise GameFileError(f"{path}, line {line}: {found}")
        return first_games(games, self.wanted)

    def net(self, number: int) -> str:
        """The net that played a generation, by the name of the folder that it came of; empty where that is unknown."""
        before = self.finished.get(number - 1)
        return "" if before is None else f"gen-{before.best:04}"


def read_run(folder: Path) -> SelfplayRun:
    """Open a run, over or under way. Errors as `recorded_run`."""
    config, generations = recorded_run(folder)
    found = (re.fullmatch(r"gen-(\d{4,})", path.parent.name) for path in folder.glob("gen-*/games.jsonl"))
    return SelfplayRun(
        folder=folder,
        size=config.size,
        wanted=config.protocol.games,
        finished={one.number: one for one in generations},
        numbers=tuple(sorted(int(name[1]) for name in found if name)),
    )
