"""The game that a GUI tells move by move."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from foible._core import ChessPosition
from foible.errors import MoveError


@dataclass(frozen=True, slots=True)
class Game:
    """A start, the moves as the GUI wrote them, and the position that they lead to."""

    start: tuple[str | None, bool] = (None, False)
    """FEN, `None` for the standard start, and whether the rules are those of Chess960."""
    moves: tuple[str, ...] = ()
    position: ChessPosition = field(default_factory=ChessPosition)

    def then(self, other: "Game") -> Sequence[str] | None:
        """The moves that lead from here to another game's position; `None` where they do not."""
        if self.start != other.start or other.moves[: len(self.moves)] != self.moves:
            return None
        return other.moves[len(self.moves) :]


def follow(game: Game, fen: str | None, moves: Sequence[str], *, chess960: bool) -> Game:
    """The game of a `position` command. Where it continues `game`, only the new moves are played.

    :raises PositionError: the FEN is not valid.
    :raises MoveError: a move is not legal; the message names it and its index.
    """
    start, told = (fen, chess960), tuple(moves)
    if start != game.start or told[: len(game.moves)] != game.moves:
        return Game(start, told, ChessPosition(fen, told, chess960=chess960))
    position = game.position
    for index in range(len(game.moves), len(told)):
        try:
            position = position.play(told[index])
        except MoveError as error:
            raise MoveError(f"move {index + 1} of {len(told)}: {error}") from None
    return Game(start, told, position)
