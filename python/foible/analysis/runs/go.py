"""Runs of Go, finished or under way: matches of two players, with their score, margins and latest games; and trainings
from random play, with their generations.
"""

from pathlib import Path

import msgspec

from foible.analysis.runs.matches import LATEST
from foible.analysis.runs.run_progress import Standing, noted, recorded, whole_number
from foible.arena.elo import Elo
from foible.arena.go.config import GoMatchConfig, read_config as read_match_config
from foible.arena.go.record import GoRecord
from foible.arena.go.report import Cell, Mean, cell_of
from foible.arena.go.store import GoStore
from foible.games.go import PERFECT_MARGINS
from foible.runs.folder import CONFIG
from foible.runs.journal import FollowedFile, JsonLines
from foible.training.go.config import read_config as read_training_config
from foible.training.go.folder import GENERATIONS, games_path
from foible.training.go.generation import Generation, ended


class GoGameShown(msgspec.Struct, frozen=True, kw_only=True):
    """A game of a run, for display."""

    number: int
    """The number of the game in the match of these two players, from 0."""
    black: str
    white: str
    rows: list[str]
    """The board at the end, from the top: `X` Black, `O` White, `.` empty."""
    last_move: str
    """A vertex or `pass`."""
    plies: int
    result: str
    """The result in SGF's notation."""
    termination: str


class GoCell(msgspec.Struct, frozen=True, kw_only=True):
    """The finished games of two players, as seen by the one under test."""

    focal: str
    opponent: str
    games: int
    total: int
    wins: int
    draws: int
    losses: int
    share: Mean
    """Points per game, 0 to 1; the error is by pairs."""
    elo: Elo | None
    margin: Mean
    """The margin in points after komi, over the games that were scored by counting."""
    margin_won: Mean


class GoMatchRun(msgspec.Struct, frozen=True, kw_only=True, tag="go match"):
    """All matches of a run."""

    size: int
    komi: float
    cells: list[GoCell]
    latest: list[GoGameShown]
    """The games that finished last, the newest first."""


class GoMatchReader:
    """Reads a run of matches, repeatedly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._games = FollowedFile(folder / GoStore.GAMES, JsonLines(GoRecord))

    def read(self) -> GoMatchRun:
        """Errors as `describe_run`."""
        config = read_match_config(self._folder / CONFIG)
        games = self._games.read()
        return GoMatchRun(
            size=config.size,
            komi=config.komi,
            cells=[_shown(cell_of(*names, games), config.rules.games) for names in config.cells],
            latest=[_game(game) for game in games[: -LATEST - 1 : -1]],
        )


def _shown(cell: Cell, total: int) -> GoCell:
    statistics = cell.statistics
    losses, draws, wins = statistics.games.counts
    return GoCell(
        focal=cell.focal,
        opponent=cell.opponent,
        games=statistics.games.n,
        total=total,
        wins=wins,
        draws=draws,
        losses=losses,
        share=statistics.share,
        elo=statistics.elo,
        margin=statistics.margin,
        margin_won=statistics.margin_won,
    )


def _game(game: GoRecord) -> GoGameShown:
    return GoGameShown(
        number=game.number,
        black=game.black,
        white=game.white,
        rows=game.position().board.split("\n"),
        last_move=game.moves[-1] if game.moves else "",
        plies=game.plies,
        result=game.result,
        termination=game.termination,
    )


def go_match_standing(folder: Path) -> Standing:
    """The number of finished games, by the ledger."""
    return Standing(noted(folder, GoStore.GAMES), _asked(read_match_config(folder / CONFIG)), "games")


def _asked(config: GoMatchConfig) -> int:
    return config.rules.games * len(config.cells)


class GoTrainingRun(msgspec.Struct, frozen=True, kw_only=True, tag="go training"):
    """A training from random play."""

    size: int
    asked: int
    """The number of generations asked for, without that of the random net."""
    generations: list[Generation]
    """The finished generations, that of the random net first."""
    perfect: int | None
    """Black's margin under perfect play; `None` for board sizes where it is unknown."""
    games: int
    """The number of games of the generation under way, so far."""
    games_asked: int
    """The number of games of each generation."""
    ended: str | None
    """Why the training ended before all generations were over; `None` where it did not."""


class GoTrainingReader:
    """Reads a training run, repeatedly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._generations = FollowedFile(folder / GENERATIONS, JsonLines(Generation))

    def read(self) -> GoTrainingRun:
        """Errors as `describe_run`."""
        config, generations = read_training_config(self._folder / CONFIG), self._generations.read()
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
    """The number of finished generations, by the ledger; that of the random net does not count."""
    return Standing(
        max(0, noted(folder, GENERATIONS) - 1), whole_number(recorded(folder), "generations"), "generations"
    )
