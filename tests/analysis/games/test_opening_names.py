from pathlib import Path

import pytest

from foible.analysis.games.opening_names import NO_TABLE, OpeningNames, read_openings
from foible.errors import GameFileError
from tests.analysis.games.pgn_games import facts, game
from tests.shared_data import shared

HEADER = "eco\tname\tpgn\n"
TABLE = f"""{HEADER}B00\tKing's Pawn Game\t1. e4
B20\tSicilian Defense\t1. e4 c5
C60\tRuy Lopez\t1. e4 e5 2. Nf3 Nc6 3. Bb5
C70\tRuy Lopez: Morphy Defense\t1. e4 e5 2. Nf3 Nc6 3. Bb5 a6
E61\tKing's Indian Defense\t1. d4 Nf6 2. c4 g6 3. Nc3
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def table(tmp_path: Path) -> OpeningNames:
    return read_openings([write(tmp_path / "eco.tsv", TABLE)])


def test_the_last_position_with_a_name_names_the_opening(table: OpeningNames) -> None:
    (found,) = facts(game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. a3"), table)
    assert found.opening == ("C70", "Ruy Lopez: Morphy Defense")


def test_transpositions_reach_the_same_opening(table: OpeningNames) -> None:
    one, other = facts(game("1. d4 Nf6 2. c4 g6 3. Nc3 d6") + game("1. c4 g6 2. Nc3 Nf6 3. d4 Bg7"), table)
    assert one.opening == other.opening == ("E61", "King's Indian Defense")


def test_tags_come_first_and_the_table_fills_what_they_leave_open(table: OpeningNames) -> None:
    moves = "1. e4 c5"
    both, code, other, name, none = facts(
        game(moves, ECO="B20", Opening="Sicilian, they say")
        + game(moves, ECO="B20")
        + game(moves, ECO="C42e")
        + game(moves, Opening="Sicilian, they say", ECO="?")
        + game(moves, ECO="?", Opening="?"),
        table,
    )
    assert both.opening == ("B20", "Sicilian, they say")
    assert code.opening == none.opening == ("B20", "Sicilian Defense")
    assert other.opening == ("C42", ""), "a name of another code would mislead"
    assert name.opening == ("B20", "Sicilian, they say")


def test_without_a_table_the_tags_alone_name_openings() -> None:
    none, code, name = facts(game("1. e4") + game("1. e4", ECO="B00") + game("1. e4", Opening="King's Pawn"), NO_TABLE)
    assert none.opening == ("", "")
    assert code.opening == ("B00", "")
    assert name.opening == ("", "King's Pawn")


def test_a_game_from_elsewhere_has_no_opening(table: OpeningNames) -> None:
    (found,) = facts(game("1. Kb2", SetUp="1", FEN="7k/8/8/8/8/8/8/K5R1 w - - 0 1"), table)
    assert found.opening == ("", "")


def test_tables_add_up_and_may_have_further_columns_and_windows_lines(tmp_path: Path) -> None:
    more = "\ufeffname\tuci\teco\tpgn\r\nQueen's Pawn Game\td2d4\tA40\t1.d4\r\n\r\n"
    found = read_openings([write(tmp_path / "a.tsv", TABLE), write(tmp_path / "b.tsv", more)])
    assert [one.opening.eco for one in facts(game("1. d4") + game("1. e4"), found)] == ["A40", "B00"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: no column eco, name, pgn; expected"),
        ("eco\tname\tmoves\n", "line 1: no column pgn; expected"),
        ("eco,name,pgn\n", "line 1: no column eco, name, pgn; expected"),
        (HEADER, "no opening in it; expected"),
        (TABLE + "A40\tQueen's Pawn Game\n", "line 7: no pgn; expected"),
        (HEADER + "A40\t\t1. d4\n", "line 2: no name; expected"),
        (HEADER + "D4\tQueen's Pawn Game\t1. d4\n", "line 2: code 'D4'; expected A00 to E99"),
        (HEADER + "A40\tQueen's Pawn Game\t1. d4 e5 2. Ke3\n", "line 2: move 3 of 3: illegal move"),
        (HEADER + "A40\tQueen's Pawn Game\t1. dull\n", "line 2: move 1 of 1: neither UCI nor SAN"),
    ],
)
def test_a_bad_table_is_one_line_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path / "bad.tsv", text)
    with pytest.raises(GameFileError) as error:
        read_openings([path])
    found = str(error.value)
    assert found.startswith(str(path))
    assert message in found
    assert "\n" not in found


def test_a_table_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_bytes(b"eco\tname\tpgn\nA40\t\xff\t1. d4\n")
    with pytest.raises(GameFileError, match=r"bad\.tsv: not a text file \(byte 17 is not UTF-8\)"):
        read_openings([path])


def test_a_full_table_is_read_and_names_common_openings() -> None:
    found = read_openings([shared("data/openings/eco.tsv")])
    assert len(found.positions) > 3000
    one, other, ruy = facts(
        game("1. d4 Nf6 2. c4 g6 3. Nc3 Bg7 4. e4 d6")
        + game("1. c4 d6 2. Nc3 g6 3. e4 Bg7 4. d4 Nf6")
        + game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. a3"),
        found,
    )
    assert one.opening == other.opening
    assert one.opening.eco == "E70"
    assert ruy.opening == ("C70", "Ruy Lopez: Morphy Defense")


def test_first_moves_are_numbered_as_on_a_score_sheet() -> None:
    white, black = facts(
        game("1. e4 e5 2. Nf3 Nc6 3. Bb5")
        + game("1... e5 2. Nf3", SetUp="1", FEN="rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
    )
    assert white.first_moves == "1.e4 e5 2.Nf3 Nc6"
    assert black.first_moves == "1...e5 2.Nf3"


@pytest.mark.parametrize("name", ["standard", "queen odds", "pawn-and-move odds"])
def test_how_foible_called_its_starts_is_no_opening(name: str, table: OpeningNames) -> None:
    (bare,), (found,) = facts(game("1. e4", Opening=name)), facts(game("1. e4", Opening=name), table)
    assert bare.opening == ("", "")
    assert found.opening == ("B00", "King's Pawn Game")
