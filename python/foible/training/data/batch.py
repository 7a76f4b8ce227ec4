"""A batch of training samples, as packed planes and targets; and the interface that the trainer expects of its data."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SoftPolicy:
    """Distributions over moves, K entries in all, sparse."""

    rows: NDArray[np.int64]
    """`[K]`: the number of the sample in the batch."""
    moves: NDArray[np.int64]
    """`[K]`: index in the policy output."""
    shares: NDArray[np.float32]
    """`[K]`: probability; they sum to 1 over each sample that has any."""


@dataclass(frozen=True, slots=True)
class TrainBatch:
    """N samples of C input planes. Everything is from the point of view of the side to move."""

    masks: NDArray[np.uint64]
    """`[N, C]`: bit boards of the planes, bit 0 = a1 of the oriented board."""
    values: NDArray[np.float32]
    """`[N, C]`: value of the set bits of each plane."""
    policy: NDArray[np.int64]
    """`[N]`: index of the move played."""
    wdl: NDArray[np.float32]
    """`[N, 3]`: target probabilities of win, draw, loss."""
    plies: NDArray[np.float32]
    """`[N]`: clip(plies to the end, 0, 100) / 100; 0 in the position before the last ply (phase-experts §2.3)."""
    phase: NDArray[np.uint8]
    """`[N]`: 0 opening, 1 middlegame, 2 endgame."""
    weight: NDArray[np.float32]
    """`[N]`: weight of the sample in every term of the loss."""
    soft_policy: SoftPolicy | None = None
    """Targets that take the place of the one-hot `policy` for the samples that have them (self-play visits)."""

    def __len__(self) -> int:
        return len(self.policy)


class Samples(Protocol):
    """A source of batches, which are fetched by number."""

    def __len__(self) -> int:
        """The number of batches in one pass."""
        ...

    def batch(self, step: int) -> TrainBatch:
        """Batch number `step`, the same at every call; of training batches only this process's part."""
        ...

    def prefetched(self, start: int, every: int = 1) -> Iterator[TrainBatch]:
        """The batches start, start + every, …, made ahead of time; endless for training, else one pass."""
        ...
