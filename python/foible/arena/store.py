"""The run folder of a match, safe against a kill at any instant.

    run.json        that it is a match's
    config.toml     the resolved configuration; another one is refused
    games.pgn       every finished game, with its checksum; only ever appended to
    finished.json   how many games that are
    results.csv     one line per game   } derived from the games,
    report.json     the report          } written anew each time
    run.lock        held by the process that writes

A batch of finished games is one write, flushed to the disk before the match goes on. What a kill leaves of an
unfinished write is cut off when the folder is opened again, and those games are played again, identically.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from foible.arena.pgn import PgnForm
from foible.arena.record import GameRecord
from foible.errors import GameFileError
from foible.runs.files import write_atomically
from foible.runs.folder import RunFolder
from foible.runs.journal import RecordFile, read_record_file

GAMES: Final = "games.pgn"


class RunStore:
    """An open run folder. Closing it, or the end of the process, releases its lock."""

    def __init__(self, folder: Path, config: Mapping[str, Any], may_change: Sequence[str] = ()) -> None:
        """Open or create a folder for exactly this configuration; a run without a game may still change it.

        `may_change`: dotted keys whose value may differ from that of an earlier run (the number of games).

        :raises ConfigError: the folder was made with another configuration, or another process writes it.
        :raises GameFileError: some of its games are damaged or gone.
        """
        self.folder = folder
        with ExitStack() as held:
            run = held.enter_context(RunFolder(folder, "match"))
            run.expect_config(GAMES)
            opened_before = (folder / GAMES).exists()
            self._games = held.enter_context(RecordFile(folder / GAMES, PgnForm()))
            _check_once(folder / GAMES, self.records)
            run.settle(config, may_change, begun=bool(self.records) or not opened_before)
            self._games.begin()
            self._held = held.pop_all()

    @property
    def records(self) -> list[GameRecord]:
        """All finished games, in order of finishing."""
        return self._games.items

    def append(self, records: Sequence[GameRecord]) -> None:
        """Store finished games; they are on the disk when this returns.

        :raises OSError: they cannot be written, as on a full disk; names the file. None of them counts then.
        """
        self._games.append(records)

    def write_text(self, name: str, text: str) -> None:
        """A derived file, whole or not at all."""
        write_atomically(self.folder / name, text)

    def write_results(self) -> None:
        """`results.csv`, in order of pairs."""
        self.write_text("results.csv", results_csv(self.records))

    def write_report(self, report: Mapping[str, Any]) -> None:
        self.write_text("report.json", json.dumps(report, indent=2, allow_nan=False) + "\n")

    def close(self) -> None:
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_games(folder: Path) -> list[GameRecord]:
    """The finished games of a match, over or under way: nothing in its folder is touched.

    :raises GameFileError: some are damaged or gone.
    :raises OSError: they cannot be read.
    """
    records = read_record_file(folder / GAMES, PgnForm())
    _check_once(folder / GAMES, records)
    return records


def _check_once(path: Path, records: Sequence[GameRecord]) -> None:
    if len({record.number for record in records}) != len(records):
        raise GameFileError(f"{path}: a game stands in it twice")


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
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return out.getvalue()
