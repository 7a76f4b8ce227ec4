"""The game that a GUI reports move by move, and the kind of its start position: standard, Chess960, odds or other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import chess

from foible._core import ChessPosition
from foible.errors import MoveError
from foible.games.odds import ODDS

Kind = Literal["standard", "chess960", "odds", "other"]
_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


@dataclass(frozen=True, slots=True)
class UciGame:
    """A start, the moves as the GUI wrote them, and the position that they lead to."""

    start: tuple[str | None, bool] = (None, False)
    """The FEN, `None` for the standard start position; and whether the rules are those of Chess960."""
    moves: tuple[str, ...] = ()
    position: ChessPosition = field(default_factory=ChessPosition)

    def then(self, other: "UciGame") -> Sequence[str] | None:
        """The moves by which another game continues this one; `None` where it does not."""
        if self.start != other.start or other.moves[: len(self.moves)] != self.moves:
            return None
        return other.moves[len(self.moves) :]


def follow(game: UciGame, fen: str | None, moves: Sequence[str], *, chess960: bool) -> UciGame:
    """The game of a `position` command. Where it continues `game`, only the new moves are played.

    :raises PositionError: the FEN is not valid.
    :raises MoveError: a move is not legal; the message names it and its index.
    """
    start, told = (fen, chess960), tuple(moves)
    if start != game.start or told[: len(game.moves)] != game.moves:
        return UciGame(start, told, ChessPosition(fen, told, chess960=chess960))
    position = game.position
    for index in range(len(game.moves), len(told)):
        try:
            position = position.play(told[index])
        except MoveError as error:
            raise MoveError(f"move {index + 1} of {len(told)}: {error}") from None
    return UciGame(start, told, position)


@dataclass(frozen=True, slots=True)
class Start:
    """A start position as a personality sees it."""

    kind: Kind
    placement: str
    """The FEN's first field."""
    odds: str = ""
    """The name of the odds that are given, empty where the pieces that are missing have no common name."""
    giver: Literal["white", "black", ""] = ""
    missing: str = ""
    """What the giver lacks: `the white queen`, `two black knights`."""

    def __str__(self) -> str:
        match self.kind:
            case "odds":
                return f"the start position lacks {self.missing}"
            case "other":
                return "the start position is of no known sort"
            case kind:
                return f"the start position is that of {kind} chess"


def start_of(position: ChessPosition) -> Start:
    """The start of a position's game.

    Odds are given where one side lacks some pieces and everything else stands as at the start of a game.
    """
    placement = position.start_fen.split()[0]
    board = chess.BaseBoard(placement)
    if position.chess960 and board.chess960_pos() is not None:
        return Start("chess960", placement)
    full, found = chess.BaseBoard().piece_map(), board.piece_map()
    if not found.items() <= full.items():
        return Start("other", placement)
    missing = [full[square] for square in sorted(full.keys() - found.keys())]
    if not missing:
        return Start("standard", placement)
    if len({piece.color for piece in missing}) == 2:
        return Start("other", placement)
    giver: Literal["white", "black"] = "white" if missing[0].color == chess.WHITE else "black"
    return Start("odds", placement, _name(frozenset(full.keys() - found.keys())), giver, _listed(missing))


def _name(squares: frozenset[chess.Square]) -> str:
    """The name of the odds of a side that lacks what stands on these squares."""
    lacking = {squares, frozenset(map(chess.square_mirror, squares))}
    return next(
        (odds.name for odds in ODDS.values() if frozenset(map(chess.parse_square, odds.squares)) in lacking), ""
    )


def _listed(pieces: Sequence[chess.Piece]) -> str:
    """`the white queen`, `two black knights and a black rook`: pieces of one colour, the lesser ones first."""
    numbers = Counter(sorted(pieces, key=lambda piece: piece.piece_type))
    *others, last = [_counted(piece, number) for piece, number in numbers.items()]
    return f"{', '.join(others)} and {last}" if others else last


def _counted(piece: chess.Piece, number: int) -> str:
    name = f"{chess.COLOR_NAMES[piece.color]} {chess.piece_name(piece.piece_type)}"
    if number > 1:
        return f"{_NUMBERS[number]} {name}s"
    return f"the {name}" if piece.piece_type == chess.QUEEN else f"a {name}"
