"""Solving a puzzle move by move: which moves are right, what the opponent replies, and how well it went."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from foible.analysis.puzzles.puzzle import Puzzle
from foible.errors import ConfigError
from foible.games.chess import is_mate, positions_along

Grade = Literal["again", "hard", "good"]
"""How well a puzzle was solved, as a grade of FSRS; the fourth one, "easy", is not used, see `grade`."""
GRADES: Final[tuple[Grade, ...]] = get_args(Grade)

QUICK_SECONDS: Final = 30.0
"""The time for each of the solver's moves; who takes longer has worked it out rather than seen it as in a game."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The assessment of a solver's move."""

    right: bool
    reply: str | None = None
    """The opponent's reply to a right move, in UCI; `None` where the puzzle is solved."""

    @property
    def solved(self) -> bool:
        """Whether the move was right and the last of the solution."""
        return self.right and self.reply is None


WRONG: Final = Verdict(right=False)


def try_move(puzzle: Puzzle, played: Sequence[str], move: str) -> Verdict:
    """Assess a move that is played after a part of the solution.

    It is right if it is the move of the solution or mates at once: any mate will do, as in the search for puzzles
    (`Criterion.goes_on`). Every other move of a solution is the only good one.

    :param played: the solver's moves and the replies so far, from the position to solve on, in UCI.
    :raises ConfigError: `played` is not a beginning of the solution with the solver to move next.
    :raises MoveError: a move is not legal.
    """
    ply = len(played)
    way = positions_along(puzzle.position, puzzle.solution)
    position = positions_along(puzzle.position, played)[-1]
    # Positions are compared, not moves, because castling can be written in two ways.
    if ply % 2 or ply >= len(puzzle.solution) or position.fen != way[ply].fen:
        raise ConfigError(f"played = {' '.join(played)!r}: expected the beginning of the solution, the solver to move")
    after = position.play(move)
    if is_mate(after):
        return Verdict(right=True)
    if after.fen != way[ply + 1].fen:
        return WRONG
    return Verdict(right=True, reply=next(iter(puzzle.solution[ply + 1 : ply + 2]), None))


def grade(puzzle: Puzzle, *, wrong_moves: int, shown: bool, seconds: float) -> Grade:
    """How well a puzzle was solved.

    "again" after a wrong move, or where the solution was shown: in a game there is no second try, and to FSRS every
    other grade means that the item was remembered. "hard" where it took long, otherwise "good". Never "easy": a short
    time may be due to the puzzle, which may be a mate in one, as much as to its solver.

    :param seconds: the time from the first sight of the position to the last move.
    """
    if wrong_moves or shown:
        return "again"
    moves = puzzle.solver_moves
    return "good" if seconds <= QUICK_SECONDS * moves else "hard"
