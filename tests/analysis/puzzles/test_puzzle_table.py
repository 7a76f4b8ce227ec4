from pathlib import Path

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.analysis.puzzles.puzzle import UNTRIED, Puzzle, Reception
from foible.analysis.puzzles.puzzle_table import COLUMNS, read_table, write_table
from foible.errors import GameFileError
from tests.shared_data import shared

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
FORK = Puzzle(
    "8/7R/B2k4/2pnp3/P7/3KP3/1r6/8 w - - 1 43",
    "a6c4",
    ("e5e4", "d3e4", "d5f6"),
    rating=1400,
    themes=("attraction", "fork"),
    game_url="https://example.org/game,1#85",
    opening='Queens_Gambit Queens_Gambit_"Quoted"',
    name="00WTN",
    reception=Reception(80, -3, 712),
)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    puzzles = [FORK, Puzzle(START, None, ("e2e4",), name="x"), Puzzle(START, "e2e4", ("e7e5",), name="y")]
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
    write_table(tmp_path / "t.csv", [FORK])
    head, row = (tmp_path / "t.csv").read_text().splitlines()
    assert head == "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags"
    assert row.startswith(f"00WTN,{FORK.fen},a6c4 e5e4 d3e4 d5f6,1400,80,-3,712,attraction fork,")


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
    write_table(path, [FORK])

    def broken() -> list[Puzzle]:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_table(path, (puzzle for puzzle in broken()))
    assert list(read_table(path)) == [FORK]
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


def test_the_columns_are_unique() -> None:
    assert len(set(COLUMNS)) == len(COLUMNS) == 10
