"""Puzzles as files for people: PGN, and a page.

In PGN, which any chess program opens, each puzzle is a game whose main line is the setup and the solution. The HTML
page is self-contained, has a board for each puzzle, and shows solutions at a click.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import chess
import chess.pgn
import chess.svg

from foible._core import __version__
from foible.analysis.puzzles.puzzle import Puzzle, findings
from foible.analysis.puzzles.puzzle_table import TABLE, write_table
from foible.analysis.report_page import page_template
from foible.games.chess import to_board
from foible.games.pgn import tag_value
from foible.runs.files import replacing
from foible.wording import counted

LINE_WIDTH = 100
BOARD_SIZE = 320
"""The size of a board in pixels."""


def board_to_solve(puzzle: Puzzle) -> chess.Board:
    """The position to solve, as a board whose last move is the setup, if there is one."""
    return to_board(puzzle.position)


def task(puzzle: Puzzle) -> str:
    """The task in words: the side to move, and the number of its moves."""
    side = "White" if puzzle.position.turn == "first" else "Black"
    moves = puzzle.solver_moves
    return f"{side} to move, {counted(moves, 'move')}"


def write_all(folder: Path, puzzles: Sequence[Puzzle]) -> None:
    """Write `puzzles.csv`, `puzzles.pgn` and `puzzles.html` into a folder, each whole or not at all.

    :raises OSError: a file cannot be written.
    """
    write_table(folder / TABLE, puzzles)
    write_pgn(folder / "puzzles.pgn", puzzles)
    write_page(folder / "puzzles.html", puzzles)


def write_pgn(path: Path, puzzles: Iterable[Puzzle]) -> None:
    """Write all puzzles into one PGN file, whole or not at all.

    :raises OSError: the file cannot be written.
    """
    with replacing(path) as stream:
        for number, puzzle in enumerate(puzzles, 1):
            stream.write(to_pgn(puzzle, number).encode())


def to_pgn(puzzle: Puzzle, number: int) -> str:
    """One puzzle as a PGN game with its final blank line; `number` becomes the round.

    The comment before the solution states the task, the comment after it the themes and the known difficulty.
    """
    game = chess.pgn.Game()
    game.headers.update(_tags(puzzle, number))
    game.setup(chess.Board(puzzle.fen))
    node: chess.pgn.GameNode = game
    if puzzle.setup is not None:
        node = node.add_main_variation(chess.Move.from_uci(puzzle.setup))
    node.comment = task(puzzle)
    for move in puzzle.solution:
        node = node.add_main_variation(chess.Move.from_uci(move))
    node.comment = "; ".join([" ".join(puzzle.themes), *findings(puzzle)]).removeprefix("; ")
    return f"{game.accept(chess.pgn.StringExporter(columns=LINE_WIDTH))}\n\n"


def _tags(puzzle: Puzzle, number: int) -> dict[str, str]:
    tags = {
        "Event": f"Puzzle {puzzle.id}",
        "Site": puzzle.game_url or "?",
        "Round": str(number),
        "Result": "*",
        "Rating": "" if puzzle.rating is None else str(puzzle.rating),
        "Themes": " ".join(puzzle.themes),
        "Source": puzzle.source,
        "Opening": puzzle.opening.replace("_", " "),
    }
    return {name: tag_value(value) for name, value in tags.items() if value}


def write_page(path: Path, puzzles: Sequence[Puzzle], title: str = "Puzzles") -> None:
    """Write the page, whole or not at all; some 28 kB a puzzle.

    :raises OSError: the file cannot be written.
    """
    themes = Counter(theme for puzzle in puzzles for theme in puzzle.themes).most_common()
    parts = page_template("puzzles.html").generate(
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
    """The position to solve as SVG, with the solver's side at the bottom and the opponent's last move marked."""
    board = board_to_solve(puzzle)
    check = board.king(board.turn) if board.is_check() else None
    last = board.peek() if board.move_stack else None
    return str(chess.svg.board(board, orientation=board.turn, lastmove=last, check=check, size=BOARD_SIZE))


def solution_text(puzzle: Puzzle) -> str:
    """The solution in SAN with move numbers."""
    return board_to_solve(puzzle).variation_san(map(chess.Move.from_uci, puzzle.solution))
