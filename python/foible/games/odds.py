"""Odds chess: one side, the giver, starts without some of its pieces.

Which pieces go follows custom: pawn odds are the f-pawn, and the receiver makes the first move; knight and rook odds
are those of the queen's side. Otherwise White makes the first move, whoever gives the odds.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import chess
import numpy as np

from foible._core import ChessPosition
from foible.errors import ConfigError, PositionError
from foible.games.chess import to_board
from foible.mistakes import near

PIECES = ("pawn", "knight", "bishop", "rook", "queen")
"""The names of the pieces that can be given; the index is python-chess' piece type less one."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Odds by name: the pieces that the giver starts without."""

    name: str
    squares: tuple[str, ...]
    """The squares of the missing pieces when White gives; Black gives the pieces of the same files."""
    receiver_moves_first: bool = False

    @property
    def pieces(self) -> Counter[chess.PieceType]:
        """The number of missing pieces of each type."""
        start = chess.Board()
        return Counter(start.piece_type_at(chess.parse_square(square)) or 0 for square in self.squares)


ODDS: Mapping[str, Odds] = {
    odds.name: odds
    for odds in (
        Odds("pawn-and-move", ("f2",), receiver_moves_first=True),
        Odds("knight", ("b1",)),
        Odds("rook", ("a1",)),
        Odds("two-knights", ("b1", "g1")),
        Odds("two-bishops", ("c1", "f1")),
        Odds("knight-and-bishop", ("b1", "c1")),
        Odds("rook-and-knight", ("a1", "b1")),
        Odds("queen", ("d1",)),
    )
}
"""All odds by name, in order of the value of the pieces given."""


def find_odds(name: str) -> Odds:
    """:raises ConfigError: there are no odds of this name; says which are near."""
    if name not in ODDS:
        raise ConfigError(f"unknown odds {name!r}: {near(name, ODDS)}")
    return ODDS[name]


def odds_fen(odds: Odds, giver: chess.Color) -> str:
    """The start position in which a side gives the odds.

    >>> odds_fen(find_odds("rook"), chess.WHITE)
    'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1'
    """
    board = chess.Board()
    for name in odds.squares:
        square = chess.parse_square(name)
        board.remove_piece_at(square if giver == chess.WHITE else chess.square_mirror(square))
    board.castling_rights = board.clean_castling_rights()
    if odds.receiver_moves_first:
        board.turn = not giver
    return board.fen()


def giver_of(position: ChessPosition, odds: Odds) -> chess.Color:
    """The side that has fewer of every kind of piece that is given, at least by the number given.

    :raises PositionError: neither side is that much short of pieces.
    """
    board = to_board(position)
    for giver in chess.COLORS:
        if all(
            len(board.pieces(kind, not giver)) - len(board.pieces(kind, giver)) >= number
            for kind, number in odds.pieces.items()
        ):
            return giver
    missing = " and ".join(f"{number} {PIECES[kind - 1]}" for kind, number in odds.pieces.items())
    raise PositionError(f"{position.fen}: neither side is {missing} short of the other, as {odds.name} odds are")


def mirrored(position: ChessPosition) -> str:
    """The same position with the colours swapped, as FEN without its history."""
    return to_board(position).mirror().fen(en_passant="fen")


def random_moves(position: ChessPosition, plies: int, seed: int, index: int) -> list[str]:
    """A line of `plies` random moves, in UCI, none of which ends the game; fewer where every move would end it.

    index: 0, 1, 2, … The lines of one seed are dealt like cards: at every position each move comes once before any
    comes again. So lines differ as long as they can, and each move is as likely as the others beside it.
    """
    moves: list[str] = []
    path = [seed]
    for _ in range(plies):
        going = [move for move in position.legal_moves if position.play(move).outcome() is None]
        if not going:
            break
        index, card = divmod(index, len(going))
        chosen = int(np.random.default_rng(path).permutation(len(going))[card])
        path.append(chosen + 1)
        moves.append(going[chosen])
        position = position.play(going[chosen])
    return moves
