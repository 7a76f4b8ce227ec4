"""Reads training runs from the disk, also while they are under way: their generations and self-play games.

Nothing in the run folders is changed.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from foible.errors import ConfigError, GameFileError
from foible.runs.folder import CONFIG, kind_of_run
from foible.runs.journal import read_journal
from foible.selfplay.go.record import GoSelfplayRecord
from foible.selfplay.go.starts import first_games
from foible.toml import AnyPath, expand
from foible.training.go.config import GoTrainConfig, read_config
from foible.training.go.folder import GENERATIONS, games_path
from foible.training.go.generation import Generation


@dataclass(frozen=True, slots=True)
class RecordedGoTraining:
    """A run with its finished generations."""

    name: str
    """As many of the last parts of the run's path as are needed to tell it from the other runs."""
    folder: Path
    config: GoTrainConfig
    generations: tuple[Generation, ...]
    """The finished generations; there is at least the one of the random net."""


def read_runs(folders: Sequence[Path]) -> list[RecordedGoTraining]:
    """Read runs that are to be compared.

    :raises ConfigError: a folder holds no run or is given twice, no generation of it is over, or the boards differ.
    :raises GameFileError: a list of generations is damaged.
    """
    paths = [Path(os.path.abspath(expand(folder))) for folder in folders]
    for folder, path in zip(folders, paths, strict=True):
        if paths.count(path) > 1:
            raise ConfigError(f"{folder} stands there twice")
    runs = [_read_run(name, folder) for name, folder in zip(distinct_names(paths), folders, strict=True)]
    sizes = {run.config.size: run.name for run in runs}
    if len(sizes) > 1:
        boards = ", ".join(f"{name} is on {size}×{size}" for size, name in sizes.items())
        raise ConfigError(f"runs on different boards do not compare: {boards}")
    return runs


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """For each of several different absolute paths, as many of its last parts as are needed to tell it from the others.

    >>> distinct_names([Path("/a/run"), Path("/b/run"), Path("/b/other")])
    ['a/run', 'b/run', 'other']
    """
    return [_distinct(path.parts, [other.parts for other in paths if other != path]) for path in paths]


def recorded_run(folder: Path) -> tuple[GoTrainConfig, list[Generation]]:
    """Read the configuration and the finished generations of a run, which may be over or under way.

    :raises ConfigError: the folder is not that of a training run, or its configuration cannot be read.
    :raises GameFileError: the list of generations is damaged.
    """
    if not folder.exists():
        raise ConfigError(f"{folder}: no such folder")
    if kind_of_run(folder) != "go training":
        raise ConfigError(f"{folder}: expected the folder of a run of foible go train")
    return read_config(folder / CONFIG), read_journal(folder / GENERATIONS, Generation)


def _read_run(name: str, folder: Path) -> RecordedGoTraining:
    folder = expand(folder)
    config, generations = recorded_run(folder)
    if not generations:
        raise ConfigError(f"{folder}: no generation of this run is over yet")
    return RecordedGoTraining(name, folder, config, tuple(generations))


def _distinct(own: Sequence[str], others: Sequence[Sequence[str]]) -> str:
    count = next(count for count in range(1, len(own) + 1) if all(own[-count:] != other[-count:] for other in others))
    return str(Path(*own[-count:]))


@dataclass(frozen=True, slots=True)
class RecordedGoSelfplay:
    """The self-play of a run, as read from its folder."""

    folder: Path
    size: int
    """The number of points on a side of the board."""
    wanted: int
    """The number of games of a generation, branches included."""
    finished: dict[int, Generation]
    """The finished generations, by number."""
    numbers: tuple[int, ...]
    """The numbers of the generations that have games, ascending; the last may be under way."""

    def games(self, number: int) -> list[GoSelfplayRecord]:
        """The games of a generation, in order; for a generation under way, those finished so far.

        :raises GameFileError: the file is damaged, or its games are on another board.
        """
        path = games_path(self.folder, number)
        games = read_journal(path, GoSelfplayRecord)
        for line, game in enumerate(games, 1):
            if not game.id:
                raise GameFileError(f"{path}, line {line}: a game without a number")
            if game.size != self.size:
                found = f"a game on a board of size {game.size}; the run's is {self.size}"
                raise GameFileError(f"{path}, line {line}: {found}")
        return first_games(games, self.wanted)

    def net(self, number: int) -> str:
        """The net that played a generation, named by the folder of the generation it came from; empty if unknown."""
        before = self.finished.get(number - 1)
        return "" if before is None else f"gen-{before.best:04}"


def read_run(folder: AnyPath) -> RecordedGoSelfplay:
    """Open a run, over or under way. Errors as `recorded_run`."""
    folder = expand(folder)
    config, generations = recorded_run(folder)
    found = (re.fullmatch(r"gen-(\d{4,})", path.parent.name) for path in folder.glob("gen-*/games.jsonl"))
    return RecordedGoSelfplay(
        folder=folder,
        size=config.size,
        wanted=config.protocol.games,
        finished={one.number: one for one in generations},
        numbers=tuple(sorted(int(name[1]) for name in found if name)),
    )
