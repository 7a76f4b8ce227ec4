"""Net input written down plainly with python-chess and numpy: what `training_data.py` measures and checks with."""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import chess
import numpy as np
from numpy.typing import NDArray

Planes = tuple[NDArray[np.uint64], NDArray[np.float32]]
FULL = (1 << 64) - 1


@dataclass(slots=True)
class Replay:
    """A game so far: its board, and of each position the pieces and how often it was there before."""

    board: chess.Board = field(default_factory=chess.Board)
    pieces: list[list[int]] = field(default_factory=list)
    """The twelve bit boards, White's first."""
    earlier: list[int] = field(default_factory=list)
    placed_earlier: list[int] = field(default_factory=list)
    """The same where only the pieces and the side to move count."""
    seen: Counter[Hashable] = field(default_factory=Counter)

    def look(self) -> None:
        """Take down the position on the board."""
        board = self.board
        pieces = [board.pieces_mask(piece, colour) for colour in chess.COLORS for piece in chess.PIECE_TYPES]
        placed = (*pieces, board.turn)
        whole = (*placed, board.castling_rights, board.ep_square if board.has_legal_en_passant() else None)
        self.pieces.append(pieces)
        self.earlier.append(self.seen[whole])
        self.placed_earlier.append(self.seen[placed])
        self.seen[whole] += 1
        self.seen[placed] += 1


def lc0(replay: Replay) -> Planes:
    """`[112]` each."""
    board, masks, values = replay.board, np.zeros(112, np.uint64), np.ones(112, np.float32)
    us, turn = board.turn, chess.flip_vertical if board.turn == chess.BLACK else int
    for back, (pieces, earlier) in enumerate(zip(replay.pieces[-1:-9:-1], replay.earlier[-1:-9:-1], strict=True)):
        ours, theirs = (pieces[:6], pieces[6:]) if us else (pieces[6:], pieces[:6])
        masks[13 * back : 13 * back + 12] = [turn(piece) for piece in ours + theirs]
        masks[13 * back + 12] = FULL if earlier else 0
    rights = [
        board.has_queenside_castling_rights(us),
        board.has_kingside_castling_rights(us),
        board.has_queenside_castling_rights(not us),
        board.has_kingside_castling_rights(not us),
    ]
    flags = [*rights, not us, board.halfmove_clock > 0, False, True]
    masks[104:] = [FULL if flag else 0 for flag in flags]
    values[109] = board.halfmove_clock
    return masks, values


def crazyara(replay: Replay) -> Planes:
    """`[52]` each."""
    board, masks, values = replay.board, np.zeros(52, np.uint64), np.ones(52, np.float32)
    us, turn = board.turn, chess.flip_vertical if board.turn == chess.BLACK else int
    white, black = replay.pieces[-1][:6], replay.pieces[-1][6:]
    ours, theirs = (white, black) if us else (black, white)
    masks[:12] = [turn(piece) for piece in ours + theirs]
    masks[12:14] = [FULL if replay.placed_earlier[-1] >= times else 0 for times in (1, 2)]
    if board.has_legal_en_passant() and board.ep_square is not None:
        masks[14] = turn(chess.BB_SQUARES[board.ep_square])
    rights = [
        board.has_kingside_castling_rights(us),
        board.has_queenside_castling_rights(us),
        board.has_kingside_castling_rights(not us),
        board.has_queenside_castling_rights(not us),
    ]
    masks[15:19] = [FULL if right else 0 for right in rights]
    masks[19], values[19] = FULL if board.halfmove_clock else 0, board.halfmove_clock / 50
    for back, move in enumerate(board.move_stack[-1:-9:-1]):
        squares = (move.from_square, move.to_square)
        masks[20 + 2 * back : 22 + 2 * back] = [turn(chess.BB_SQUARES[square]) for square in squares]
    masks[37:39] = [turn(board.occupied_co[us]), turn(board.occupied_co[not us])]
    masks[39] = chess.BB_LIGHT_SQUARES
    counts = [(own.bit_count(), their.bit_count()) for own, their in zip(ours[:5], theirs[:5], strict=True)]
    for piece, (own, their) in enumerate(counts):
        masks[40 + piece], values[40 + piece] = FULL if own != their else 0, (own - their) / 8
        masks[47 + piece], values[47 + piece] = FULL if own else 0, own / 8
    bishops = ours[2] | theirs[2]
    masks[45] = FULL if counts[2] == (1, 1) and (bishops & chess.BB_LIGHT_SQUARES).bit_count() == 1 else 0
    masks[46] = turn(board.checkers_mask())
    return masks, values


ENCODERS: dict[str, Callable[[Replay], Planes]] = {"lc0": lc0, "crazyara": crazyara}
