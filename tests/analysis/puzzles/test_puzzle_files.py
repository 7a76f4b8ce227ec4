"""Puzzles as PGN, as a page, and in the layout of the public table."""

import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import given, strategies as st

from foible.analysis.puzzles.puzzle import UNTRIED, Puzzle, Reception
from foible.analysis.puzzles.puzzle_files import board_picture, solution_text, to_pgn, write_page, write_pgn
from foible.analysis.puzzles.puzzle_table import COLUMNS, read_table, write_table
from foible.errors import GameFileError
from foible.games.pgn import read_pgn
from tests.shared_data import shared

FORK = Puzzle(
    "8/7R/B2k4/2pnp3/P7/3KP3/1r6/8 w - - 1 43",
    "a6c4",
    ("e5e4", "d3e4", "d5f6"),
    rating=1400,
    themes=("attraction", "fork"),
)
HOSTILE = replace(
    FORK,
    source="<script>alert(1)</script>",
    game_url="javascript:alert(1)",
    found={"maia-1100": (0.2, 0.4)},
)
ALONE = Puzzle(HOSTILE.position.fen, None, ("e5e4",), game_url="https://example.org/1")
VOID = {"meta", "br"}
MINED = replace(
    FORK,
    source='"Open" {final}\nround 3, ply 86',
    opening="Queens_Gambit",
    before=0.48,
    after=0.93,
    margin=0.31,
    found={"maia-1100": (0.2, 0.4), "maia-1900": (0.5, 0.8)},
)
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
PUBLIC = replace(
    FORK,
    game_url="https://example.org/game,1#85",
    opening='Queens_Gambit Queens_Gambit_"Quoted"',
    name="00WTN",
    reception=Reception(80, -3, 712),
)


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
    for secret in ("43...e4+ 44. Kxe4 Nf6+", "attraction", "fork", "found by maia-1100 8 % (20 %, 40 %)"):
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


def parse(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    return game


@pytest.mark.parametrize("puzzle", [MINED, Puzzle(MINED.position.fen, None, MINED.solution)])
def test_the_main_line_is_the_setup_and_the_solution(puzzle: Puzzle) -> None:
    game = parse(to_pgn(puzzle, 3))
    assert tuple(move.uci() for move in game.mainline_moves()) == puzzle.moves
    assert game.board().fen() == puzzle.fen
    assert (game.headers["Event"], game.headers["Round"]) == (f"Puzzle {puzzle.id}", "3")


def test_the_task_stands_before_the_solution_and_the_rest_behind_it() -> None:
    game = parse(to_pgn(MINED, 1))
    assert game.variations[0].comment == "Black to move, 2 moves"
    assert game.end().comment == (
        "attraction fork; win probability 0.48 at first sight, 0.93 when searched; "
        "every other move is worse by 0.31 or more; found by maia-1100 8 % (20 %, 40 %), maia-1900 40 % (50 %, 80 %)"
    )
    alone = parse(to_pgn(Puzzle(MINED.position.fen, None, MINED.solution), 1))
    assert (alone.comment, alone.end().comment) == ("Black to move, 2 moves", "")


def test_tags_hold_what_the_table_would() -> None:
    text = to_pgn(MINED, 1)
    assert '[Rating "1400"]' in text
    assert '[Themes "attraction fork"]' in text
    assert '[Source "\\"Open\\" {final} round 3, ply 86"]' in text
    assert "[Rating" not in to_pgn(replace(MINED, rating=None), 1)


def test_every_public_puzzle_reads_back(tmp_path: Path) -> None:
    puzzles = list(read_table(shared("data/puzzles/lichess_puzzles.csv")))[::10]
    write_pgn(tmp_path / "p.pgn", puzzles)
    games = list(read_pgn(tmp_path / "p.pgn"))
    assert [tuple(game.moves) for game in games] == [puzzle.moves for puzzle in puzzles]
    assert [game.tags["FEN"] for game in games] == [puzzle.fen for puzzle in puzzles]


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    puzzles = [PUBLIC, Puzzle(START, None, ("e2e4",), name="x"), Puzzle(START, "e2e4", ("e7e5",), name="y")]
    write_table(tmp_path / "t.csv", puzzles)
    assert list(read_table(tmp_path / "t.csv")) == puzzles


def test_the_public_table_survives_a_round_trip(tmp_path: Path) -> None:
    public = list(read_table(shared("data/puzzles/lichess_puzzles.csv")))
    write_table(tmp_path / "t.csv", public)
    assert list(read_table(tmp_path / "t.csv")) == public
    assert len(public) == 5458
    assert public[0].solution == ("e6e7", "b2b1", "b3c1", "b1c1", "h6c1")
    assert public[0].reception == Reception(77, 95, 8020)


def test_the_layout_is_that_of_the_public_table(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", [PUBLIC])
    head, row = (tmp_path / "t.csv").read_text().splitlines()
    assert head == "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags"
    assert row.startswith(f"00WTN,{PUBLIC.fen},a6c4 e5e4 d3e4 d5f6,1400,80,-3,712,attraction fork,")


def test_a_puzzle_that_nobody_tried_has_an_id_of_its_own_and_no_reception(tmp_path: Path) -> None:
    ours = Puzzle(START, "e2e4", ("e7e5",), rating=900)
    write_table(tmp_path / "t.csv", [ours])
    [read] = read_table(tmp_path / "t.csv")
    assert (read.id, read.reception, read.rating, read.public_rating) == (ours.id, UNTRIED, 900, None)
    assert (tmp_path / "t.csv").read_text().splitlines()[1].split(",")[4:7] == ["500", "0", "0"]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=9), st.integers(400, 3000))
def test_ids_depend_on_position_and_moves_alone(choices: list[int], rating: int) -> None:
    board = chess.Board()
    for choice in choices:
        legal = list(board.legal_moves)
        if not legal:
            break
        board.push(legal[choice % len(legal)])
    moves = tuple(move.uci() for move in board.move_stack)
    puzzle = Puzzle(START, None, moves)
    assert puzzle.id == Puzzle(START, moves[0], moves[1:], rating=rating, themes=("fork",), source="elsewhere").id
    assert puzzle.id != Puzzle(START, None, (*moves, "a2a3")).id
    assert len(puzzle.id) == 8


def test_columns_may_stand_in_any_order_and_others_may_be_there(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"Extra,Moves,FEN\n1,e2e4,{START}\n\n2,e2e4 e7e5,{START}\n")
    first, second = read_table(tmp_path / "t.csv")
    assert (first.setup, first.solution, first.rating, first.reception) == (None, ("e2e4",), None, None)
    assert (second.setup, second.solution) == ("e2e4", ("e7e5",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"line 1: no column FEN; the first line names the columns, FEN, Moves among them"),
        ("FEN,Rating\n", r"line 1: no column Moves"),
        (f"FEN,Moves\n{START},e2e4\nrubbish,e2e4\n", r"line 3: FEN \"rubbish\": .*eight ranks"),
        (f"FEN,Moves\n{START},e2e4 e7e4\n", r"line 2: move 2 of 2: illegal move: \"e7e4\""),
        (f"FEN,Moves\n{START},\n", r"line 2: no moves"),
        (f"FEN,Moves\n{START}\n", r"line 2: 1 fields where the first line names 2 columns"),
        (f"FEN,Moves,Rating\n{START},e2e4,good\n", r"line 2: Rating 'good' is not a whole number"),
        (f'FEN,Moves\n"{START},e2e4\n', r"line 2: unexpected end of data"),
        (f"FEN,Moves\n{START},e2e4\n\udcff,e2e4\n", r"line 3: not UTF-8"),
        ("FEN,Moves\n" + "x" * (3 << 20), r"more than 1048576 bytes"),
    ],
    ids=["empty", "column", "position", "move", "no moves", "fields", "number", "quote", "bytes", "endless"],
)
def test_a_broken_table_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(GameFileError, match=message) as caught:
        list(read_table(path))
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_missing_table_is_named_once() -> None:
    with pytest.raises(GameFileError) as caught:
        list(read_table(Path("nowhere.csv")))
    assert str(caught.value) == "nowhere.csv: no such file"


def test_a_failed_write_leaves_the_old_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_table(path, [PUBLIC])

    def broken() -> list[Puzzle]:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_table(path, (puzzle for puzzle in broken()))
    assert list(read_table(path)) == [PUBLIC]
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


def test_the_columns_are_unique() -> None:
    assert len(set(COLUMNS)) == len(COLUMNS) == 10


def test_moves_of_a_table_are_read_as_uci_however_they_are_written(tmp_path: Path) -> None:
    fen = "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R b KQkq - 0 1"
    (tmp_path / "t.csv").write_text(f"PuzzleId,FEN,Moves\na,{fen},a7a6 e1h1\nb,{fen},a6 O-O\n")
    for puzzle in read_table(tmp_path / "t.csv"):
        assert puzzle.moves == ("a7a6", "e1g1")
        assert "O-O" in to_pgn(puzzle, 1)
