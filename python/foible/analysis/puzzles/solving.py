"""Solving a puzzle move by move: which moves are right, what the opponent replies, and how well it went."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from foible.analysis.puzzles.puzzle import Puzzle
from foible.errors import ConfigError
from foible.games.chess import is_mate, positions_along

Grade = Literal["again", "hard", "good"]
"""How well a puzzle was solved, in the words of FSRS; its fourth, "easy", is left out: see `grade`."""
GRADES: Final[tuple[Grade, ...]] = get_args(Grade)

QUICK_SECONDS: Final = 30.0
"""For each of the solver's moves. Slower is no longer how one sees a tactic in a game."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a solver's move is worth."""

    right: bool
    reply: str | None = None
    """The opponent's move after a right one, in UCI; none where the puzzle is solved."""

    @property
    def solved(self) -> bool:
        """Whether nothing is left to be found."""
        return self.right and self.reply is None


WRONG: Final = Verdict(right=False)


def try_move(puzzle: Puzzle, played: Sequence[str], move: str) -> Verdict:
    """What a move is worth after some of the solution.

    It is right when it is the solution's, and when it mates at once: any mate will do, as it does where puzzles are
    found (`Criterion.goes_on`). Each of the other moves of a solution is the only good one.

    :param played: the solver's moves and the replies so far, from the position to solve on; UCI.
    :raises ConfigError: they are not the beginning of the solution, up to a move of the solver.
    :raises MoveError: a move is not legal.
    """
    ply = len(played)
    way = positions_along(puzzle.position, puzzle.solution)
    position = positions_along(puzzle.position, played)[-1]
    # Positions and not moves are compared: castling is written in two ways.
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

    "again" after a wrong move, or where the solution was shown: in a game the first move is played, and FSRS takes
    every other grade for something remembered. "hard" where it took long. "good" otherwise; never "easy": a short time
    tells as much of the puzzle, which may be a mate in one, as of its solver.

    :param seconds: from the first sight of the position to the last move.
    """
    if wrong_moves or shown:
        return "again"
    moves = puzzle.solver_moves
    return "good" if seconds <= QUICK_SECONDS * moves else "hard"
