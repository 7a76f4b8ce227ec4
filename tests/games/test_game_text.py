"""Games and positions as people paste them."""

import re

import pytest

from foible._core import ChessPosition
from foible.errors import FoibleError
from foible.games.game_text import read_game_text
from tests.analysis.games.pgn_games import game

RUY = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5")
FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5",
        "e4 e5 Nf3 Nc6 Bb5",
        "e2e4 e7e5 g1f3 b8c6 f1b5",
        "1.e2e4 e7e5 2.g1f3 b8c6 3.f1b5 1-0",
        "e4, e5, Nf3, Nc6, Bb5",
        "e4 e5 Nf3! b8c6?! Bb5",
        "  e2e4\ne7e5\ng1f3\nb8c6\nf1b5\n",
        game("1. e4 {best by test} e5 2. Nf3 (2. f4) 2... Nc6 3. Bb5", "1-0", White="A"),
    ],
)
def test_a_game_is_read_however_it_is_written(text: str) -> None:
    found = read_game_text(text)
    assert found.moves == RUY
    assert found.start == ChessPosition()
    assert found.games == 1


def test_uci_moves_castle_promote_and_end() -> None:
    text = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1"
    assert read_game_text(text).moves[-1] == "e1g1"
    promoted = "h2h4 g7g5 h4g5 h7h6 g5h6 a7a6 h6h7 a6a5 h7g8q 1-0"
    assert read_game_text(promoted).moves[-1] == "h7g8q"
    assert read_game_text(promoted).result == "1-0"


def test_a_position_has_no_moves() -> None:
    found = read_game_text(FEN)
    assert (found.start.fen, found.moves) == (FEN, ())


def test_tags_result_and_the_number_of_games_are_kept() -> None:
    found = read_game_text(game("1. e4 e5", "1-0", White="A") + game("1. d4", "0-1", White="B"))
    assert (found.tags["White"], found.result, found.games) == ("A", "1-0", 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("e2e4 e7e5 g1f6", "move 2. g1f6: not a move there; near are g1f3, .*"),
        ("1. e4 Ke7 2. Ke8", "move 1… Ke7: not a move there; expected one of a6, .*"),
        ("e4 e5 Nf3 Nf9", "move 2… Nf9: not a move there; near .*Nf6.*"),
        ("e4 e5 Nf3 hello", "move 2… hello: not a move there; expected one of .*"),
        ("f3 e5 g4 Qh4 e4", "move 3. e4: not a move there; the game is over before it"),
        ("hello world", "'hello' is no move; expected a game as PGN, its moves .*"),
        ("", "no moves; expected a game as PGN, .*"),
        ("1-0", "no moves; expected a game as PGN, .*"),
        ('[White "A"]\n\n1. e4 Ke7 *', "game 1, move 1 .black.: illegal move Ke7 .line 3.; expected a game as PGN, .*"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w - - 0 1", 'FEN ".*": field 1 .*'),
        (FEN.replace(" b ", " x "), 'FEN ".*": field 2 .*expected w or b'),
    ],
)
def test_what_is_wrong_is_told_in_one_line(text: str, told: str) -> None:
    with pytest.raises(FoibleError) as error:
        read_game_text(text)
    assert re.fullmatch(told, str(error.value))
