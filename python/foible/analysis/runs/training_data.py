"""Self-play and labelling, finished or under way, which make data to train on: results, the path of the controller, the
latest games; labelled positions, and how a teacher judged them.
"""

from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from foible.analysis.runs.matches import ChessGame, chess_game, last_records
from foible.analysis.runs.run_progress import Standing, noted, recorded, whole_number, written_report
from foible.arena.stats import DecisiveRatio
from foible.errors import GameFileError
from foible.runs.folder import CONFIG
from foible.runs.journal import FollowedFile, JsonLines
from foible.runs.ledger import Ledger
from foible.selfplay.config import read_config
from foible.selfplay.controller import Controller, Point
from foible.selfplay.record import Finished, GameSummary, read_summaries
from foible.selfplay.report import report_on
from foible.selfplay.store import GAMES, JOURNAL

RECENT: Final = 20
"""The number of last shards of labels from which a rate is computed."""


class SelfplayRun(msgspec.Struct, frozen=True, kw_only=True, tag="self-play"):
    """The state of a run of self-play."""

    finished: int
    white: int
    """Games that White won."""
    draws: int
    black: int
    decisive_ratio: DecisiveRatio
    """(w + l) / d: decided games per draw."""
    mean_plies: float | None
    terminations: dict[str, int]
    contempt_visits: float | None
    """N_scl of the next games; `None` without contempt."""
    target: float | None
    """The decisive ratio that the controller aims at; `None` without a controller."""
    path: list[Point]
    """The controller's settings over time; empty without a controller."""
    latest: list[ChessGame]
    """The games that finished last, the newest first."""


class SelfplayReader:
    """Reads a run of self-play, repeatedly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._journal = FollowedFile(folder / JOURNAL, JsonLines(Finished))
        self._shards: dict[str, list[GameSummary]] = {}
        """The summaries in complete shards, which never change."""

    def read(self) -> SelfplayRun:
        """Errors as `describe_run`."""
        config = read_config(self._folder / CONFIG)
        games = self._summaries()
        controller = Controller(config, config.settings.params, games)
        report = report_on(games.values(), config, controller.latest)
        return SelfplayRun(
            finished=report.games,
            white=report.white,
            draws=report.draws,
            black=report.black,
            decisive_ratio=report.decisive_ratio,
            mean_plies=report.mean_plies,
            terminations=report.terminations,
            contempt_visits=report.contempt_visits,
            target=config.controller.target if config.controller else None,
            path=controller.points() if config.controller else [],
            latest=[chess_game(record, record.pair) for record in last_records(self._folder / GAMES)],
        )

    def _summaries(self) -> dict[int, GameSummary]:
        """The finished games by number. The journal is read before the shards: a game is in a shard before it leaves
        the journal, and so is not missed.
        """
        found = {game.summary.game: game.summary for game in self._journal.read()}
        for name in Ledger(self._folder).hashes():
            if name.startswith("games/") and name not in self._shards:
                self._shards[name] = _shard(self._folder / name)
        for shard in self._shards.values():
            found.update((game.game, game) for game in shard)
        return found


def _shard(path: Path) -> list[GameSummary]:
    try:
        return read_summaries(pl.read_parquet(path))
    except (pl.exceptions.PolarsError, msgspec.ValidationError) as error:
        raise GameFileError(f"{path}: cannot be read as games of self-play ({error})") from None


def selfplay_standing(folder: Path) -> Standing:
    """The number of finished games, by the ledger: those in the journal and in complete shards."""
    config = recorded(folder)
    shards = sum(name.startswith("games/") for name in Ledger(folder).hashes())
    done = noted(folder, JOURNAL) + shards * (whole_number(config, "shard") or 0)
    return Standing(done, whole_number(config, "games"), "games")


class LabelsRun(msgspec.Struct, frozen=True, kw_only=True, tag="labels"):
    """Positions labelled by a teacher."""

    teacher: str
    labelled: int
    wanted: int | None
    """`None` where all positions are wanted and their number is not known yet."""
    shards: int
    bytes: int
    """The size of the tables."""
    positions_per_second: float | None
    """The rate of labelling, by the times of the last shards."""
    agreement: float | None
    """The share of the positions in which the teacher's first choice was played; known at the end."""
    nats: float | None
    """The mean entropy of the teacher's distributions, in nats; known at the end."""


class _WrittenLabels(msgspec.Struct, frozen=True):
    """What the report says, which is written at the end."""

    wanted: int | None = None
    labelled: int | None = None
    agreement: float | None = None
    nats: float | None = None


class LabelsReader:
    """Reads labels, repeatedly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._counts: dict[str, tuple[float, int]] = {}
        """For each shard, the time at which it was written and its number of labelled positions; neither changes."""

    def read(self) -> LabelsRun:
        """Errors as `describe_run`."""
        hashes = Ledger(self._folder).hashes()
        names = sorted(name for name in hashes if name.startswith("plies/"))
        for name in names:
            if name not in self._counts:
                self._counts[name] = _labelled(self._folder / name)
        counts = [self._counts[name] for name in names]
        config, report = recorded(self._folder), written_report(self._folder, _WrittenLabels)
        return LabelsRun(
            teacher=config.get("resolved", {}).get("teacher", ""),
            labelled=sum(count for _, count in counts),
            wanted=whole_number(config, "positions") if report.wanted is None else report.wanted,
            shards=len(names),
            bytes=sum((self._folder / name).stat().st_size for name in hashes),
            positions_per_second=_shard_rate(sorted(counts)[-RECENT:]),
            agreement=report.agreement,
            nats=report.nats,
        )


def _labelled(path: Path) -> tuple[float, int]:
    try:
        count = pl.scan_parquet(path).select(pl.col("full").sum()).collect().item()
    except pl.exceptions.PolarsError as error:
        raise GameFileError(f"{path}: cannot be read as labels ({error})") from None
    return path.stat().st_mtime, int(count)


def _shard_rate(shards: list[tuple[float, int]]) -> float | None:
    if len(shards) < 2 or shards[-1][0] <= shards[0][0]:
        return None
    return sum(count for _, count in shards[1:]) / (shards[-1][0] - shards[0][0])


def labels_standing(folder: Path) -> Standing:
    """The number of shards, by the ledger; at the end the number of positions, by the report."""
    report = written_report(folder, _WrittenLabels)
    if report.labelled is not None:
        return Standing(report.labelled, report.wanted, "positions")
    return Standing(sum(name.startswith("plies/") for name in Ledger(folder).hashes()), None, "shards")
