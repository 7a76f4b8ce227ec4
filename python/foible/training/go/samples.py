"""Positions of self-play games as a Go net learns from them, packed in memory, by generation (SAI, §2.4)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch
from foible.games.go import SYMMETRIES
from foible.nets.evaluator import Floats
from foible.nets.go.evaluator import sources, turn_planes
from foible.selfplay.go.record import GoSelfplayRecord
from foible.training.go.config import GoTrainConfig
from foible.training.go.folder import read_games

HISTORY_PLANES = 16
PLANES = 18


@dataclass(frozen=True, slots=True)
class GoBatch:
    """B positions, each seen through a symmetry. Komi and results are from the point of view of the player to move."""

    planes: Floats
    """`[B, 18, size, size]`."""
    visits: Floats
    """`[B, size² + 1]`: shares of the search's visits."""
    signed_komi: Floats
    """`[B]`: komi in points, −komi where Black is to move."""
    results: Floats
    """`[B]`: 1 won, ½ drawn, 0 lost."""


@dataclass(frozen=True, slots=True)
class GoSamples:
    """N positions on boards of one size, with S = size² points."""

    size: int
    stones: NDArray[np.uint8]
    """`[N, ⌈16 S / 8⌉]`: the 16 planes of stones, packed with one bit for each point."""
    black: NDArray[np.bool_]
    """`[N]`: whether Black is to move."""
    visits: NDArray[np.float16]
    """`[N, S + 1]`: shares of the search's visits."""
    signed_komi: Floats
    """`[N]`: as in `GoBatch`."""
    results: Floats
    """`[N]`: as in `GoBatch`."""

    def __len__(self) -> int:
        return len(self.black)

    @classmethod
    def of(cls, size: int, games: Iterable[GoSelfplayRecord]) -> "GoSamples":
        """Every searched position of some games."""
        return cls.join(size, [_of_game(game) for game in games if game.plies])

    @classmethod
    def join(cls, size: int, parts: Sequence["GoSamples"]) -> "GoSamples":
        """The positions of all parts together."""
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
        """The positions of these rows, each seen through its symmetry. `rows`, `symmetries`: `[B]`."""
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
        """A batch of `count` random positions, each seen through a random symmetry."""
        rows = rng.integers(len(self), size=count)
        return self.batch(rows, rng.integers(len(SYMMETRIES), size=count).astype(np.uint8))


def _of_game(game: GoSelfplayRecord) -> GoSamples:
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


def _shares(game: GoSelfplayRecord, batch: Batch) -> NDArray[np.float16]:
    shares = np.zeros((len(batch), batch.policy_size), np.float16)
    indices = batch.policy_indices()
    for row, (ply, moves) in enumerate(zip(game.plies, batch.moves(), strict=True)):
        visits = np.array([ply.visits.get(move, 0) for move in moves], float)
        shares[row, indices[batch.offsets[row] : batch.offsets[row + 1]]] = visits / visits.sum()
    return shares


class Lessons:
    """Gives the positions of each generation, which are read when they are first needed."""

    def __init__(self, config: GoTrainConfig, folder: Path) -> None:
        self._config = config
        self._folder = folder
        self._known: dict[int, tuple[GoSamples, GoSamples]] = {}
        """By generation: the positions to learn from, and the positions to measure losses on. Where one of the two
        would be empty, it has all positions.
        """

    def newest(self, number: int) -> range:
        """The generations to learn from after this one's games. The positions of older ones are dropped from memory."""
        found = range(max(1, number - self._config.protocol.window + 1), number + 1)
        for old in self._known.keys() - set(found):
            del self._known[old]
        return found

    def learnt(self, numbers: Iterable[int]) -> GoSamples:
        """The positions to learn from: those of the given generations, without the held-out ones."""
        return GoSamples.join(self._config.size, [self._of(number)[0] for number in numbers])

    def held_out(self, number: int) -> GoSamples:
        """The held-out positions of a generation, to measure losses on."""
        return self._of(number)[1]

    def _of(self, number: int) -> tuple[GoSamples, GoSamples]:
        if number not in self._known:
            size, share = self._config.size, self._config.training.held_out
            games = read_games(self._folder, number, self._config.protocol.games)
            # A branch is held out, or not, along with the game that it came from.
            kept = {
                game.id[0]: np.random.default_rng([self._config.seed, number, game.id[0]]).random() >= share
                for game in games
            }
            learnt = GoSamples.of(size, (game for game in games if kept[game.id[0]]))
            held_out = GoSamples.of(size, (game for game in games if not kept[game.id[0]]))
            everything = learnt if len(learnt) else held_out
            self._known[number] = (everything, held_out if len(held_out) else everything)
        return self._known[number]
