"""From a configuration to rows of a corpus: those that are trained on, those held out for validation and for tests.

Their batches come in an order that depends on nothing but the seed: any batch can be had at any time.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from foible._core import Corpus
from foible.errors import GameFileError
from foible.training.data.batch import TrainBatch
from foible.training.data.columns import Columns, columns_of
from foible.training.data.config import DataConfig, Held, HoldOut, LeftOut, filter_games, filter_rows
from foible.training.data.encoder import Encoder
from foible.training.data.sources import OnRead, Read, read_sources
from foible.training.data.targets import Targets

AHEAD = 4
"""Batches that wait for their use."""
Part = Literal["train", "validation", "test"]


class Samples(ABC):
    """Rows in batches."""

    def __init__(self, encoder: Encoder, batch_size: int, threads: int) -> None:
        """`threads`: those that encode; they change speed alone."""
        assert batch_size > 0
        self._encoder, self._batch, self._threads = encoder, batch_size, threads

    @abstractmethod
    def __len__(self) -> int:
        """Batches of a pass."""

    @abstractmethod
    def rows_of(self, step: int) -> NDArray[np.int64]:
        """The rows of batch `step`.

        :raises IndexError: there is no such batch.
        """

    @abstractmethod
    def has(self, step: int) -> bool:
        """Whether there is a batch `step`."""

    def batch(self, step: int) -> TrainBatch:
        """Batch `step`; the same whatever was asked for before. Errors as `rows_of`."""
        return self._encoder.encode(self.rows_of(step), self._threads)

    def prefetched(self, start: int = 0, every: int = 1) -> Iterator[TrainBatch]:
        """The batches start, start + every, …, made by a thread while those before are in use."""
        with ThreadPoolExecutor(1, "samples") as worker:
            waiting: deque[Future[TrainBatch]] = deque()
            step = start
            try:
                while True:
                    while len(waiting) < AHEAD and self.has(step):
                        waiting.append(worker.submit(self.batch, step))
                        step += every
                    if not waiting:
                        return
                    yield waiting.popleft().result()
            finally:
                worker.shutdown(cancel_futures=True)


class InOrder(Samples):
    """A single pass in the order of the rows; its last batch may be short."""

    def __init__(self, encoder: Encoder, rows: NDArray[np.int64], batch_size: int, *, threads: int = 1) -> None:
        super().__init__(encoder, batch_size, threads)
        self.rows = rows

    def __len__(self) -> int:
        return (len(self.rows) + self._batch - 1) // self._batch

    def has(self, step: int) -> bool:
        return 0 <= step < len(self)

    def rows_of(self, step: int) -> NDArray[np.int64]:
        if not self.has(step):
            raise IndexError(f"batch {step} of {len(self)}")
        return self.rows[step * self._batch : (step + 1) * self._batch]


class Shuffled(Samples):
    """Pass after pass without end, each in a new order, cut into full batches wherever a pass ends.

    A pass takes every row exactly once, or with `thin` a share of them, other ones each time.

    Processes that share a batch have each its own part: every `size`-th row from number `rank` on.
    """

    def __init__(
        self,
        encoder: Encoder,
        rows: NDArray[np.int64],
        batch_size: int,
        seed: int,
        *,
        thin: float = 1.0,
        threads: int = 1,
        rank: int = 0,
        size: int = 1,
    ) -> None:
        super().__init__(encoder, batch_size, threads)
        assert len(rows), "there is no end of empty passes"
        assert batch_size % size == 0, "the mean over all processes is to be the one over the batch"
        self.rows = rows
        self.of_pass = max(1, round(thin * len(rows)))
        """Samples that a pass takes."""
        self._seed = seed
        self._part = slice(rank, None, size)
        self._order: tuple[int, NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        """Batches with which a pass is through."""
        return (self.of_pass + self._batch - 1) // self._batch

    def has(self, step: int) -> bool:
        return step >= 0

    def rows_of(self, step: int) -> NDArray[np.int64]:
        if not self.has(step):
            raise IndexError(f"batch {step}, expected 0 or above")
        parts, at, missing = [], step * self._batch, self._batch
        while missing:
            number, place = divmod(at, self.of_pass)
            parts.append(self._pass(number)[place : place + missing])
            at, missing = at + len(parts[-1]), missing - len(parts[-1])
        return np.concatenate(parts)[self._part]

    def _pass(self, number: int) -> NDArray[np.int64]:
        if self._order is None or self._order[0] != number:
            shuffled = np.random.default_rng([self._seed, number]).permutation(self.rows)
            self._order = (number, shuffled[: self.of_pass])
        return self._order[1]


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
    targets: Targets | None
    """What searches and teachers say of rows."""
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
        return Encoder(self.corpus, self.columns, self.config, self.targets, weighted)


def load(config: DataConfig, on_read: OnRead = lambda _read: None) -> Dataset:
    """Read and filter all sources; the same files give the same data set.

    :raises ConfigError: the configuration contradicts itself.
    :raises GameFileError: a source cannot be read, or nothing is left to train on.
    """
    config.check()
    sources = read_sources(
        [source.path for source in config.all_sources],
        config.encoding,
        evals=config.value_target == "evals",
        who=config.filters.who,
        on_read=on_read,
    )
    corpus = sources.corpus
    columns = columns_of(
        corpus,
        config.phase_table,
        config.move_phases,
        usable=sources.usable_rows(),
        sources=sources.of_games,
        labelled=sources.labelled,
    )
    games, lost_games = filter_games(columns, config.filters)
    kept, lost_rows = filter_rows(columns, config.filters, games)
    parts = {
        part: np.flatnonzero(kept & columns.by_row(of_part))
        for part, of_part in split(columns.keys, games, config.hold_out, config.games).items()
    }
    found = Dataset(config, corpus, columns, sources.targets, parts, sources.read, [*lost_games, *lost_rows])
    if not len(found.rows("train", config.filters.phases)):
        lost = ", ".join(f"{one.filter} {one.positions}" for one in found.left_out if one.positions)
        raise GameFileError(
            f"nothing is left to train on of {len(columns.white)} positions in {len(corpus)} games;"
            f" left out by {lost or 'hold_out or phases'}"
        )
    return found
