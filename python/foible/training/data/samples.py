"""Batches in an order that depends on nothing but the seed: any batch can be had at any time."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from foible.training.data.batch import TrainBatch
from foible.training.data.encoder import Encoder

AHEAD = 4
"""Batches that wait for their use."""


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
