"""Game phases (phase-experts §1): 0 opening, 1 middlegame, 2 endgame."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch, ChessPosition
from foible.games.jsonl import CHUNK, PositionLine, chunks

PhaseTable = Literal["current", "legacy", "engine"]
"""The table of mixedness scores that tells the phases apart (phase-experts §1.3): lichess' since June 2025 (`current`),
lichess' before that, by which the paper's data was labelled (`legacy`), and that of CrazyAra's engine, with which the
paper's matches were played (`engine`).
"""

PHASES: Final = ("opening", "middlegame", "endgame")
MIDDLEGAME, ENDGAME = 1, 2

FULL_BACKRANK = 4
"""The number of pieces on a back rank below which it is sparse."""


@dataclass(frozen=True, slots=True)
class Division:
    """A game in at most three parts, none of which comes back (phase-experts §1.4)."""

    middlegame: int | None
    """The index of the middlegame's first position; `None` where there is none, also when the opening leads straight to
    the endgame.
    """
    endgame: int | None
    """The index of the endgame's first position; `None` where there is none."""
    positions: int
    """The number of positions of the game."""


def phase_of(position: ChessPosition, table: PhaseTable = "current") -> int:
    """The phase of one position, as an index into `PHASES`; for many at once `Batch.phases` is faster."""
    return int(Batch([position]).phases(table)[0])


def divide(phases: Sequence[int] | NDArray[np.uint8]) -> Division:
    """Divides a game as lichess does, by the phases of its positions from the start to the last.

    >>> divide([0, 0, 1, 0, 1, 2, 1])
    Division(middlegame=2, endgame=5, positions=7)
    """
    found = np.asarray(phases)
    middlegame, endgame = _first(found >= MIDDLEGAME), _first(found >= ENDGAME)
    return Division(None if middlegame == endgame else middlegame, endgame, len(found))


def _first(where: NDArray[np.bool_]) -> int | None:
    return int(where.argmax()) if where.any() else None


def sparse_backrank(features: NDArray[np.int32]) -> NDArray[np.bool_]:
    """`[N, 4]` from `Batch.phase_features` → `[N]`: whether a side has few pieces on its back rank."""
    return (features[:, 1] < FULL_BACKRANK) | (features[:, 2] < FULL_BACKRANK)


def phase_lines(lines: Iterable[PositionLine], table: PhaseTable) -> Iterator[dict[str, Any]]:
    """The phase of each position, with the features that decide it, as plain values ready for JSON Lines, in order."""
    for chunk in chunks(lines, CHUNK):
        batch = Batch([line.position for line in chunk])
        features = batch.phase_features(table)
        columns = batch.phases(table), features[:, 3], features[:, 0], sparse_backrank(features)
        for line, *row in zip(chunk, *(column.tolist() for column in columns), strict=True):
            names = "phase", "mixedness", "majors_and_minors", "sparse_backrank"
            yield line.echo | dict(zip(names, row, strict=True))
