"""A table of a player's moves in every position of their games, in whatever order of moves it was reached; and a
model of the player by these moves, and where they are few by a base model.

Also reads books of well-known positions, in which a move tells nothing about who plays it.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition
from foible.errors import ConfigError, FoibleError, GameFileError
from foible.games.packed import open_packed
from foible.opponents.base import Distribution, OpponentModel, normalised, predictions
from foible.opponents.player_games import HALF_LIFE, PlayerGame, game_weights

KAPPA = 4.0
"""κ: the number of games for which the base model counts in a position (opponent-modelling §5.2)."""

DRAWS = 1000
"""The number of samples of the posterior (§5.4)."""

_MOVE = np.dtype("S5")


def position_key(position: ChessPosition) -> int:
    """A 64-bit hash of what decides the legal moves of a position: board, side to move, castling and en-passant rights.

    Transpositions have the same key: the history does not count. The en-passant square counts only where the capture is
    legal, as in the core's FEN.
    """
    board = position.fen.rsplit(" ", 2)[0]
    return int.from_bytes(blake2b(board.encode(), digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True)
class TableMove:
    """A move that the player played in a position."""

    move: str
    weight: float
    """n(B, a): the number of games with this move, each weighted by its recency."""
    games: int
    """The number of games with this move, without weights."""


@dataclass(frozen=True, slots=True)
class OpeningTable:
    """The counts n(B, a) for all positions B and moves a, sorted by position and move (opponent-modelling §5.2).

    They are stored as columns of arrays, because a player has many positions.
    """

    keys: NDArray[np.uint64]
    """`[N]`: `position_key` of the position."""
    moves: NDArray[np.bytes_]
    """`[N]`: the move in UCI."""
    weights: NDArray[np.float64]
    """`[N]`: the games with the move in the position, weighted by recency."""
    games: NDArray[np.int64]
    """`[N]`: the games with the move in the position, without weights."""

    def played(self, position: ChessPosition) -> list[TableMove]:
        """The player's moves in a position, the most frequent first."""
        first, last = self._range(position)
        columns = (self.moves[first:last], self.weights[first:last], self.games[first:last])
        moves = [
            TableMove(move.decode(), float(weight), int(games)) for move, weight, games in zip(*columns, strict=True)
        ]
        return sorted(moves, key=lambda played: (-played.weight, played.move))

    def weight(self, position: ChessPosition) -> float:
        """n(B): how often the player was to move in a position, each game weighted by its recency."""
        first, last = self._range(position)
        return float(self.weights[first:last].sum())

    def support(self, position: ChessPosition) -> int:
        """How many times the player was to move in a position, without weights."""
        first, last = self._range(position)
        return int(self.games[first:last].sum())

    def counts(self, position: ChessPosition) -> Distribution:
        """`[K]`: n(B, a) for each legal move a of a position B; the sum is n(B)."""
        weights = {played.move: played.weight for played in self.played(position)}
        return np.array([weights.get(move, 0.0) for move in position.legal_moves])

    def _range(self, position: ChessPosition) -> tuple[int, int]:
        key = np.uint64(position_key(position))
        first, last = np.searchsorted(self.keys, key, "left"), np.searchsorted(self.keys, key, "right")
        return int(first), int(last)


def positions_once(start: str | None, moves: Iterable[str]) -> Iterator[tuple[int, ChessPosition, str]]:
    """The positions of a game before its moves, each with its `position_key` and the move that was played there. A
    position that recurs counts once, with its first move.
    """
    position, seen = ChessPosition(start), set[int]()
    for move in moves:
        if (key := position_key(position)) not in seen:
            seen.add(key)
            yield key, position, move
        position = position.play(move)


def opening_table(games: Sequence[PlayerGame], weights: NDArray[np.float64] | None = None) -> OpeningTable:
    """Count the player's moves; `weights` `[G]`: one for each game, by default with a half-life of `HALF_LIFE` months.

    The table is the same, to the last bit, for any order of the games.
    """
    each = game_weights(games, HALF_LIFE) if weights is None else weights
    # Arrays grow by some bytes a move, where lists of Python's numbers and strings would take a hundred.
    keys, worth, moves = array("Q"), array("d"), bytearray()
    for game, weight in zip(games, each, strict=True):
        for key, position, move in positions_once(game.start_fen, game.moves):
            if (position.turn == "first") == game.white:
                keys.append(key)
                moves += move.encode().ljust(_MOVE.itemsize, b"\0")
                worth.append(weight)
    return _counted(np.array(keys, np.uint64), np.frombuffer(moves, _MOVE), np.array(worth, np.float64))


def _counted(keys: NDArray[np.uint64], moves: NDArray[np.bytes_], weights: NDArray[np.float64]) -> OpeningTable:
    # Sorted by weight too, so that sums of floats come out the same in any order of the games.
    order = np.lexsort((weights, moves, keys))
    keys, moves, weights = keys[order], moves[order], weights[order]
    if not keys.size:
        return OpeningTable(keys, moves, weights, np.zeros(0, np.int64))
    new = np.concatenate([[True], (keys[1:] != keys[:-1]) | (moves[1:] != moves[:-1])])
    starts = np.flatnonzero(new)
    games = np.diff(np.append(starts, keys.size))
    return OpeningTable(keys[starts], moves[starts], np.add.reduceat(weights, starts), games)


def read_book(path: Path) -> frozenset[int]:
    """The `position_key`s of an EPD or FEN file, one position a line, plain or compressed; blank lines are skipped.

    :raises GameFileError: the file cannot be read, or a line is no position; says which line.
    """
    lines = open_packed(path).read().decode("utf-8", "replace").splitlines()
    keys = set()
    for number, line in enumerate(lines, 1):
        if not (fields := line.split()[:4]):
            continue
        try:
            keys.add(position_key(ChessPosition(" ".join(fields))))
        except FoibleError as error:
            raise GameFileError(f"{path}, line {number}: {error}") from None
    return frozenset(keys)


class PlayerModel:
    """p(a|B) = (n(B, a) + κ · p_base(a|B)) / (n(B) + κ) (opponent-modelling §5.2)."""

    def __init__(self, table: OpeningTable, base: OpponentModel, *, kappa: float = KAPPA, name: str = "") -> None:
        """The base model belongs to this one from now on: `close` closes it as well.

        :raises ConfigError: `kappa` is not above 0.
        """
        if not kappa > 0:
            raise ConfigError(f"kappa = {kappa}: expected a number above 0")
        self.name = name or f"games over {base.name}"
        self._table = table
        self._base = base
        self._kappa = kappa

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        return self.shrink(positions, await predictions(self._base, positions))

    def shrink(self, positions: Sequence[ChessPosition], base: Sequence[Distribution]) -> list[Distribution]:
        """As `predict`, where the predictions of the base model are known already."""
        return [
            shrunk(self._table.counts(position), p, self._kappa) for position, p in zip(positions, base, strict=True)
        ]

    def close(self) -> None:
        self._base.close()


def shrunk(counts: Distribution, base: Distribution, kappa: float) -> Distribution:
    """`[K]` counts and a base distribution `[K]` → the posterior mean of the reply distribution `[K]`."""
    return normalised(counts + kappa * base)


def posterior_draws(
    position: ChessPosition,
    p: Distribution,
    observed: float,
    *,
    kappa: float = KAPPA,
    draws: int = DRAWS,
    seed: int = 0,
) -> NDArray[np.float64]:
    """`[draws, K]`: reply distributions from the Dirichlet posterior with mean `p` `[K]` after `observed` games.

    The weights of the Dirichlet distribution are n(B, a) + κ · p_base(a|B) = (n(B) + κ) · p(a|B). `p` may be for only
    some of the moves, not renormalised: a part of a Dirichlet vector, scaled to sum to 1, is Dirichlet with the same
    weights. The draws depend only on the position, `p`, `observed`, `kappa`, `draws` and the seed.
    """
    generator = np.random.default_rng([seed, position_key(position)])
    gammas = generator.standard_gamma((observed + kappa) * p, (draws, p.size))
    sums = gammas.sum(axis=1, keepdims=True)
    # With tiny weights all gammas of a draw may underflow: it then gives one move, drawn by `p`, probability 1.
    empty = (sums[:, 0] == 0) & (p.size > 0)
    if empty.any():
        gammas[empty] = np.eye(p.size)[generator.choice(p.size, int(empty.sum()), p=p / p.sum())]
        sums[empty] = 1
    drawn: NDArray[np.float64] = gammas / sums
    return drawn


def local_trust(observed: float, n0: float) -> float:
    """λ(B) = n(B) / (n(B) + n0): how far the model of a position may be trusted (opponent-modelling §3.4)."""
    return observed / (observed + n0)
