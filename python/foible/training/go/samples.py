"""Positions of self-play games as a Go net learns from them, packed in memory (SAI, §2.4)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch
from foible.nets.evaluator import Floats
from foible.nets.go.symmetry import COUNT, sources, turn_planes
from foible.selfplay.go.record import GoGame

HISTORY_PLANES = 16
PLANES = 18


@dataclass(frozen=True, slots=True)
class GoBatch:
    """B positions, each seen through a symmetry; all of the player to move."""

    planes: Floats
    """`[B, 18, size, size]`."""
    visits: Floats
    """`[B, size² + 1]`: shares of the search's visits."""
    signed_komi: Floats
    """`[B]`: points, −komi where Black is to move."""
    results: Floats
    """`[B]`: 1 won, ½ drawn, 0 lost."""


@dataclass(frozen=True, slots=True)
class GoSamples:
    """N positions on one board."""

    size: int
    stones: NDArray[np.uint8]
    """`[N, ⌈16 S / 8⌉]`: the planes of stones, a bit a point."""
    black: NDArray[np.bool_]
    """`[N]`: whether Black is to move."""
    visits: NDArray[np.float16]
    """`[N, S + 1]`: shares of the search's visits."""
    signed_komi: Floats
    """`[N]`."""
    results: Floats
    """`[N]`."""

    def __len__(self) -> int:
        return len(self.black)

    @classmethod
    def of(cls, size: int, games: Iterable[GoGame]) -> "GoSamples":
        """Every position of some games that was searched."""
        return cls.join(size, [_of_game(game) for game in games if game.plies])

    @classmethod
    def join(cls, size: int, parts: Sequence["GoSamples"]) -> "GoSamples":
        """All positions of several."""
        if not parts:
            stones = np.zeros((0, -(-HISTORY_PLANES * size * size // 8)), np.uint8)
            none = np.zeros(0, np.float32)
            return cls(size, stones, np.zeros(0, bool), np.zeros((0, size * size + 1), np.float16), none, none)
        return cls(
            size,
            np.concatenate([part.stones for part in parts]),
            np.concatenate([part.black for part in parts]),
            np.concatenate([part.visits for part in parts]),
            np.concatenate([part.signed_komi for part in parts]),
            np.concatenate([part.results for part in parts]),
        )

    def batch(self, rows: NDArray[np.int64], symmetries: NDArray[np.uint8]) -> GoBatch:
        """Some positions, each through its symmetry; `[B]` each."""
        size, count = self.size, len(rows)
        planes = np.zeros((count, PLANES, size, size), np.float32)
        bits = np.unpackbits(self.stones[rows], axis=1, count=HISTORY_PLANES * size * size)
        planes[:, :HISTORY_PLANES] = bits.reshape(count, HISTORY_PLANES, size, size)
        black = self.black[rows]
        planes[black, HISTORY_PLANES] = 1
        planes[~black, HISTORY_PLANES + 1] = 1
        visits = np.take_along_axis(self.visits[rows], sources(size)[symmetries], axis=1)
        return GoBatch(
            turn_planes(planes, symmetries), visits.astype(np.float32), self.signed_komi[rows], self.results[rows]
        )

    def draw(self, rng: np.random.Generator, count: int) -> GoBatch:
        """Positions by chance, each through a symmetry by chance."""
        rows = rng.integers(len(self), size=count)
        return self.batch(rows, rng.integers(COUNT, size=count).astype(np.uint8))


def _of_game(game: GoGame) -> GoSamples:
    batch = Batch(list(game.positions()))
    planes = batch.planes()
    black = planes[:, HISTORY_PLANES, 0, 0] == 1
    won = 0.5 + 0.5 * np.sign(game.margin)
    return GoSamples(
        game.size,
        np.packbits(planes[:, :HISTORY_PLANES].reshape(len(planes), -1).astype(np.uint8), axis=1),
        black,
        _shares(game, batch),
        batch.signed_komi,
        np.where(black, won, 1 - won).astype(np.float32),
    )


def _shares(game: GoGame, batch: Batch) -> NDArray[np.float16]:
    shares = np.zeros((len(batch), batch.policy_size), np.float16)
    indices = batch.policy_indices()
    for row, (ply, moves) in enumerate(zip(game.plies, batch.moves(), strict=True)):
        visits = np.array([ply.visits.get(move, 0) for move in moves], float)
        shares[row, indices[batch.offsets[row] : batch.offsets[row + 1]]] = visits / visits.sum()
    return shares
