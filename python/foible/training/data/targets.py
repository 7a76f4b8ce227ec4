"""The targets that searches and teachers give for positions: a distribution over moves, and win, draw and loss."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray


def _uci_moves() -> tuple[str, ...]:
    """All moves of chess in UCI: those that a queen, a knight or a promoting pawn could make cover every other one."""
    squares = [(file, rank) for rank in range(8) for file in range(8)]

    def reaches(a: tuple[int, int], b: tuple[int, int]) -> bool:
        across, up = abs(a[0] - b[0]), abs(a[1] - b[1])
        return a != b and (across in (0, up) or up == 0 or {across, up} == {1, 2})

    plain = [(a, b) for a in squares for b in squares if reaches(a, b)]
    promoting = [(a, b) for a, b in plain if (a[1], b[1]) in {(6, 7), (1, 0)} and abs(a[0] - b[0]) <= 1]
    names = [_square(a) + _square(b) for a, b in plain]
    return (*names, *(_square(a) + _square(b) + role for a, b in promoting for role in "nbrq"))


def _square(at: tuple[int, int]) -> str:
    return "abcdefgh"[at[0]] + str(at[1] + 1)


def _code(move: str) -> int:
    """A move in UCI as 16 bits, in the form that `Corpus.policy_indices` takes."""
    squares = ["abcdefgh".index(move[i]) + 8 * (int(move[i + 1]) - 1) for i in (0, 2)]
    return squares[0] | squares[1] << 6 | " nbrq".index(move[4:] or " ") << 12


UCI_MOVES: Final = _uci_moves()
MOVE: Final = pl.Enum(UCI_MOVES)
"""The type of a table's column of moves in UCI: written as text, two bytes in memory."""
_CODES: Final = np.array([_code(move) for move in UCI_MOVES], np.uint16)


def move_codes(moves: pl.Series) -> NDArray[np.uint16]:
    """A column of moves, or of lists with K moves in all → `[K]`: 16 bits for each, as `Corpus.policy_indices` takes
    them.

    :raises polars.exceptions.PolarsError: a text is not a move.
    """
    flat = moves.explode(empty_as_null=False) if moves.dtype.is_nested() else moves
    found: NDArray[np.uint16] = _CODES[flat.cast(MOVE).to_physical().to_numpy()]
    return found


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
class Targets:
    """The targets of R rows of a corpus, with K moves in all."""

    rows: NDArray[np.int64]
    """`[R]`: the rows, in ascending order."""
    offsets: NDArray[np.int64]
    """`[R + 1]`: the moves of target i are `offsets[i]` to `offsets[i + 1]`."""
    moves: NDArray[np.uint16]
    """`[K]`: index in the policy output."""
    shares: NDArray[np.float32]
    """`[K]`: shares of the visits, or probabilities; they sum to 1 over each target."""
    wdl: NDArray[np.float32]
    """`[R, 3]`: win, draw, loss of the side to move."""

    def find(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places in `rows`, `[N]`, of those that have a target, and the numbers of these targets."""
        at = np.searchsorted(self.rows, rows)
        at[at == len(self.rows)] = 0
        found = np.flatnonzero(self.rows[at] == rows) if len(self.rows) else np.zeros(0, np.int64)
        return found, at[found]

    def policy(self, rows: NDArray[np.int64]) -> SoftPolicy | None:
        """The distributions over moves for those of `[N]` rows that have one; `None` where none has."""
        samples, targets = self.find(rows)
        if not len(samples):
            return None
        lengths = self.offsets[targets + 1] - self.offsets[targets]
        # The place of each move in `self.moves`: counted on from its target's first one.
        first = np.repeat(self.offsets[targets] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        moves = first + np.arange(len(first))
        return SoftPolicy(np.repeat(samples, lengths), self.moves[moves].astype(np.int64), self.shares[moves])


def joined(parts: Sequence[Targets]) -> Targets | None:
    """All parts joined into one, in the order in which they are given; `None` without parts."""
    if not parts:
        return None
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    return Targets(
        rows=np.concatenate([part.rows for part in parts]),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        moves=np.concatenate([part.moves for part in parts]),
        shares=np.concatenate([part.shares for part in parts]),
        wdl=np.concatenate([part.wdl for part in parts]),
    )
