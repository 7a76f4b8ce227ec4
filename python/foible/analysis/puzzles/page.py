"""Puzzles as one HTML file with a board each; it needs nothing beside it. Solutions show at a click."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import chess
import chess.svg
from jinja2 import Environment, PackageLoader, StrictUndefined

from foible._core import __version__
from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.words import board_to_solve, findings, task
from foible.files import replacing

BOARD_SIZE = 320
"""Pixels."""


def write_page(path: Path, puzzles: Sequence[Puzzle], title: str = "Puzzles") -> None:
    """The page, whole or not at all; some 28 kB a puzzle.

    :raises OSError: the file cannot be written.
    """
    pages = Environment(
        loader=PackageLoader("foible.analysis.puzzles"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    themes = Counter(theme for puzzle in puzzles for theme in puzzle.themes).most_common()
    parts = pages.get_template("puzzles.html").generate(
        title=title,
        puzzles=puzzles,
        themes=themes,
        board=board_picture,
        solution=solution_text,
        task=task,
        findings=findings,
        version=__version__,
    )
    with replacing(path) as stream:
        for part in parts:
            stream.write(part.encode())


def board_picture(puzzle: Puzzle) -> str:
    """The position to solve as SVG, the solver below, the opponent's move that led there marked."""
    board = board_to_solve(puzzle)
    check = board.king(board.turn) if board.is_check() else None
    last = board.peek() if board.move_stack else None
    return str(chess.svg.board(board, orientation=board.turn, lastmove=last, check=check, size=BOARD_SIZE))


def solution_text(puzzle: Puzzle) -> str:
    """The solution in SAN with move numbers."""
    return board_to_solve(puzzle).variation_san(map(chess.Move.from_uci, puzzle.solution))
