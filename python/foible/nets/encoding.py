"""Encodings of positions as a net's input planes and of moves as its outputs: lc0's, CrazyAra's, Maia-2's and Maia-3's.

The 1858 moves of lc0's policy are derived here from its 73 policy planes, by the ways in which pieces move. Boards and
moves are seen from the side to move, which plays up the board. A square's number is 8 · rank + file.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Encoding = Literal["lc0", "crazyara"]
"""The encodings with which nets can be trained."""
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
"""The encodings with which nets can be run: those for training, lc0's later input formats, Maia-2's and Maia-3's."""

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
PIECE_PLANES: Final = 12
"""The number of planes of a board for its pieces: one for each kind of either side."""
PLANES: Final[Mapping[InputEncoding, int]] = dict.fromkeys(LC0_INPUTS.values(), 112) | {
    "crazyara": 52,
    "maia2": 18,
    "maia3": 96,
}
"""The number of input planes, each 8 × 8, of each encoding."""
POLICY_SIZES: Final[Mapping[InputEncoding, int]] = dict.fromkeys(LC0_INPUTS.values(), 1858) | {
    "crazyara": 4864,
    "maia2": 1880,
    "maia3": 4352,
}
"""The width of the policy output of each encoding."""


Step = tuple[int, int]
"""A step of a piece on the board: (files, ranks)."""

_QUEEN_STEPS: tuple[Step, ...] = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""The directions of the queen in the order of the policy planes: clockwise from straight ahead. Each direction has
planes for 1 to 7 squares.
"""
_KNIGHT_STEPS: tuple[Step, ...] = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
"""The steps of the knight in the order of the policy planes: clockwise from two ahead and one to the right."""
_CAPTURE_FILES = (-1, 0, 1)
_VECTOR_PIECES = "qrb"
"""The order of the promotions among the 1858 moves. A promotion to a knight is encoded as the move without
promotion.
"""
_PLANE_PIECES = "rbq"
"""The order of the promotions among the policy planes."""

Move = tuple[int, int, str]
"""A move: (from square, to square, promotion: `q`, `r`, `b`, or empty)."""


def _target(square: int, step: Step, distance: int = 1) -> int | None:
    file, rank = square % 8 + step[0] * distance, square // 8 + step[1] * distance
    return 8 * rank + file if 0 <= file < 8 and 0 <= rank < 8 else None


def policy_moves() -> list[Move]:
    """The 1858 moves in lc0's order: all queen and knight moves, sorted by from square and to square, then promotions,
    sorted by file.
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
    """`[1858]`: the index of each move in the flattened `[80, 8, 8]` output of the convolutional policy head."""
    place = {move: 64 * p + square for p, plane in enumerate(_planes()) for square, move in enumerate(plane)}
    return np.array([place[move] for move in policy_moves()], np.int64)


def _planes() -> list[list[Move | None]]:
    """`[73][64]`: the move that each policy plane stands for at each from square; `None` if it leads off the board."""
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
