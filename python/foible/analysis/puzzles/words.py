"""What is known of a puzzle, in words for people: the same in PGN comments and on pages."""

import math
from collections.abc import Sequence

import chess

from foible.analysis.puzzles.puzzle import Puzzle
from foible.games.chess import to_board


def board_to_solve(puzzle: Puzzle) -> chess.Board:
    """The position to solve; the setup, where there is one, is its last move."""
    return to_board(puzzle.position)


def task(puzzle: Puzzle) -> str:
    """Who is to move, and for how many moves."""
    side = "White" if puzzle.position.turn == "first" else "Black"
    moves = (len(puzzle.solution) + 1) // 2
    return f"{side} to move, {moves} {'move' if moves == 1 else 'moves'}"


def findings(puzzle: Puzzle) -> list[str]:
    """The numbers of the criterion and of the difficulty, as far as there are any."""
    found = []
    if puzzle.before is not None and puzzle.after is not None:
        found.append(f"win probability {puzzle.before:.2f} at first sight, {puzzle.after:.2f} when searched")
    if puzzle.margin is not None:
        found.append(f"every other move is worse by {puzzle.margin:.2f} or more")
    if puzzle.found:
        found.append("found by " + ", ".join(f"{level} {_percent(chances)}" for level, chances in puzzle.found.items()))
    return found


def _percent(chances: Sequence[float]) -> str:
    """Of the whole solution, and of each of its moves where they are several."""
    each = f" ({', '.join(f'{chance:.0%}' for chance in chances)})" if len(chances) > 1 else ""
    return f"{math.prod(chances):.0%}{each}"
