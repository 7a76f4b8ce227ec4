"""The run folder of a match of Go, safe against a kill at any instant.

    run.json        that it is a match of Go's
    config.toml     the resolved configuration; what contradicts it is refused
    games.jsonl     every finished game, one line each with its checksum; only ever appended to
    finished.json   how many games that are
    sgf/            the same as SGF, a file for each, `CELL/0000.sgf`  } derived from the games,
    report.json     the report                                         } written anew where they are gone or cut short
    run.lock        held by the process that writes

Games that end together are one write, flushed to the disk before the match goes on. What a kill leaves of an
unfinished line is cut off when the folder is opened again, and those games are played again, identically.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from foible.arena.go.record import GoRecord
from foible.errors import GameFileError
from foible.games.sgf import SgfGame, write_sgf
from foible.runs.configuration import CONFIG, check_unchanged, read_recorded, without_none
from foible.runs.files import write_atomically
from foible.runs.folder import RunFolder
from foible.runs.journal import JsonLines, RecordFile

GAMES = "games.jsonl"


class GoStore:
    """An open run folder. Closing it, or the end of the process, releases its lock."""

    def __init__(self, folder: Path, config: Mapping[str, Any], may_change: Sequence[str] = ()) -> None:
        """Open or create a folder for a configuration; a run without a game may still change it.

        Tables whose entries have names (`GROWING`) may grow: an entry that a run has once used is kept and must stay as
        it was, further ones may come.

        `may_change`: keys whose value may differ from that of an earlier run.

        :raises ConfigError: the folder was made with another configuration, or another process writes it.
        :raises GameFileError: its games cannot be read.
        """
        self.folder = folder
        self._of: dict[tuple[str, str], list[GoRecord]] = {}
        with ExitStack() as held:
            self._run = held.enter_context(RunFolder(folder, "go match"))
            self._run.expect_config(GAMES)
            self._journal = held.enter_context(RecordFile(folder / GAMES, JsonLines(GoRecord)))
            self._check()
            self._settle(config, may_change)
            self._journal.begin()
            self._index(self.games)
            self._write_missing()
            self._held = held.pop_all()

    @property
    def games(self) -> list[GoRecord]:
        """All finished games, in order of finishing."""
        return self._journal.items

    def append(self, games: Sequence[GoRecord]) -> None:
        """Store finished games; they are on the disk when this returns."""
        self._journal.append(games)
        self._index(games)
        for game in games:
            self._write_sgf(game)

    def of(self, focal: str, opponent: str) -> list[GoRecord]:
        """The finished games of two players, from the view of the first."""
        return list(self._of.get((focal, opponent), ()))

    def write_report(self, report: Mapping[str, Any]) -> None:
        """`report.json`, whole or not at all."""
        text = json.dumps(report, indent=2, allow_nan=False, ensure_ascii=False)
        write_atomically(self.folder / "report.json", text + "\n")

    def close(self) -> None:
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _settle(self, config: Mapping[str, Any], may_change: Sequence[str]) -> None:
        now = without_none(config)
        if self.games:
            now = merged(self.folder, read_recorded(self.folder / CONFIG), now, may_change)
        self._run.freeze(now)

    def _check(self) -> None:
        seen = set()
        for game in self.games:
            if game.key in seen:
                raise GameFileError(f"{self.folder / GAMES}: a game stands in it twice")
            seen.add(game.key)

    def _index(self, games: Sequence[GoRecord]) -> None:
        for game in games:
            self._of.setdefault((game.focal, game.opponent), []).append(game)

    def _write_missing(self) -> None:
        """The SGF files that a kill, or somebody, took away or cut short."""
        for game in self.games:
            path = self._sgf_path(game)
            if not path.exists() or not path.read_bytes().rstrip().endswith(b")"):
                self._write_sgf(game)

    def _write_sgf(self, game: GoRecord) -> None:
        path = self._sgf_path(game)
        path.parent.mkdir(parents=True, exist_ok=True)
        record = SgfGame(
            game.position(), black=game.black, white=game.white, result=game.result, comment=game.termination
        )
        write_sgf([record], path)

    def _sgf_path(self, game: GoRecord) -> Path:
        return self.folder / "sgf" / cell_folder(game.focal, game.opponent) / f"{game.number:04}.sgf"


GROWING = ("players", "resolved")
"""Tables with an entry for each player, net or program by name."""


def merged(
    folder: Path, before: Mapping[str, Any], now: Mapping[str, Any], may_change: Sequence[str]
) -> dict[str, Any]:
    """The configuration of a run that goes on, with all that `GROWING` tables ever held.

    :raises ConfigError: it contradicts what the run was made with; names the keys.
    """
    tables = {name: (before.get(name, {}), now.get(name, {})) for name in GROWING}
    both = {name: made.keys() & asked.keys() for name, (made, asked) in tables.items()}
    check_unchanged(folder, _only(before, both), _only(now, both), may_change)
    return {**now, **{name: {**made, **asked} for name, (made, asked) in tables.items()}}


def _only(config: Mapping[str, Any], entries: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with these entries alone of its growing tables."""
    return {
        key: {name: value[name] for name in value if name in entries[key]} if key in entries else value
        for key, value in config.items()
    }


def cell_folder(focal: str, opponent: str) -> str:
    """The name of the folder for the games of two players."""
    return f"{slug(focal)}-against-{slug(opponent)}"


def slug(name: str) -> str:
    """What of a name may stand in that of a file; players need different ones."""
    return re.sub(r"[^\w.]+", "-", name.lower()).strip("-.") or "unnamed"
