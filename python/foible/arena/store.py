"""The run folder of matches, of whichever game, safe against a kill at any instant.

    run.json        what kind of run it is
    config.toml     the resolved configuration; another one is refused
    pairs.json      of a part of a chess match: which pairs of games it has
    games.…         every finished game, with its checksum; appended to, and put in order at the end
    finished.json   how many games that are
    report.json     the report, derived from the games, written anew each time
    results.csv     of a chess match a line for each game, derived as well
    run.lock        held by the process that writes

A finished game is one write, flushed to the disk at once. What a kill leaves of an unfinished write is cut off when the
folder is opened again, and those games are played again, identically.
"""

import json
from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from foible.arena.pgn import PgnForm
from foible.arena.record import GameRecord
from foible.errors import GameFileError
from foible.runs.files import Closing, csv_text, read_sealed, seal, write_atomically
from foible.runs.folder import Run, RunFolder
from foible.runs.journal import Form, RecordFile, read_record_file
from foible.toml import AnyPath, expand

R = TypeVar("R")

PAIRS: Final = "pairs.json"


class MatchStore(Closing, Generic[R]):
    """An open run folder. Closing it, or the end of the process, releases its lock."""

    RUN: ClassVar[Run]
    """What kind of run it is."""
    GAMES: ClassVar[str]
    """The name of the file with its games."""

    def __init__(self, folder: Path, form: Form[R], config: Mapping[str, Any], may_change: Sequence[str] = ()) -> None:
        """Open or create a folder for exactly this configuration; a run without a game may still change it.

        :param form: how games stand in their file.
        :param may_change: dotted keys whose value may differ from that of an earlier run (the number of games).
        :raises ConfigError: the folder was made with another configuration, or another process writes it.
        :raises GameFileError: some of its games are damaged or gone.
        """
        self.folder = folder
        with ExitStack() as held:
            run = held.enter_context(RunFolder(folder, self.RUN))
            run.expect_config(self.GAMES)
            # A configuration without games may be somebody else's: it must not be overwritten by another one.
            alone = not (folder / self.GAMES).exists()
            self._file = held.enter_context(RecordFile(folder / self.GAMES, form))
            check_once(folder / self.GAMES, [self.identity(record) for record in self.records])
            self._settle(run, config, may_change, begun=bool(self.records) or alone)
            self._file.begin()
            self._held = held.pop_all()

    @staticmethod
    @abstractmethod
    def identity(record: R) -> Hashable:
        """The key of a game, different for any two games of a run."""

    def _settle(self, run: RunFolder, config: Mapping[str, Any], may_change: Sequence[str], *, begun: bool) -> None:
        run.settle(config, may_change, begun=begun)

    @property
    def records(self) -> list[R]:
        """All finished games, in order of finishing."""
        return self._file.items

    def append(self, records: Sequence[R]) -> None:
        """Store finished games; they are on the disk when this returns.

        :raises OSError: they cannot be written, as on a full disk; names the file. None of them is stored.
        """
        self._file.append(records)

    def keep(self, records: Sequence[R]) -> None:
        """Keep only these games, in this order, so that the file does not depend on the order of finishing.

        :raises OSError: they cannot be written, as on a full disk; names the file, which stays as it was.
        """
        if records != self.records:
            self._file.rewrite(records)

    def write_report(self, report: Mapping[str, Any]) -> None:
        """Write `report.json`, as a whole or not at all."""
        text = json.dumps(report, indent=2, allow_nan=False, ensure_ascii=False)
        write_atomically(self.folder / "report.json", text + "\n")

    def close(self) -> None:
        self._held.close()


def check_once(path: Path, identities: Sequence[Hashable]) -> None:
    """:raises GameFileError: a file holds the same game twice."""
    if len(set(identities)) != len(identities):
        raise GameFileError(f"{path}: a game stands in it twice")


class ChessStore(MatchStore[GameRecord]):
    """The `MatchStore` of a chess match."""

    RUN = "match"
    GAMES = "games.pgn"

    def __init__(self, folder: Path, config: Mapping[str, Any], may_change: Sequence[str] = ()) -> None:
        super().__init__(folder, PgnForm(), config, may_change)

    @staticmethod
    def identity(record: GameRecord) -> int:
        return record.number

    def _settle(self, run: RunFolder, config: Mapping[str, Any], may_change: Sequence[str], *, begun: bool) -> None:
        games = config.get("games")
        if games is not None:  # a match that is asked for fewer games than it has keeps all of them
            config = {**config, "games": max(games, len(self.records))}
        super()._settle(run, config, may_change, begun=begun)

    def write_results(self) -> None:
        """Write `results.csv`, in order of the games."""
        write_atomically(self.folder / "results.csv", results_csv(self.records))


def read_games(folder: AnyPath) -> list[GameRecord]:
    """The finished games of a match, over or under way: nothing in its folder is touched. Empty where there are none.

    :raises GameFileError: there is no such folder, or some games are damaged or gone.
    :raises OSError: they cannot be read.
    """
    folder = expand(folder)
    if not folder.is_dir():
        found = "a file" if folder.exists() else "no such folder"
        raise GameFileError(f"{folder}: {found}; expected the folder of a match")
    records = read_record_file(folder / ChessStore.GAMES, PgnForm())
    check_once(folder / ChessStore.GAMES, [record.number for record in records])
    return records


class _Pairs(msgspec.Struct, frozen=True):
    first: int
    end: int


def write_pairs(folder: Path, pairs: range) -> None:
    """Record that a folder holds a part of a chess match: these pairs of its games."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / PAIRS, seal(msgspec.json.encode(_Pairs(pairs.start, pairs.stop))) + b"\n")


def read_pairs(folder: Path) -> range | None:
    """The pairs of a chess match of which a folder holds the games; `None` where it holds the whole match.

    :raises GameFileError: `pairs.json` is damaged.
    """
    path = folder / PAIRS
    if not path.is_file():
        return None
    try:
        found = read_sealed(path.read_bytes(), msgspec.json.Decoder(_Pairs).decode)
    except GameFileError as error:
        advice = "remove it, and the same command makes it anew"
        raise GameFileError(f"{path}: cannot be read ({error}); {advice}") from None
    return range(found.first, found.end)


def results_csv(records: Sequence[GameRecord]) -> str:
    """One line per game, in order of pairs, with a header."""
    rows = [
        {
            "pair": record.pair,
            "game_in_pair": record.game_in_pair,
            "white": record.white,
            "black": record.black,
            "focal": "white" if record.focal_white else "black",
            "result": record.result,
            "focal_score": record.focal_score,
            "termination": record.termination,
            "plies": record.plies,
            "opening": record.opening.name,
        }
        for record in sorted(records, key=lambda record: record.number)
    ]
    return csv_text(rows)
