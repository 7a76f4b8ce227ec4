"""A puzzle: a position with one good continuation (search-contempt §5), with the data of public puzzle tables; and
solving it move by move: which moves are right, what the opponent replies, and how well it went.
"""

import math
from base64 import b32encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Literal, get_args

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.games.chess import is_mate, positions_along
from foible.wording import percent


@dataclass(frozen=True, slots=True)
class Reception:
    """The figures of a public table on a puzzle's solvers and their votes."""

    deviation: int
    """The deviation of the rating (Glicko-2)."""
    popularity: int
    """Upvotes minus downvotes as a percentage, −100…100."""
    plays: int


UNTRIED: Final = Reception(deviation=500, popularity=0, plays=0)
"""The reception of a puzzle that nobody has tried; the deviation is the initial one of ratings."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with one good continuation. Moves are UCI; probabilities are the solver's, 0…1."""

    fen: str
    """The position before `setup`; where there is no setup, the position to solve."""
    setup: str | None
    """The opponent's move that leads to the position to solve."""
    solution: tuple[str, ...]
    """The solver's moves at even indices, the opponent's replies between them: an odd number of plies."""
    rating: int | None = None
    """Difficulty on the scale of the lichess table: estimated, or read from that table."""
    themes: tuple[str, ...] = ()
    """Themes, by their names in the lichess table, in alphabetical order."""
    source: str = ""
    """The game that the puzzle is from, and the ply."""
    game_url: str = ""
    opening: str = ""
    """Names of the opening in the manner of the lichess table: words joined by `_`, names apart by a space."""
    before: float | None = None
    """Win probability by a search of N_scl visits."""
    after: float | None = None
    """Win probability by a search of N visits."""
    margin: float | None = None
    """Win probability of the best move minus that of the second best, in the search where they are closest."""
    found: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """By the name of a human-like net: its probabilities of the solver's moves, in order."""
    name: str = ""
    """The id that a table gave it; empty for a puzzle of ours, whose `id` is derived."""
    reception: Reception | None = UNTRIED
    """`None` where the table that the puzzle is from lacks these columns."""

    @property
    def id(self) -> str:
        """`name`, or eight characters that depend on nothing but `fen` and `moves`."""
        if self.name:
            return self.name
        digest = sha256(f"{self.fen} {' '.join(self.moves)}".encode()).digest()
        return b32encode(digest[:5]).decode().lower()

    @property
    def public_rating(self) -> int | None:
        """The rating by the puzzle's solvers; `None` where nobody has tried it, so that `rating` is an estimate."""
        untried = self.reception is not None and self.reception.plays == 0
        return None if untried else self.rating

    @property
    def moves(self) -> tuple[str, ...]:
        """All moves from `fen` on: the setup, where there is one, then the solution."""
        return self.solution if self.setup is None else (self.setup, *self.solution)

    @property
    def solver_moves(self) -> int:
        """The number of the solver's moves in the solution."""
        return (len(self.solution) + 1) // 2

    @property
    def position(self) -> ChessPosition:
        """The position to solve.

        :raises PositionError: the FEN is not valid.
        :raises MoveError: the setup is not legal.
        """
        return ChessPosition(self.fen, [] if self.setup is None else [self.setup])


def findings(puzzle: Puzzle) -> list[str]:
    """The values of the criterion and the difficulty as phrases, as far as they are known."""
    facts = []
    if puzzle.before is not None and puzzle.after is not None:
        facts.append(f"win probability {puzzle.before:.2f} at first sight, {puzzle.after:.2f} when searched")
    if puzzle.margin is not None:
        facts.append(f"every other move is worse by {puzzle.margin:.2f} or more")
    if puzzle.found:
        facts.append("found by " + ", ".join(f"{level} {_chances(chances)}" for level, chances in puzzle.found.items()))
    return facts


def _chances(chances: Sequence[float]) -> str:
    """The percentage for the whole solution, and that of each move where there are several."""
    each = f" ({', '.join(percent(chance, digits=0) for chance in chances)})" if len(chances) > 1 else ""
    return f"{percent(math.prod(chances), digits=0)}{each}"


Grade = Literal["again", "hard", "good"]
"""How well a puzzle was solved, as a grade of FSRS; the fourth one, "easy", is not used, see `grade`."""
GRADES: Final[tuple[Grade, ...]] = get_args(Grade)

QUICK_SECONDS: Final = 30.0
"""The time for each of the solver's moves; who takes longer has worked it out rather than seen it as in a game."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """The assessment of a solver's move."""

    right: bool
    reply: str | None = None
    """The opponent's reply to a right move, in UCI; `None` where the puzzle is solved."""

    @property
    def solved(self) -> bool:
        """Whether the move was right and the last of the solution."""
        return self.right and self.reply is None


WRONG: Final = Assessment(right=False)


def try_move(puzzle: Puzzle, played: Sequence[str], move: str) -> Assessment:
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
        return Assessment(right=True)
    if after.fen != way[ply + 1].fen:
        return WRONG
    return Assessment(right=True, reply=next(iter(puzzle.solution[ply + 1 : ply + 2]), None))


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
