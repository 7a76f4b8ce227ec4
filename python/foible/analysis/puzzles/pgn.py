"""Puzzles as PGN: one game each, the setup and the solution its main line; any chess program opens it."""

from collections.abc import Iterable
from pathlib import Path

import chess
import chess.pgn

from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.words import findings, task
from foible.files import replacing

COLUMNS = 100


def write_pgn(path: Path, puzzles: Iterable[Puzzle]) -> None:
    """All puzzles in one file, whole or not at all.

    :raises OSError: the file cannot be written.
    """
    with replacing(path) as stream:
        for number, puzzle in enumerate(puzzles, 1):
            stream.write(to_pgn(puzzle, number).encode())


def to_pgn(puzzle: Puzzle, number: int) -> str:
    """One puzzle with the blank line that ends it; `number` becomes the round.

    The comment before the solution tells the task, the one behind it the themes and what is known of the difficulty.
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
    return f"{game.accept(chess.pgn.StringExporter(columns=COLUMNS))}\n\n"


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
    return {name: _quoted(value) for name, value in tags.items() if value}


def _quoted(value: str) -> str:
    """On one line, with the escapes of PGN."""
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
