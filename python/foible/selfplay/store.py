"""The run folder of self-play, safe against a kill at any instant.

    config.toml             the resolved configuration; another one is refused
    games.pgn               every finished game, in order of finishing; only ever appended to
    journal.jsonl           finished games with all that is known of them, until their shard is complete
    games/00000.parquet     shard k: the games k·S … (k + 1)·S − 1 that are finished, one row each
    plies/00000.parquet     and one row for each of their moves
    drafts.json             moves of games in progress, from time to time
    controller.jsonl, .svg  the path of contempt_visits } derived, written anew each time
    report.json             the report                  }
    run.lock                held by the process that writes

A finished game goes to the journal first, is on the disk there, and then to the PGN file. A shard of which all games
are finished is written, whole or not at all, before its games leave the journal. So what the journal and the complete
shards hold is the truth, and all else follows from it when the folder is opened again: games that the PGN file lacks,
too. A complete shard of which the moves are gone is an error.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec
import polars as pl

from foible.arena.record import GameRecord
from foible.arena.store import RunStore
from foible.errors import GameFileError
from foible.files import replacing, write_atomically
from foible.selfplay.record import Finished, Ply, Summary, games_table, plies_table, read_plies, read_summaries

T = TypeVar("T")

JOURNAL, DRAFTS = "journal.jsonl", "drafts.json"


class SelfplayStore:
    """An open run folder."""

    def __init__(
        self,
        folder: Path,
        config: Mapping[str, Any],
        shard: int,
        to_pgn: Callable[[Finished], GameRecord],
        may_change: Sequence[str] = (),
    ) -> None:
        """Open or create a folder. Errors as `RunStore`.

        `shard`: games in one Parquet file.

        :raises GameFileError: the journal or a shard cannot be read, or the PGN file holds a game that they do not.
        """
        shards = (f"games/{path.name}" for path in (folder / "games").glob("*.parquet"))
        self._run = RunStore(folder, config, may_change, (JOURNAL, DRAFTS, *shards))
        self.folder = folder
        self._shard = shard
        self._to_pgn = to_pgn
        self._journal_path = folder / JOURNAL
        self._drafts_path = folder / DRAFTS
        self._open: dict[int, Finished] = {}
        try:
            for kind in ("games", "plies"):
                (folder / kind).mkdir(exist_ok=True)
            self.summaries = self._read_shards()
            drafts = self._read_drafts()
            self._journal = self._recover()
            self.drafts = {number: plies for number, plies in drafts.items() if number not in self.summaries}
        except BaseException:
            self._run.close()
            raise

    def append(self, games: Sequence[Finished]) -> None:
        """Store finished games; they are on the disk when this returns."""
        _write(self._journal, b"".join(msgspec.json.encode(game) + b"\n" for game in games))
        self._append_pgn(games)
        for game in games:
            self.summaries[game.summary.game] = game.summary
            self._open[game.summary.game] = game
        complete = {k for k, count in self._counts().items() if count == self._shard}
        if complete:
            self._write_shards(complete)
            self._open = {n: game for n, game in self._open.items() if n // self._shard not in complete}
            self._rewrite_journal()

    def save_drafts(self, drafts: Mapping[int, Sequence[Ply]]) -> None:
        """Keep the moves so far of games in progress, in place of what was kept before."""
        if drafts:
            write_atomically(self._drafts_path, msgspec.json.encode(drafts))
        else:
            self._drafts_path.unlink(missing_ok=True)

    def write_shards(self) -> None:
        """The shards of which some games are not finished yet, so that Parquet holds all finished games."""
        self._write_shards(self._counts())

    def write_text(self, name: str, text: str) -> None:
        """A derived file, whole or not at all."""
        self._run.write_text(name, text)

    def write_report(self, report: Mapping[str, Any]) -> None:
        self._run.write_report(report)

    def close(self) -> None:
        self._journal.close()
        self._run.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _counts(self) -> dict[int, int]:
        """Games in the journal by shard."""
        counts: dict[int, int] = {}
        for number in self._open:
            counts[number // self._shard] = counts.get(number // self._shard, 0) + 1
        return counts

    def _write_shards(self, shards: Iterable[int]) -> None:
        for k in shards:
            games = [self._open[number] for number in sorted(self._open) if number // self._shard == k]
            # Games come last: a shard counts as complete when they are there.
            for kind, table in (("plies", plies_table(games)), ("games", games_table([g.summary for g in games]))):
                with replacing(self.folder / kind / f"{k:05}.parquet") as stream:
                    table.write_parquet(stream)

    def _read_shards(self) -> dict[int, Summary]:
        """The games of complete shards."""
        found: dict[int, Summary] = {}
        for path in sorted((self.folder / "games").glob("*.parquet")):
            table = _read(path, read_summaries)
            if len(table) != self._shard:
                continue
            if not (plies := self.folder / "plies" / path.name).exists():
                raise GameFileError(f"{plies}: is missing, the moves of the games in {path}; put it back")
            found.update((one.game, one) for one in table)
        return found

    def _read_drafts(self) -> dict[int, list[Ply]]:
        try:
            return msgspec.json.decode(_content(self._drafts_path) or b"{}", type=dict[int, list[Ply]])
        except msgspec.MsgspecError as error:
            raise GameFileError(f"{self._drafts_path}: no drafts of games ({error})") from None

    def _recover(self) -> Any:
        """Read the journal back, cut off what a kill left behind it, and bring the PGN file up to it."""
        path = self._journal_path
        data = _content(path)
        whole = data.rfind(b"\n") + 1
        decode = msgspec.json.Decoder(Finished).decode
        for number, line in enumerate(data[:whole].splitlines(), 1):
            try:
                game = decode(line)
            except msgspec.MsgspecError as error:
                raise GameFileError(f"{path}, line {number}: no game of self-play ({error})") from None
            if game.summary.game not in self.summaries:
                self._open[game.summary.game] = game
        self.summaries.update((number, game.summary) for number, game in self._open.items())
        journal = path.open("ab", buffering=0)
        if whole < len(data):
            journal.truncate(whole)
        in_pgn = {record.pair for record in self._run.records}
        self._run.records.clear()
        if lost := in_pgn - self.summaries.keys():
            journal.close()
            raise GameFileError(f"{self.folder}: games.pgn holds game {min(lost)}, which journal and shards do not")
        try:
            for games in self._without(in_pgn):
                self._append_pgn(games)
        except BaseException:
            journal.close()
            raise
        return journal

    def _without(self, known: Collection[int]) -> Iterator[list[Finished]]:
        """All finished games that are not known, shard by shard, those of the journal last."""
        unknown = [number for number in self.summaries if number not in known and number not in self._open]
        for k in sorted({number // self._shard for number in unknown}):
            path = self.folder / "plies" / f"{k:05}.parquet"
            plies, numbers = _read(path, read_plies), [n for n in unknown if n // self._shard == k]
            if bare := set(numbers) - plies.keys():
                raise GameFileError(f"{path}: has no move of game {min(bare)}")
            yield [Finished(self.summaries[n], plies[n]) for n in numbers]
        yield [game for number, game in self._open.items() if number not in known]

    def _append_pgn(self, games: Sequence[Finished]) -> None:
        if games:
            self._run.append([self._to_pgn(game) for game in games])
            self._run.records.clear()

    def _rewrite_journal(self) -> None:
        self._journal.close()
        write_atomically(
            self._journal_path, b"".join(msgspec.json.encode(game) + b"\n" for game in self._open.values())
        )
        self._journal = self._journal_path.open("ab", buffering=0)


def _read(path: Path, read: Callable[[pl.DataFrame], T]) -> T:
    """What a shard holds."""
    try:
        return read(pl.read_parquet(path))
    except (pl.exceptions.PolarsError, msgspec.ValidationError) as error:
        raise GameFileError(f"{path}: cannot be read as games of self-play ({error})") from None


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _write(stream: Any, data: bytes) -> None:
    while data:
        data = data[stream.write(data) :]
    os.fsync(stream.fileno())
