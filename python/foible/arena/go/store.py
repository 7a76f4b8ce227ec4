"""The run folder of matches of Go between several players: that of any match (`MatchStore`), with its games
in `games.jsonl`, one a line, and again as SGF, a file for each: `sgf/CELL/0000.sgf`, written anew where one is gone or
cut short.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from foible.arena.go.config import cell_folder
from foible.arena.go.record import GoRecord
from foible.arena.store import MatchStore
from foible.games.sgf import SgfGame
from foible.games.sgf_writing import write_sgf
from foible.runs.folder import CONFIG, RunFolder, check_unchanged, read_recorded
from foible.runs.journal import JsonLines
from foible.toml import without_none


class GoStore(MatchStore[GoRecord]):
    """As `MatchStore`, but that tables whose entries have names (`GROWING`) may grow: an entry that a run has once used
    is kept and must stay as it was, further ones may come.
    """

    RUN = "go match"
    GAMES = "games.jsonl"

    def __init__(self, folder: Path, config: Mapping[str, Any], may_change: Sequence[str] = ()) -> None:
        super().__init__(folder, JsonLines(GoRecord), config, may_change)
        self._of: dict[tuple[str, str], list[GoRecord]] = {}
        self._index(self.records)
        try:
            self._write_missing()
        except BaseException:
            self.close()
            raise

    @staticmethod
    def identity(record: GoRecord) -> tuple[str, str, int]:
        return record.focal, record.opponent, record.number

    def append(self, records: Sequence[GoRecord]) -> None:
        super().append(records)
        self._index(records)
        for game in records:
            self._write_sgf(game)

    def keep(self, records: Sequence[GoRecord]) -> None:
        super().keep(records)
        self._of.clear()
        self._index(self.records)

    def of(self, focal: str, opponent: str) -> list[GoRecord]:
        """The finished games of two players, from the view of the first."""
        return list(self._of.get((focal, opponent), ()))

    def _settle(self, run: RunFolder, config: Mapping[str, Any], may_change: Sequence[str], *, begun: bool) -> None:
        now = without_none(config)
        if self.records:
            now = merged(self.folder, read_recorded(self.folder / CONFIG), now, may_change)
        run.freeze(now)

    def _index(self, games: Sequence[GoRecord]) -> None:
        for game in games:
            self._of.setdefault((game.focal, game.opponent), []).append(game)

    def _write_missing(self) -> None:
        """The SGF files that a kill, or somebody, took away or cut short."""
        for game in self.records:
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
    check_unchanged(folder, *in_both(before, now), may_change)
    return {**now, **{name: {**made, **asked} for name, (made, asked) in tables.items()}}


def in_both(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two configurations with those entries alone of `GROWING` tables that both have."""
    both = {name: before.get(name, {}).keys() & now.get(name, {}).keys() for name in GROWING}
    return _only(before, both), _only(now, both)


def _only(config: Mapping[str, Any], entries: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with these entries alone of its growing tables."""
    return {
        key: {name: value[name] for name in value if name in entries[key]} if key in entries else value
        for key, value in config.items()
    }
