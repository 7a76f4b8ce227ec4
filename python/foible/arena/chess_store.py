"""The run folder of a chess match: a `MatchStore` with `games.pgn` and, a line for each game, `results.csv`."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foible.arena.pgn import PgnForm
from foible.arena.record import GameRecord
from foible.arena.store import MatchStore, check_once
from foible.runs.files import write_atomically
from foible.runs.journal import read_record_file


class ChessStore(MatchStore[GameRecord]):
    """The `MatchStore` of a chess match."""

    RUN = "match"
    GAMES = "games.pgn"

    def __init__(self, folder: Path, config: Mapping[str, Any], may_change: Sequence[str] = ()) -> None:
        super().__init__(folder, PgnForm(), config, may_change)

    @staticmethod
    def identity(record: GameRecord) -> int:
        return record.number

    def write_results(self) -> None:
        """Write `results.csv`, in order of the games."""
        write_atomically(self.folder / "results.csv", results_csv(self.records))


def read_games(folder: Path) -> list[GameRecord]:
    """The finished games of a match, over or under way: nothing in its folder is touched.

    :raises GameFileError: some are damaged or gone.
    :raises OSError: they cannot be read.
    """
    records = read_record_file(folder / ChessStore.GAMES, PgnForm())
    check_once(folder / ChessStore.GAMES, [record.number for record in records])
    return records


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
