"""How positions become a net's input and moves its output: lc0's way, CrazyAra's, Maia-2's or Maia-3's.

lc0's 73 policy planes become its 1858 moves by the rules of movement. Moves are seen from the side to move: it plays
up the board. Square = 8 · rank + file.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from foible.games.phases import PhaseTable

__all__ = ["LC0_INPUTS", "PLANES", "POLICY_SIZES", "Encoding", "InputEncoding", "PhaseTable"]

Encoding = Literal["lc0", "crazyara"]
"""Those in which nets are trained."""
InputEncoding = (
    Encoding
    | Literal[
        "lc0-castling-plane",
        "lc0-canonical",
        "lc0-hectoplies",
        "lc0-canonical-v2",
        "lc0-hectoplies-armageddon",
        "lc0-canonical-v2-armageddon",
        "maia2",
        "maia3",
    ]
)
"""Those in which nets are run: lc0's later formats and Maia's too."""

LC0_INPUTS: Final[Mapping[int, InputEncoding]] = {
    1: "lc0",
    2: "lc0-castling-plane",
    3: "lc0-canonical",
    4: "lc0-hectoplies",
    5: "lc0-canonical-v2",
    132: "lc0-hectoplies-armageddon",
    133: "lc0-canonical-v2-armageddon",
}
"""lc0's input formats by their number in a file (lc0-nets §10)."""
PLANES: Final[Mapping[InputEncoding, int]] = dict.fromkeys(LC0_INPUTS.values(), 112) | {
    "crazyara": 52,
    "maia2": 18,
    "maia3": 96,
}
"""Input planes of 8 × 8."""
POLICY_SIZES: Final[Mapping[InputEncoding, int]] = dict.fromkeys(LC0_INPUTS.values(), 1858) | {
    "crazyara": 4864,
    "maia2": 1880,
    "maia3": 4352,
}
"""Width of the policy output."""


Step = tuple[int, int]
"""(files, ranks)."""

_QUEEN_STEPS: tuple[Step, ...] = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""Clockwise from straight ahead; each direction has planes for 1 to 7 squares."""
_KNIGHT_STEPS: tuple[Step, ...] = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
"""Clockwise from the right one straight ahead."""
_CAPTURE_FILES = (-1, 0, 1)
_VECTOR_PIECES = "qrb"
"""Order of promotions among the moves. A promotion to a knight is the plain pawn move."""
_PLANE_PIECES = "rbq"
"""Order of promotions among the planes."""

Move = tuple[int, int, str]
"""(from square, to square, promotion: `q`, `r`, `b`, or empty)."""


def _target(square: int, step: Step, distance: int = 1) -> int | None:
    file, rank = square % 8 + step[0] * distance, square // 8 + step[1] * distance
    return 8 * rank + file if 0 <= file < 8 and 0 <= rank < 8 else None


def policy_moves() -> list[Move]:
    """The 1858 moves in lc0's order: all queen and knight moves by from and to square, then promotions by
    file.
    """
    plain = sorted({move for plane in _planes() for move in plane if move is not None and not move[2]})
    promotions = [
        (48 + file, 56 + file + aside, piece)
        for file in range(8)
        for aside in _CAPTURE_FILES
        if 0 <= file + aside < 8
        for piece in _VECTOR_PIECES
    ]
    return plain + promotions


@cache
def plane_index() -> NDArray[np.int64]:
    """`[1858]`: where each move stands in the flattened `[80, 8, 8]` output of the convolutional policy
    head.
    """
    place = {move: 64 * p + square for p, plane in enumerate(_planes()) for square, move in enumerate(plane)}
    return np.array([place[move] for move in policy_moves()], np.int64)


def _planes() -> list[list[Move | None]]:
    """`[73][64]`: the move that each plane means at each from square; `None` off the board."""
    steps = [(step, distance) for step in _QUEEN_STEPS for distance in range(1, 8)]
    steps += [(step, 1) for step in _KNIGHT_STEPS]
    planes = [
        [None if (to := _target(square, step, distance)) is None else (square, to, "") for square in range(64)]
        for step, distance in steps
    ]
    for aside in _CAPTURE_FILES:
        for piece in _PLANE_PIECES:
            targets = [_target(square, (aside, 1)) if square // 8 == 6 else None for square in range(64)]
            planes.append([None if to is None else (square, to, piece) for square, to in enumerate(targets)])
    return planes
