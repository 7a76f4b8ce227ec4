import io
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn
import pytest

from foible.analysis.puzzles.pgn import to_pgn, write_pgn
from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.table import read_table
from foible.games.pgn import read_pgn
from tests.shared_data import shared

FORK = Puzzle(
    "8/7R/B2k4/2pnp3/P7/3KP3/1r6/8 w - - 1 43",
    "a6c4",
    ("e5e4", "d3e4", "d5f6"),
    rating=1400,
    themes=("attraction", "fork"),
    source='"Open" {final}\nround 3, ply 86',
    opening="Queens_Gambit",
    before=0.48,
    after=0.93,
    margin=0.31,
    found={"maia-1100": (0.2, 0.4), "maia-1900": (0.5, 0.8)},
)


def parse(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    return game


@pytest.mark.parametrize("puzzle", [FORK, Puzzle(FORK.position.fen, None, FORK.solution)])
def test_the_main_line_is_the_setup_and_the_solution(puzzle: Puzzle) -> None:
    game = parse(to_pgn(puzzle, 3))
    assert tuple(move.uci() for move in game.mainline_moves()) == puzzle.moves
    assert game.board().fen() == puzzle.fen
    assert (game.headers["Event"], game.headers["Round"]) == (f"Puzzle {puzzle.id}", "3")


def test_the_task_stands_before_the_solution_and_the_rest_behind_it() -> None:
    game = parse(to_pgn(FORK, 1))
    assert game.variations[0].comment == "Black to move, 2 moves"
    assert game.end().comment == (
        "attraction fork; win probability 0.48 at first sight, 0.93 when searched; "
        "every other move is worse by 0.31 or more; found by maia-1100 8% (20%, 40%), maia-1900 40% (50%, 80%)"
    )
    alone = parse(to_pgn(Puzzle(FORK.position.fen, None, FORK.solution), 1))
    assert (alone.comment, alone.end().comment) == ("Black to move, 2 moves", "")


def test_tags_hold_what_the_table_would() -> None:
    text = to_pgn(FORK, 1)
    assert '[Rating "1400"]' in text
    assert '[Themes "attraction fork"]' in text
    assert '[Source "\\"Open\\" {final} round 3, ply 86"]' in text
    assert "[Rating" not in to_pgn(replace(FORK, rating=None), 1)


def test_every_public_puzzle_reads_back(tmp_path: Path) -> None:
    puzzles = list(read_table(shared("data/puzzles/lichess_puzzles.csv")))[::10]
    write_pgn(tmp_path / "p.pgn", puzzles)
    games = list(read_pgn(tmp_path / "p.pgn"))
    assert [tuple(game.moves) for game in games] == [puzzle.moves for puzzle in puzzles]
    assert [game.tags["FEN"] for game in games] == [puzzle.fen for puzzle in puzzles]
