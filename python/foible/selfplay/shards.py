"""Finished games of self-play as Parquet files: a shard of them in `games/`, their moves in `plies/`."""

import io
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import polars as pl

from foible.errors import GameFileError
from foible.runs.files import write_atomically
from foible.runs.ledger import LEDGER, Ledger, file_hash
from foible.selfplay.record import Finished, Summary, games_table, plies_table, read_plies, read_summaries

T = TypeVar("T")


class Shards:
    """Those of a run folder. The hashes of complete ones are in the folder's ledger, and they stay as they are."""

    def __init__(self, folder: Path, size: int) -> None:
        """`size`: games in a complete shard."""
        self._folder = folder
        self._size = size
        self._ledger = Ledger(folder)

    @property
    def exist(self) -> bool:
        """Whether there is any, complete or not."""
        return bool(self._ledger.hashes()) or any((self._folder / "games").glob("*.parquet"))

    def of(self, game: int) -> int:
        """The number of a game's shard."""
        return game // self._size

    def filled(self, games: Collection[int]) -> set[int]:
        """The shards of which all games are among these."""
        return {k for k, count in Counter(map(self.of, games)).items() if count == self._size}

    def write(self, shards: Collection[int], games: Mapping[int, Finished], *, stay: bool) -> None:
        """Write shards with those of the games that are theirs, each whole or not at all.

        `stay`: they are complete.
        """
        names = []
        for k in shards:
            own = [games[number] for number in sorted(games) if self.of(number) == k]
            # Games come last: a shard counts as complete when they are there.
            for kind, table in (("plies", plies_table(own)), ("games", games_table([game.summary for game in own]))):
                names.append(_name(kind, k))
                path = self._folder / names[-1]
                path.parent.mkdir(exist_ok=True)
                buffer = io.BytesIO()
                table.write_parquet(buffer)
                write_atomically(path, buffer.getvalue())
        if stay:
            self._ledger.add_hashes(names)

    def complete(self, in_journal: Collection[int]) -> dict[int, Summary]:
        """The games of complete shards, whose files are as they were written.

        `in_journal`: games that the journal holds, too; shards with some of them are written anew from there.

        :raises GameFileError: a file of a complete shard is damaged or gone.
        """
        hashes = self._ledger.hashes()
        for name, noted in hashes.items():
            self._check(name, noted)
        found: dict[int, Summary] = {}
        open_shards = set(map(self.of, in_journal))
        for path in sorted((self._folder / "games").glob("*.parquet")):
            name = f"games/{path.name}"
            if name not in hashes and path.stem in {f"{k:05}" for k in open_shards}:
                continue
            summaries = self._read(path, read_summaries)
            if len(summaries) != self._size:
                continue
            plies = f"plies/{path.name}"
            if not (self._folder / plies).exists():
                raise GameFileError(f"{self._folder / plies}: is missing; {self._way_on(plies)}")
            self._ledger.add_hashes([plies, name])
            found.update((one.game, one) for one in summaries)
        return found

    def games(self, numbers: Sequence[int], summaries: Mapping[int, Summary]) -> Iterator[list[Finished]]:
        """Games of complete shards, shard by shard.

        :raises GameFileError: their moves cannot be read.
        """
        for k in sorted(set(map(self.of, numbers))):
            path = self._folder / _name("plies", k)
            plies, own = self._read(path, read_plies), [n for n in numbers if self.of(n) == k]
            if bare := set(own) - plies.keys():
                raise GameFileError(f"{path}: has no move of game {min(bare)}")
            yield [Finished(summaries[n], plies[n]) for n in own]

    def _check(self, name: str, noted: str) -> None:
        path = self._folder / name
        if not path.exists():
            raise GameFileError(f"{path}: is missing; {self._way_on(name)}")
        if file_hash(path) != noted:
            raise GameFileError(f"{path}: damaged: its hash is not the one that was noted; {self._way_on(name)}")

    def _way_on(self, name: str) -> str:
        shard = name.partition("/")[2]
        gone = f"games/{shard}, plies/{shard}, games.pgn and {LEDGER}"
        return f"put back a copy of it; or remove {gone}, and its games are played again"

    def _read(self, path: Path, read: Callable[[pl.DataFrame], T]) -> T:
        try:
            return read(pl.read_parquet(path))
        except (pl.exceptions.PolarsError, msgspec.ValidationError) as error:
            reason = self._way_on(f"games/{path.name}")
            raise GameFileError(f"{path}: cannot be read as games of self-play ({error}); {reason}") from None


def _name(kind: str, shard: int) -> str:
    return f"{kind}/{shard:05}.parquet"
