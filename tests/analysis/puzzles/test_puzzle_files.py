import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import chess
import chess.pgn
import pytest

from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.puzzle_files import board_picture, solution_text, to_pgn, write_page, write_pgn
from foible.analysis.puzzles.puzzle_table import read_table
from foible.games.pgn import read_pgn
from tests.shared_data import shared

HOSTILE = Puzzle(
    "8/7R/B2k4/2pnp3/P7/3KP3/1r6/8 w - - 1 43",
    "a6c4",
    ("e5e4", "d3e4", "d5f6"),
    rating=1400,
    themes=("attraction", "fork"),
    source="<script>alert(1)</script>",
    game_url="javascript:alert(1)",
    found={"maia-1100": (0.2, 0.4)},
)
ALONE = Puzzle(HOSTILE.position.fen, None, ("e5e4",), game_url="https://example.org/1")
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Collects the text that is seen before anything is clicked, and that behind each click."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.shown, self.hidden = "", ""
        self.links: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        if tag == "a":
            self.links.append(dict(attrs)["href"])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open or "svg" in self.open:
            return
        if "details" in self.open and "summary" not in self.open:
            self.hidden += data
        else:
            self.shown += data


@pytest.fixture
def page(tmp_path: Path) -> Reader:
    write_page(tmp_path / "p.html", [HOSTILE, ALONE], "Puzzles of <me>")
    reader = Reader()
    reader.feed((tmp_path / "p.html").read_text())
    assert reader.open == []
    return reader


def test_the_task_and_the_rating_show_at_once(page: Reader) -> None:
    assert "1. Black to move, 2 moves rating 1400" in page.shown
    assert "2. Black to move, 1 move" in page.shown
    assert "2 puzzles." in page.shown


def test_solution_themes_and_difficulty_wait_for_a_click(page: Reader) -> None:
    for secret in ("43...e4+ 44. Kxe4 Nf6+", "attraction", "fork", "found by maia-1100 8% (20%, 40%)"):
        assert secret in page.hidden
        assert secret not in page.shown


def test_texts_of_files_are_escaped_and_only_web_addresses_become_links(page: Reader) -> None:
    assert "Puzzles of <me>" in page.shown
    assert "<script>alert(1)</script>" in page.shown
    assert page.links == ["https://example.org/1"]


def test_the_last_move_is_marked() -> None:
    marked = re.findall(r'class="square (?:light|dark) lastmove ([a-h][1-8])"', board_picture(HOSTILE))
    assert sorted(marked) == ["a6", "c4"]
    assert " lastmove " not in board_picture(ALONE)


@pytest.mark.parametrize(("fen", "top"), [(ALONE.fen, "h1"), (ALONE.fen.replace(" b ", " w "), "a8")])
def test_the_board_is_seen_by_the_solver(fen: str, top: str) -> None:
    squares = re.findall(
        r'<rect x="(\d+)" y="(\d+)" [^>]*class="square \w+ ([a-h][1-8])"', board_picture(replace(ALONE, fen=fen))
    )
    assert len(squares) == 64
    assert min(squares, key=lambda square: (int(square[1]), int(square[0])))[2] == top


def test_the_solution_is_numbered_from_its_own_move() -> None:
    assert solution_text(HOSTILE) == "43...e4+ 44. Kxe4 Nf6+"


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
