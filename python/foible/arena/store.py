"""The run folder: everything about a match on disk, safe against a kill at any instant.

    config.toml   the resolved configuration; another one is refused
    games.pgn     every finished game; only ever appended to
    bits.txt      the coins (tag team)
    results.csv   one line per game   } derived from the games,
    report.json   the report          } written anew each time
    run.lock      held by the process that writes

A batch of finished games is one write, flushed to the disk before the match goes on. What a kill leaves of an
unfinished write is cut off when the folder is opened again, and those games are played again, identically.
"""

import csv
import io
import json
import os
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import tomli_w

from foible.arena.pgn import finished_bytes, read_records, to_pgn
from foible.arena.record import GameRecord
from foible.errors import ConfigError, GameFileError
from foible.files import lock, write_atomically
from foible.mistakes import in_toml


class RunStore:
    """An open run folder. Closing it, or the end of the process, releases its lock."""

    def __init__(
        self, folder: Path, config: Mapping[str, Any], may_change: Sequence[str] = (), begun: Sequence[str] = ()
    ) -> None:
        """Open or create a folder for exactly this configuration; a run without a game may still change it.

        `may_change`: dotted keys whose value may differ from that of an earlier run (the number of games).
        `begun`: further files in which a run keeps games. Where one holds anything, the run has a game.

        :raises ConfigError: the folder was made with another configuration, or another process writes it.
        :raises GameFileError: its games cannot be read.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = lock(folder / "run.lock")
        try:
            self._settle_config(config, may_change, begun)
            self._games = (folder / "games.pgn").open("a+b", buffering=0)
            try:
                self.records: list[GameRecord] = self._recover()
            except BaseException:
                self._games.close()
                raise
        except BaseException:
            os.close(self._lock)
            raise

    def append(self, records: Sequence[GameRecord]) -> None:
        """Store finished games; they are on the disk when this returns."""
        data = "".join(map(to_pgn, records)).encode()
        while data:
            data = data[self._games.write(data) :]
        os.fsync(self._games.fileno())
        self.records.extend(records)

    def write_text(self, name: str, text: str) -> None:
        """A derived file, whole or not at all."""
        write_atomically(self.folder / name, text)

    def write_results(self) -> None:
        """`results.csv`, in order of pairs."""
        self.write_text("results.csv", results_csv(self.records))

    def write_report(self, report: Mapping[str, Any]) -> None:
        self.write_text("report.json", json.dumps(report, indent=2, allow_nan=False) + "\n")

    def close(self) -> None:
        if not self._games.closed:
            self._games.close()
            os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _settle_config(self, config: Mapping[str, Any], may_change: Sequence[str], begun: Sequence[str]) -> None:
        path, games = self.folder / "config.toml", self.folder / "games.pgn"
        kept = [file for file in (games, *(self.folder / name for name in begun)) if file.exists()]
        no_game_yet = games in kept and not any(file.stat().st_size for file in kept)
        if path.exists() and not no_game_yet:
            check_unchanged(self.folder, read_recorded(path), config, may_change)
        elif not path.exists() and games.exists():
            raise ConfigError(f"{self.folder}: holds games.pgn without config.toml; choose another folder")
        self.write_text("config.toml", tomli_w.dumps(without_none(config)))

    def _recover(self) -> list[GameRecord]:
        """Read the finished games back and cut off what a kill left behind them."""
        path = self.folder / "games.pgn"
        self._games.seek(0)
        data = self._games.read()
        whole = finished_bytes(data)
        try:
            records = read_records(data[:whole])
        except GameFileError as error:
            raise GameFileError(f"{path}: {error}") from None
        if len({record.key for record in records}) != len(records):
            raise GameFileError(f"{path}: a game stands in it twice")
        if whole < len(data):
            self._games.truncate(whole)
            os.fsync(self._games.fileno())
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
        for record in sorted(records, key=lambda record: record.key)
    ]
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return out.getvalue()


def without_none(config: Mapping[str, Any]) -> dict[str, Any]:
    """TOML has no null: what is not set is not written."""
    return {
        key: without_none(value) if isinstance(value, Mapping) else value
        for key, value in config.items()
        if value is not None
    }


def read_recorded(path: Path) -> dict[str, Any]:
    """The configuration that a run was made with.

    :raises ConfigError: the file is damaged.
    """
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not a configuration ({error})") from None


def check_unchanged(
    folder: Path,
    before: Mapping[str, Any],
    now: Mapping[str, Any],
    may_change: Collection[str] = (),
    named: Callable[[str], str] = str,
) -> None:
    """Whether a run may go on in its folder.

    `before`: its configuration as TOML has it. `may_change`: dotted keys whose value may differ. `named`: what messages
    call a dotted key.

    :raises ConfigError: another key differs; the first three are named.
    """
    made, asked = dict(_flat(before)), dict(_flat(tomllib.loads(tomli_w.dumps(without_none(now)))))
    changed = [key for key in made | asked if made.get(key) != asked.get(key) and key not in may_change]
    if changed:
        differences = ", ".join(_difference(key, named(key), made, asked) for key in changed[:3])
        raise ConfigError(f"{folder}: made with {differences}; choose another folder")


def _difference(key: str, name: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    was = f"{name} = {in_toml(before[key])}" if key in before else f"no {name}"
    return f"{was} (now {in_toml(now[key]) if key in now else 'absent'})"


def _flat(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
