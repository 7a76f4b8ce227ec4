"""What the trainer asks of its data."""

from collections.abc import Iterator
from typing import Protocol

from foible.training.data.batch import TrainBatch


class Samples(Protocol):
    """Batches by number."""

    def __len__(self) -> int:
        """Samples in one pass."""
        ...

    def batch(self, step: int) -> TrainBatch:
        """Batch number `step`, always the same one; to train on, this process's part of it."""
        ...

    def prefetched(self, start: int, every: int = 1) -> Iterator[TrainBatch]:
        """The batches start, start + every, … made ahead of time; without end for training, else for one pass."""
        ...
