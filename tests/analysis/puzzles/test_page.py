import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from foible.analysis.puzzles.page import board_picture, solution_text, write_page
from foible.analysis.puzzles.puzzle import Puzzle

FORK = Puzzle(
    "8/7R/B2k4/2pnp3/P7/3KP3/1r6/8 w - - 1 43",
    "a6c4",
    ("e5e4", "d3e4", "d5f6"),
    rating=1400,
    themes=("attraction", "fork"),
    source="<script>alert(1)</script>",
    game_url="javascript:alert(1)",
    found={"maia-1100": (0.2, 0.4)},
)
ALONE = Puzzle(FORK.position.fen, None, ("e5e4",), game_url="https://example.org/1")
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
    write_page(tmp_path / "p.html", [FORK, ALONE], "Puzzles of <me>")
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
    marked = re.findall(r'class="square (?:light|dark) lastmove ([a-h][1-8])"', board_picture(FORK))
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
    assert solution_text(FORK) == "43...e4+ 44. Kxe4 Nf6+"
