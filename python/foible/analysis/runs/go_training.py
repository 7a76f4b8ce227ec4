"""Training of Go from random play, over or under way: its generations, and how far the current one is."""

from pathlib import Path

import msgspec

from foible.analysis.runs.standing import Standing, noted, recorded, whole_number
from foible.games.go import PERFECT_MARGINS
from foible.runs.configuration import CONFIG
from foible.runs.follow import FollowedFile
from foible.runs.journal import JsonLines
from foible.training.go.config import read_config
from foible.training.go.folder import games_path
from foible.training.go.generation import Generation, ended

GENERATIONS = "generations.jsonl"


class GoTrainingRun(msgspec.Struct, frozen=True, kw_only=True, tag="go training"):
    """A run from random play."""

    size: int
    asked: int
    """Generations, that of the random net left out."""
    generations: list[Generation]
    """Those that are over, the random net's first."""
    perfect: int | None
    """Black's margin where both play perfectly; `None` of boards of which nobody knows it."""
    games: int
    """Games of the generation under way, so far."""
    games_asked: int
    """Games of each generation."""
    ended: str | None
    """Why nothing more is to be learnt, before all generations are over."""


class GoTrainingReader:
    """Reads a run again and again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._generations = FollowedFile(folder / GENERATIONS, JsonLines(Generation))

    def read(self) -> GoTrainingRun:
        """Errors as `describe_run`."""
        config, generations = read_config(self._folder / CONFIG), self._generations.read()
        games = games_path(self._folder, len(generations))
        return GoTrainingRun(
            size=config.size,
            asked=config.generations,
            generations=generations,
            perfect=PERFECT_MARGINS.get(config.size),
            games=noted(games.parent, games.name),
            games_asked=config.protocol.games,
            ended=ended(config, generations),
        )


def go_training_standing(folder: Path) -> Standing:
    """Generations that are over, by the ledger; the random net is none."""
    return Standing(
        max(0, noted(folder, GENERATIONS) - 1), whole_number(recorded(folder), "generations"), "generations"
    )
