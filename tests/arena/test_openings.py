"""Opening suites: formats, packing, order, and what is wrong with a line."""

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from foible._core import ChessPosition
from foible.arena.openings import BALANCED, STANDARD, Opening, OpeningSuite, find_openings, read_openings
from foible.errors import ConfigError, GameFileError, PositionError

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
SICILIAN = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -"
EPD = f"""# two openings
{START} id "start";
{SICILIAN} hmvc 0; fmvn 2; id "Sicilian; defence";

{SICILIAN} 3 7
"""
PGN = """[Event "a"]
[Opening "Queen's pawn"]
[Result "*"]

1. d4 d5 2. c4 *

[Event "b"]
[SetUp "1"]
[FEN "7k/8/8/8/8/8/8/KQ6 w - - 0 1"]
[Result "*"]

1. Qb2+ Kh7 *
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_epd_lines_give_positions_with_counters_and_names(tmp_path: Path) -> None:
    openings = read_openings(write(tmp_path / "book.epd", EPD))
    assert openings == (
        Opening(f"{START} 0 1", (), "start"),
        Opening(f"{SICILIAN} 0 2", (), "Sicilian; defence"),
        Opening(f"{SICILIAN} 3 7", (), ""),
    )
    assert openings[2].position().fen.split()[4:] == ["3", "7"]


def test_pgn_games_give_moves_and_start_positions(tmp_path: Path) -> None:
    openings = read_openings(write(tmp_path / "book.pgn", PGN))
    assert openings == (
        Opening(None, ("d2d4", "d7d5", "c2c4"), "Queen's pawn"),
        Opening("7k/8/8/8/8/8/8/KQ6 w - - 0 1", ("b1b2", "h8h7"), "game 2"),
    )
    assert openings[0].position().moves == ["d2d4", "d7d5", "c2c4"]


def test_the_beginnings_of_whole_games_are_openings(tmp_path: Path) -> None:
    mate = '[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
    book = write(tmp_path / "book.pgn", f"{mate}\n{PGN}")
    with pytest.raises(
        PositionError, match=r"game 1: the game is already over \(checkmate\); with openings\.plies the"
    ):
        read_openings(book)
    assert [one.moves for one in read_openings(book, plies=2)] == [("f2f3", "e7e5"), ("d2d4", "d7d5"), ("b1b2", "h8h7")]


def test_positions_have_no_plies_to_cut(tmp_path: Path) -> None:
    book = write(tmp_path / "book.epd", EPD)
    with pytest.raises(ConfigError, match=r"openings\.plies = 2: .*book\.epd holds positions; expected a PGN file"):
        read_openings(book, plies=2)


def zipped(path: Path, data: bytes) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("book", data)


@pytest.mark.parametrize("text", [EPD, PGN], ids=["epd", "pgn"])
@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", lambda path, data: path.write_bytes(gzip.compress(data))),
        (".xz", lambda path, data: path.write_bytes(lzma.compress(data))),
        (".bz2", lambda path, data: path.write_bytes(bz2.compress(data))),
        (".zip", zipped),
    ],
)
def test_packed_files_hold_the_same_openings(
    tmp_path: Path, text: str, suffix: str, pack: Callable[[Path, bytes], object]
) -> None:
    packed, plain = tmp_path / f"book{suffix}", tmp_path / "book"
    pack(packed, text.encode())
    plain.write_text(text)
    assert read_openings(packed) == read_openings(plain)


def test_the_standard_opening_is_the_start_position() -> None:
    assert STANDARD.position() == ChessPosition()


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("a.epd", f"{START}\n8/8/8 w - -\n", PositionError, r"a\.epd, line 2"),
        ("a.epd", f"{START}\n\nnonsense here\n", GameFileError, r"a\.epd, line 3: .*four fields"),
        ("a.epd", f"{START}\n7k/6Q1/6K1/8/8/8/8/8 b - -\n", PositionError, r"line 2: .*over \(checkmate\)"),
        ("a.epd", "# nothing\n", GameFileError, "no opening"),
        ("a.pgn", PGN.replace("Qb2+", "Qb9"), GameFileError, r"a\.pgn, game 2"),
        ("a.pgn", "", GameFileError, "no opening"),
        ("a.pgn", '[Event "x"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n', PositionError, r"a\.pgn, game 1: .*over"),
        ("a.epd.gz", "not gzip", GameFileError, r"a\.epd\.gz"),
        ("a.zip", "not zip", GameFileError, r"a\.zip"),
    ],
)
def test_errors_say_where(tmp_path: Path, name: str, text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_openings(write(tmp_path / name, text))


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.epd").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GameFileError, match="byte 0 is not UTF-8"):
        read_openings(tmp_path / "a.epd")
    with pytest.raises(GameFileError, match=r"none\.epd"):
        read_openings(tmp_path / "none.epd")


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(0, 1000), st.integers(1, 4))
def test_random_order_repeats_nothing_before_all_were_played(size: int, seed: int, laps: int) -> None:
    openings = tuple(Opening(name=str(i)) for i in range(size))
    suite = OpeningSuite(openings, "random", seed)
    for lap in range(laps):
        dealt = [suite.of_pair(lap * size + i) for i in range(size)]
        assert sorted(o.name for o in dealt) == sorted(o.name for o in openings)
    again = OpeningSuite(openings, "random", seed)
    assert [again.of_pair(i) for i in range(size)] == [suite.of_pair(i) for i in range(size)]


def test_a_suite_has_an_opening_and_an_order() -> None:
    with pytest.raises(ConfigError, match=r"^openings: expected at least one$"):
        OpeningSuite(())
    with pytest.raises(ConfigError, match=r"^openings: order = 'randm': near is random$"):
        OpeningSuite(order="randm")  # type: ignore[arg-type]


def test_order_is_sequential_or_shuffled_by_the_seed() -> None:
    openings = tuple(Opening(name=str(i)) for i in range(50))

    def order(suite: OpeningSuite, lap: int = 0) -> list[str]:
        return [suite.of_pair(50 * lap + i).name for i in range(50)]

    in_order = [o.name for o in openings]
    assert order(OpeningSuite(openings)) == order(OpeningSuite(openings), 1) == in_order
    shuffled = OpeningSuite(openings, "random", 1)
    orders = [in_order, order(shuffled), order(shuffled, 1), order(OpeningSuite(openings, "random", 2))]
    assert len({tuple(names) for names in orders}) == 4


def test_foible_s_own_book_holds_different_positions_with_either_side_to_play_for() -> None:
    openings = read_openings(find_openings(BALANCED))
    assert len({opening.fen for opening in openings}) == len(openings) == 500
    assert all(opening.position().outcome() is None for opening in openings)
