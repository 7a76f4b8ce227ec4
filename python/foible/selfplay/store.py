"""The run folder of self-play, safe against a kill at any instant.

    run.json                the kind of the run: self-play
    config.toml             the resolved configuration; a run is not resumed with a different one
    journal.jsonl           finished games with all their data, until their shard is complete
    games/00000.parquet     shard k: the finished ones of the games k·S … (k + 1)·S − 1, one row each
    plies/00000.parquet     the moves of these games, one row each
    finished.json           how many games the journal holds, and the hashes of complete shards
    games.pgn               every finished game, sorted at the end of the run; made anew where it is damaged
    drafts.json             the moves of games in progress, saved from time to time
    controller.jsonl, .svg  the path of contempt_visits } derived, written anew each time
    report.json             the report                  }
    run.lock                held by the process that writes

A finished game is written to the journal first and synced to the disk, and then to the PGN file. Once all games of a
shard are finished it is written, whole or not at all, before its games are removed from the journal. So the journal and
the complete shards are authoritative. All else is derived from them when the folder is opened again, such as games that
the PGN file lacks. Where the journal or a complete shard is damaged or missing, the folder is refused.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.arena.pgn import finished_bytes, read_records, to_pgn
from foible.arena.record import GameRecord
from foible.errors import GameFileError
from foible.runs.files import Closing, read_sealed, replacing, seal, write_atomically
from foible.runs.folder import RunFolder
from foible.runs.journal import GrowingFile, JsonLines, RecordFile
from foible.selfplay.progress import SelfplayTally
from foible.selfplay.record import Finished, Ply
from foible.selfplay.shards import Shards

JOURNAL: Final = "journal.jsonl"
DRAFTS: Final = "drafts.json"
GAMES: Final = "games.pgn"


class SelfplayStore(Closing):
    """An open run folder of self-play."""

    def __init__(
        self,
        folder: Path,
        config: Mapping[str, Any],
        shard: int,
        to_record: Callable[[Finished], GameRecord],
        may_change: Sequence[str] = (),
    ) -> None:
        """Open or create a folder for exactly this configuration, which may still change while the run has no game.

        `shard`: the number of games in one Parquet file. `to_record`: converts a game for the PGN file. `may_change`:
        dotted keys whose value may differ from the one that the run was made with.

        :raises ConfigError: the folder was made with another configuration, or another process writes it.
        :raises GameFileError: the journal or a shard is damaged or missing, or lacks a game that the PGN file holds.
        """
        self.folder = folder
        self._to_record = to_record
        with ExitStack() as held:
            run = held.enter_context(RunFolder(folder, "self-play"))
            run.expect_config(GAMES)
            self._journal = held.enter_context(RecordFile(folder / JOURNAL, JsonLines(Finished)))
            self._shards = Shards(folder, shard)
            run.settle(config, may_change, begun=self._has_begun())
            in_journal = {game.summary.game: game for game in self._journal.items}
            self.summaries = self._shards.complete(in_journal)
            self._open = {number: game for number, game in in_journal.items() if number not in self.summaries}
            self.summaries.update((number, game.summary) for number, game in self._open.items())
            self.tally = SelfplayTally.of(self.summaries.values())
            self.drafts = {n: plies for n, plies in read_drafts(folder).items() if n not in self.summaries}
            self._journal.begin()
            self._pgn, self._in_pgn = self._recover_pgn()
            held.callback(self._close_pgn)
            self._empty_journal()  # of games whose shard was written before a kill
            self._held = held.pop_all()

    def append(self, games: Sequence[Finished]) -> None:
        """Store finished games; they are on the disk when this returns.

        :raises OSError: the games cannot be written, as on a full disk; names the file.
        """
        self._journal.append(games)
        for game in games:
            self.summaries[game.summary.game] = game.summary
            self._open[game.summary.game] = game
        self.tally += SelfplayTally.of(games)
        self._append_pgn(games)
        self._empty_journal()

    def _empty_journal(self) -> None:
        """Write the shards whose games are all finished, and remove these games from the journal."""
        complete = self._shards.filled(self._open)
        if complete:
            self._shards.write(complete, self._open, stay=True)
            self._open = {n: game for n, game in self._open.items() if self._shards.of(n) not in complete}
        if len(self._open) < len(self._journal.items):
            self._journal.rewrite(self._open.values())

    def games(self, numbers: Iterable[int]) -> dict[int, Finished]:
        """Finished games with their moves, by number.

        :raises GameFileError: the games cannot be read.
        """
        return {game.number: game for games in self._in_order(numbers) for game in games}

    def put_in_order(self) -> None:
        """Sort the PGN file and the journal, so that they do not depend on the order in which the games were finished.

        :raises OSError: a file cannot be written, as on a full disk; names it. It is as it was.
        """
        journal = sorted(self._journal.items, key=lambda game: game.number)
        if journal != self._journal.items:
            self._journal.rewrite(journal)
        if self._in_pgn == sorted(self._in_pgn):
            return
        path, size = self.folder / GAMES, self._pgn.size
        self._pgn.close()
        try:
            with replacing(path) as stream:
                for games in self._in_order(self.summaries):
                    stream.write(self._as_pgn(games))
            size, self._in_pgn = path.stat().st_size, sorted(self._in_pgn)
        finally:
            self._pgn = GrowingFile(path, size)

    def keep_drafts(self, drafts: Mapping[int, Sequence[Ply]]) -> None:
        """Save the moves of those of the games that are not finished, here and on the disk."""
        self.drafts = {n: list(plies) for n, plies in drafts.items() if n not in self.summaries}
        self.save_drafts(self.drafts)

    def save_drafts(self, drafts: Mapping[int, Sequence[Ply]]) -> None:
        """Write the moves so far of games in progress, in place of those written before."""
        path = self.folder / DRAFTS
        if drafts:
            write_atomically(path, seal(msgspec.json.encode(drafts)))
        else:
            path.unlink(missing_ok=True)

    def write_shards(self) -> None:
        """Write the incomplete shards, too, so that the Parquet files hold all finished games."""
        self._shards.write({self._shards.of(number) for number in self._open}, self._open, stay=False)

    def write(self, name: str, content: str | bytes) -> None:
        """Write a derived file, whole or not at all."""
        write_atomically(self.folder / name, content)

    def write_report(self, report: Mapping[str, Any]) -> None:
        self.write("report.json", json.dumps(report, indent=2, allow_nan=False) + "\n")

    def close(self) -> None:
        self._held.close()

    def _close_pgn(self) -> None:
        """Close the PGN file that is open now: `put_in_order` replaces the one that was opened first."""
        self._pgn.close()

    def _has_begun(self) -> bool:
        """Whether the run has games, or had some that are missing now: a folder that was ever opened has a PGN file."""
        files = [self.folder / name for name in (GAMES, JOURNAL, DRAFTS)]
        return not files[0].exists() or self._shards.exist or any(f.exists() and f.stat().st_size for f in files)

    def _recover_pgn(self) -> tuple[GrowingFile, list[int]]:
        """Complete the PGN file from the journal and the shards: missing games are added, a damaged file is made anew.

        :return: the open file, and the numbers of its games in the order of the file.
        """
        path = self.folder / GAMES
        data = path.read_bytes() if path.exists() else b""
        size = finished_bytes(data)
        try:
            numbers = [record.pair for record in read_records(data[:size])]
        except GameFileError:
            numbers, size = [], 0
        if lost := set(numbers) - self.summaries.keys():
            raise GameFileError(
                f"{path}: holds game {min(lost) + 1}, which journal and shards do not; put back copies of them, or"
                f" remove {GAMES}, and what is missing is played again"
            )
        pgn = GrowingFile(path, size)
        try:
            for games in self._in_order(self.summaries.keys() - set(numbers)):
                pgn.append(self._as_pgn(games))
                numbers += [game.number for game in games]
        except BaseException:
            pgn.close()
            raise
        return pgn, numbers

    def _in_order(self, numbers: Iterable[int]) -> Iterator[list[Finished]]:
        """Finished games of these numbers, in order, one list for each shard."""
        by_shard: dict[int, list[int]] = {}
        for number in sorted(numbers):
            by_shard.setdefault(self._shards.of(number), []).append(number)
        for own in by_shard.values():
            kept = [n for n in own if n not in self._open]
            known = {game.number: game for games in self._shards.games(kept, self.summaries) for game in games}
            yield [known[n] if n in known else self._open[n] for n in own]

    def _append_pgn(self, games: Sequence[Finished]) -> None:
        self._pgn.append(self._as_pgn(games))
        self._in_pgn += [game.number for game in games]

    def _as_pgn(self, games: Iterable[Finished]) -> bytes:
        return "".join(to_pgn(self._to_record(game)) for game in games).encode()


def read_drafts(folder: Path) -> dict[int, list[Ply]]:
    """Read the moves of games in progress, by the number of the game, as they were saved last.

    :raises GameFileError: the file is damaged.
    """
    path = folder / DRAFTS
    try:
        return read_sealed(path.read_bytes() or b"{}", msgspec.json.Decoder(dict[int, list[Ply]]).decode)
    except FileNotFoundError:
        return {}
    except GameFileError as error:
        raise GameFileError(
            f"{path}: no drafts of games ({error}); remove it, and these games begin anew, to the same end"
        ) from None
