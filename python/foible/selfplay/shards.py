"""The Parquet files of self-play: finished games and their moves, many games a file."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import polars as pl

from foible.errors import GameFileError
from foible.runs.files import write_table
from foible.runs.ledger import LEDGER, Ledger
from foible.selfplay.record import Finished, GameSummary, games_table, plies_table, read_plies, read_summaries

T = TypeVar("T")


class Shards:
    """The Parquet files of a run folder: each shard is a file of games in `games/`, and one of their moves in `plies/`.

    Complete shards do not change any more; their hashes are in the folder's ledger.
    """

    def __init__(self, folder: Path, size: int) -> None:
        """`size`: the number of games in a complete shard."""
        self._folder = folder
        self._size = size
        self._ledger = Ledger(folder)

    @property
    def exist(self) -> bool:
        """Whether there is any shard, complete or not."""
        return bool(self._ledger.hashes()) or any((self._folder / "games").glob("*.parquet"))

    def of(self, game: int) -> int:
        """The number of a game's shard."""
        return game // self._size

    def filled(self, games: Collection[int]) -> set[int]:
        """The shards whose games are all among these."""
        return {k for k, count in Counter(map(self.of, games)).items() if count == self._size}

    def write(self, shards: Collection[int], games: Mapping[int, Finished], *, stay: bool) -> None:
        """Write shards with those of the games that belong to them, each file whole or not at all.

        `stay`: whether the shards are complete, and will not change any more.
        """
        names = []
        for k in shards:
            own = [games[number] for number in sorted(games) if self.of(number) == k]
            # The file of games is written last: with it a shard counts as complete.
            for kind, table in (("plies", plies_table(own)), ("games", games_table([game.summary for game in own]))):
                names.append(_name(kind, k))
                write_table(self._folder / names[-1], table)
        if stay:
            self._ledger.add_hashes(names)

    def complete(self, in_journal: Collection[int]) -> dict[int, GameSummary]:
        """Check the files of complete shards, and return the games in them by number.

        `in_journal`: the games in the journal; a shard with some of them whose hash is not noted is left out, as it is
        written anew from there.

        :raises GameFileError: a file of a complete shard is damaged or missing.
        """
        self._ledger.check(self._way_on)
        hashes = self._ledger.hashes()
        found: dict[int, GameSummary] = {}
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

    def games(self, numbers: Sequence[int], summaries: Mapping[int, GameSummary]) -> Iterator[list[Finished]]:
        """Games of complete shards with their moves, one list for each shard.

        :raises GameFileError: the moves cannot be read.
        """
        for k in sorted(set(map(self.of, numbers))):
            path = self._folder / _name("plies", k)
            plies, own = self._read(path, read_plies), [n for n in numbers if self.of(n) == k]
            if bare := set(own) - plies.keys():
                raise GameFileError(f"{path}: has no move of game {min(bare) + 1}")
            yield [Finished(summaries[n], plies[n]) for n in own]

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
