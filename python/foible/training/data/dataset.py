"""From a configuration to rows of a corpus: those that are trained on, those held out for validation and for tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from foible._core import Corpus
from foible.errors import GameFileError
from foible.training.data.columns import Columns, columns_of
from foible.training.data.config import DataConfig, Held, HoldOut
from foible.training.data.encoder import Encoder
from foible.training.data.filters import LeftOut, filter_games, filter_rows
from foible.training.data.samples import InOrder, Shuffled
from foible.training.data.selfplay import Searches
from foible.training.data.sources import OnRead, Read, read_sources

Part = Literal["train", "validation", "test"]


def split(
    keys: NDArray[np.uint64], games: NDArray[np.bool_], hold_out: HoldOut, train: int | None = None
) -> dict[Part, NDArray[np.bool_]]:
    """`[G]` each: the games of each part. Tests take the smallest keys, validation the largest.

    `games`: `[G]`, those that are divided. `train`: at most so many are trained on.

    Games with the same key are always in the same part, also where that makes it larger than asked for.
    """
    test = games & _smallest(keys, games, hold_out.test)
    validation = games & ~test & _smallest(~keys, games, hold_out.validation)
    rest = games & ~test & ~validation
    if train is not None:
        rest &= _smallest(keys, rest, train)
    return {"train": rest, "validation": validation, "test": test}


def _smallest(keys: NDArray[np.uint64], games: NDArray[np.bool_], held: Held) -> NDArray[np.bool_]:
    """`[G]`: keys in the lowest share of their range, or up to that of so many `games`."""
    if isinstance(held, float):
        return in_test(keys, held)
    candidates = np.sort(keys[games])[:held]
    if not len(candidates):
        return np.zeros(len(keys), np.bool_)
    up_to: NDArray[np.bool_] = keys <= candidates[-1]
    return up_to


def in_test(keys: NDArray[np.uint64], share: float) -> NDArray[np.bool_]:
    """`[G]`: the games that tests take when they take a share, whatever other games there are."""
    below: NDArray[np.bool_] = keys < np.uint64(int(share * 2**64))
    return below


@dataclass(frozen=True, slots=True)
class Dataset:
    """What a configuration lets through."""

    config: DataConfig
    corpus: Corpus
    columns: Columns
    searches: Searches | None
    parts: Mapping[Part, NDArray[np.int64]]
    """Rows of each part, in the order of the corpus and of all phases."""
    read: Sequence[Read]
    left_out: Sequence[LeftOut]

    def rows(self, part: Part, phases: Sequence[int] | None = None) -> NDArray[np.int64]:
        """Rows of a part, of some phases only; of all when absent."""
        rows = self.parts[part]
        return rows if phases is None else rows[np.isin(self.columns.phases[rows], phases)]

    def samples(self, batch_size: int, seed: int, *, threads: int = 1, rank: int = 0, size: int = 1) -> Shuffled:
        """To train on: the phases and the weights of the configuration, shuffled anew for each pass.

        `rank`, `size`: of the process among those that share each batch.
        """
        rows, thin = self.rows("train", self.config.filters.phases), self.config.thin
        return Shuffled(self._encoder(True), rows, batch_size, seed, thin=thin, threads=threads, rank=rank, size=size)

    def chunks(
        self,
        part: Part,
        batch_size: int,
        *,
        phases: Sequence[int] | None = None,
        weighted: bool = False,
        threads: int = 1,
    ) -> InOrder:
        """To measure on: all rows of some phases once, in their order; with the configuration's weights or without."""
        return InOrder(self._encoder(weighted), self.rows(part, phases), batch_size, threads=threads)

    def _encoder(self, weighted: bool) -> Encoder:
        return Encoder(self.corpus, self.columns, self.config, self.searches, weighted)


def load(config: DataConfig, on_read: OnRead = lambda _read: None) -> Dataset:
    """Read and filter all sources; the same files give the same data set.

    :raises ConfigError: the configuration contradicts itself.
    :raises GameFileError: a source cannot be read, or nothing is left to train on.
    """
    config.check()
    sources = read_sources(
        config.sources,
        config.encoding,
        evals=config.value_target == "evals",
        who=config.filters.who,
        on_read=on_read,
    )
    corpus = sources.corpus
    columns = columns_of(corpus, config.phase_table, config.move_phases, sources.usable_rows())
    games, lost_games = filter_games(columns, config.filters)
    kept, lost_rows = filter_rows(columns, config.filters, games)
    parts = {
        part: np.flatnonzero(kept & columns.by_row(of_part))
        for part, of_part in split(columns.keys, games, config.hold_out, config.games).items()
    }
    found = Dataset(config, corpus, columns, sources.searches, parts, sources.read, [*lost_games, *lost_rows])
    if not len(found.rows("train", config.filters.phases)):
        lost = ", ".join(f"{one.filter} {one.positions}" for one in found.left_out if one.positions)
        raise GameFileError(
            f"nothing is left to train on of {len(columns.white)} positions in {len(corpus)} games;"
            f" left out by {lost or 'hold_out or phases'}"
        )
    return found
