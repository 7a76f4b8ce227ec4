"""What the searches of self-play found, as targets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foible.training.data.batch import SoftPolicy


@dataclass(frozen=True, slots=True)
class Searches:
    """R rows of a corpus that were searched in full, with K visited moves in all."""

    rows: NDArray[np.int64]
    """`[R]`, rising."""
    offsets: NDArray[np.int64]
    """`[R + 1]`: the moves of search i are `offsets[i]` to `offsets[i + 1]`."""
    moves: NDArray[np.uint16]
    """`[K]`: index in the policy output."""
    shares: NDArray[np.float32]
    """`[K]`: of the visits; they sum to 1 over each search."""
    wdl: NDArray[np.float32]
    """`[R, 3]`: win, draw, loss of the side to move."""

    def find(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which of `[N]` rows were searched, and the numbers of their searches."""
        at = np.searchsorted(self.rows, rows)
        at[at == len(self.rows)] = 0
        found = np.flatnonzero(self.rows[at] == rows) if len(self.rows) else np.zeros(0, np.int64)
        return found, at[found]

    def policy(self, rows: NDArray[np.int64]) -> SoftPolicy | None:
        """The visits of those of `[N]` rows that were searched."""
        samples, searches = self.find(rows)
        if not len(samples):
            return None
        lengths = (self.offsets[searches + 1] - self.offsets[searches]).astype(np.int64)
        # Numbers of all moves: each search's first, and counting on from there.
        first = np.repeat(self.offsets[searches] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        moves = first + np.arange(len(first))
        return SoftPolicy(np.repeat(samples, lengths), self.moves[moves].astype(np.int64), self.shares[moves])
