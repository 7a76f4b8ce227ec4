"""From a configuration to rows of a corpus: those that are trained on, those held out for validation and for tests.

The order of the batches depends on nothing but the seed: any batch can be made at any time.
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
from foible.opponents.game_tags import nearest_hint
from foible.training.data.columns import Columns, columns_of
from foible.training.data.config import DataConfig, Held, HoldOut, LeftOut, filter_games, filter_rows
from foible.training.data.encoder import Encoder, TrainBatch
from foible.training.data.sources import OnRead, SourceCounts, read_sources
from foible.training.data.targets import Targets

AHEAD = 4
"""The number of batches that are prepared ahead of their use."""
Part = Literal["train", "validation", "test"]


class EncodedRows(ABC):
    """Rows of a corpus, cut into batches and encoded."""

    def __init__(self, encoder: Encoder, batch_size: int, threads: int) -> None:
        """`threads`: the number of threads that encode; it affects speed alone."""
        assert batch_size > 0
        self._encoder, self._batch, self._threads = encoder, batch_size, threads

    @abstractmethod
    def __len__(self) -> int:
        """The number of batches in a pass."""

    @abstractmethod
    def rows_of(self, step: int) -> NDArray[np.int64]:
        """`[B]`: the rows of batch `step`.

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


class InOrder(EncodedRows):
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


class Shuffled(EncodedRows):
    """Endless passes over the rows, each in a new order. All batches are full: one may span the end of a pass.

    A pass takes every row exactly once, or with `thin` a share of them, other ones each time.

    Each of the processes that share a batch has its own part: every `size`-th row from number `rank` on.
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
        """The number of samples in a pass."""
        self._seed = seed
        self._part = slice(rank, None, size)
        self._order: tuple[int, NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        """The number of batches that cover a pass, rounded up."""
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
    keys: NDArray[np.uint64],
    games: NDArray[np.bool_],
    hold_out: HoldOut,
    train: int | None = None,
    sources: NDArray[np.int64] | None = None,
) -> dict[Part, NDArray[np.bool_]]:
    """`[G]` each: the games of each part. Tests take the smallest keys, validation the largest.

    `games`: `[G]`, the games to divide. `train`: the most games to train on. `sources`: `[G]`, in ascending order, the
    number of each game's source; all are from one when absent.

    Games with the same key, or with `hold_out.pairs` the two games of a pair, are always in the same part, even where
    that makes a part larger than asked for.
    """
    numbers = np.flatnonzero(games)
    counted = np.zeros_like(games)
    counted[numbers[np.unique(keys[numbers], return_index=True)[1]]] = True
    if hold_out.pairs:
        keys = keys[_first_of_pairs(np.zeros(len(keys), np.int64) if sources is None else sources)]
    test = games & _smallest(keys, counted, hold_out.test)
    validation = games & ~test & _smallest(~keys, counted, hold_out.validation)
    rest = games & ~test & ~validation
    if train is not None:
        rest &= _smallest(keys, rest & counted, train)
    return {"train": rest, "validation": validation, "test": test}


def _first_of_pairs(sources: NDArray[np.int64]) -> NDArray[np.int64]:
    """`[G]` numbers of sources, ascending → `[G]`: for each game the first game of its pair."""
    games = np.arange(len(sources))
    return games - (games - np.searchsorted(sources, sources)) % 2


def _smallest(keys: NDArray[np.uint64], games: NDArray[np.bool_], held: Held) -> NDArray[np.bool_]:
    """`[G]`: whether a key is in the lowest share of the range of keys, or among so many lowest ones of `games`."""
    if isinstance(held, float):
        return in_test(keys, held)
    candidates = np.sort(keys[games])[:held]
    if not len(candidates):
        return np.zeros(len(keys), np.bool_)
    up_to: NDArray[np.bool_] = keys <= candidates[-1]
    return up_to


def in_test(keys: NDArray[np.uint64], share: float) -> NDArray[np.bool_]:
    """`[G]`: whether a game is in a test set of this share, which does not depend on what other games there are."""
    below: NDArray[np.bool_] = keys < np.uint64(int(share * 2**64))
    return below


@dataclass(frozen=True, slots=True)
class Dataset:
    """The games of a configuration's sources, and the rows that pass its filters, divided into parts."""

    config: DataConfig
    corpus: Corpus
    columns: Columns
    targets: Targets | None
    """The targets that searches and teachers give for rows; `None` where they give none."""
    parts: Mapping[Part, NDArray[np.int64]]
    """The rows of each part, of all phases, in the order of the corpus."""
    read: Sequence[SourceCounts]
    left_out: Sequence[LeftOut]

    def rows(self, part: Part, phases: Sequence[int] | None = None) -> NDArray[np.int64]:
        """`[R]`: the rows of a part that are in the given phases; in all phases when absent."""
        rows = self.parts[part]
        return rows if phases is None else rows[np.isin(self.columns.phases[rows], phases)]

    def samples(self, batch_size: int, seed: int, *, threads: int = 1, rank: int = 0, size: int = 1) -> Shuffled:
        """The batches to train on, with the phases and the weights of the configuration, shuffled anew for each pass.

        `rank`, `size`: the number of this process among those that share each batch, and how many these are.
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
        """The batches to evaluate on: all rows of some phases once, in order; with the configuration's weights or 1."""
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
        for part, of_part in split(columns.keys, games, config.hold_out, config.games, sources.of_games).items()
    }
    found = Dataset(config, corpus, columns, sources.targets, parts, sources.read, [*lost_games, *lost_rows])
    if not len(found.rows("train", config.weighted_phases)):
        raise _nothing_left(found)
    return found


def _nothing_left(found: Dataset) -> GameFileError:
    """The error where no row is to be trained on: it names the filters, or the names that are nearest to a player of
    whom there is no game.
    """
    columns, player = found.columns, found.config.filters.player
    if player is not None and not columns.is_player(player).any():
        hint = nearest_hint(player, columns.names)
        return GameFileError(f"filters.player: no game of {player!r} among the {columns.games} of all sources; {hint}")
    lost = {one.filter: one.positions for one in found.left_out}
    lost["hold_out"] = sum(len(rows) for part, rows in found.parts.items() if part != "train")
    named = ", ".join(f"{name} {positions}" for name, positions in lost.items() if positions)
    return GameFileError(
        f"nothing is left to train on of {len(columns.white)} positions in {columns.games} games;"
        f" left out by {named or 'phases or phase_weights'}"
    )
