import io
import subprocess
import sys
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from foible.errors import ConfigError, GameFileError
from foible.opponents.player_games import (
    PLIES,
    PlayerGame,
    game_weights,
    mean_rating,
    read_player_games,
)


def pgn(moves: str, **tags: str) -> bytes:
    given = {"White": "Doe, Jane", "Black": "Roe, Max", "Date": "2021.01.01", "Result": "1-0"} | tags
    head = "".join(f'[{name} "{value}"]\n' for name, value in given.items() if value)
    return f"{head}\n{moves}\n\n".encode()


def read(data: bytes, player: str = "Jane Doe") -> list[PlayerGame]:
    return list(read_player_games(io.BytesIO(data), player).games)


def test_games_are_told_from_the_players_side() -> None:
    data = pgn("1. e4 e5 1-0", WhiteElo="1700", BlackElo="1650", TimeControl="180+2")
    data += pgn("1. d4 d5 1-0", White="Roe, Max", Black="DOE, JANE", WhiteElo="1650", BlackElo="1705")
    white, black = read(data)
    assert white == PlayerGame(True, "e2e4 e7e5", None, date(2021, 1, 1), "blitz", 1700, 1.0)
    assert black == PlayerGame(False, "d2d4 d7d5", None, date(2021, 1, 1), None, 1705, 0.0)


def test_the_name_is_the_spelling_used_most() -> None:
    data = pgn("1. e4 1-0", White="jane doe") + pgn("1. d4 1-0") + pgn("1. c4 1-0")
    assert read_player_games(io.BytesIO(data), "JANE DOE").player == "Doe, Jane"


def test_a_game_against_oneself_counts_for_both_colours() -> None:
    games = read(pgn("1. e4 e5 1-0", Black="Jane Doe"))
    assert [(game.white, game.points) for game in games] == [(True, 1.0), (False, 0.0)]


def test_variations_comments_and_glyphs_are_passed_over() -> None:
    moves = "1. e4! {best (by test) [%eval 0.3]} $1 e5?! (1... c5 2. Nf3 (2. c3 --) d6 {Najdorf}) "
    moves += "2. Nf3 ; so it goes\nNc6 1-0"
    assert read(pgn(moves))[0].moves == ["e2e4", "e7e5", "g1f3", "b8c6"]


def test_null_moves_in_variations_do_no_harm_and_in_games_skip_them() -> None:
    data = pgn("1. e4 (1. -- e5) e5 1-0") + pgn("1. e4 -- 2. d4 1-0") + pgn("1. d4 1-0")
    found = read_player_games(io.BytesIO(data), "Jane Doe")
    assert [game.opening for game in found.games] == ["e2e4 e7e5", "d2d4"]
    assert found.skipped == 1
    assert "illegal move --" in found.errors[0]


@pytest.mark.parametrize("result", ["*", "", "1/2", "0.5-0.5"])
def test_a_game_without_a_result_counts_without_points(result: str) -> None:
    game = read(pgn("1. e4 e5", Result=result))[0]
    assert (game.opening, game.points) == ("e2e4 e7e5", None)


def test_a_result_at_the_end_of_the_moves_is_enough() -> None:
    assert read(pgn("1. e4 e5 0-1", Result=""))[0].points == 0.0


def test_names_in_latin_1_are_found() -> None:
    data = '[White "Müller, Jörg"]\n[Black "Ñáñez"]\n\n1. e4 1-0\n\n'.encode("latin-1")
    found = read_player_games(io.BytesIO(data), "jörg müller")
    assert found.player == "Müller, Jörg"
    assert len(found.games) == 1


def test_broken_games_are_skipped_counted_and_the_rest_is_kept() -> None:
    data = pgn("1. e4 e5 1-0") + pgn("1. e4 Ke7 1-0") + pgn("1. e4 {never closed 1-0") + pgn("1. d4 1-0")
    found = read_player_games(io.BytesIO(data), "Jane Doe")
    assert found.games[0].opening == "e2e4 e7e5"
    assert found.skipped >= 1
    assert found.errors


def test_copies_of_a_game_count_once_and_like_games_of_other_days_each() -> None:
    data = pgn("1. e4 e5 1-0") * 3 + pgn("1. e4 e5 1-0", Date="2021.01.02")
    found = read_player_games(io.BytesIO(data), "Jane Doe")
    assert (len(found.games), found.copies) == (2, 2)


def test_chess960_and_empty_games_are_left_aside() -> None:
    fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    data = pgn("9. e4 1-0", FEN=fen, SetUp="1", Variant="Chess960") + pgn("1-0") + pgn("1. e4 1-0")
    found = read_player_games(io.BytesIO(data), "Jane Doe")
    assert (len(found.games), found.variants) == (1, 1)


def test_one_who_plays_only_chess960_is_told_that_such_games_do_not_count() -> None:
    fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    data = pgn("9. e4 1-0", FEN=fen, SetUp="1", Variant="Chess960")
    found = read_player_games(io.BytesIO(data), "Jane Doe")
    with pytest.raises(ConfigError, match="none with moves, but 1 in Chess960, which"):
        found.only()


def test_only_the_opening_of_a_game_is_kept() -> None:
    shuffle = " ".join(f"{2 * n + 1}. Nf3 Nf6 {2 * n + 2}. Ng1 Ng8" for n in range(30))
    assert len(read(pgn(shuffle))[0].moves) == PLIES


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    data = pgn("1. e4 1-0") + pgn("1. e4 1-0", White="Roe, Jane", Date="2020.01.01")
    with pytest.raises(ConfigError, match=r"no game of 'Jan Doe' among the 2 in the games; .* 'Doe, Jane', 'Roe, "):
        read(data, "Jan Doe")


def test_games_that_name_no_players_are_told_apart_from_wrong_names() -> None:
    data = pgn("1. e4 1-0", White="?", Black="?") + b"1. d4 d5 *\n\n"
    with pytest.raises(ConfigError, match=r"among the 2 in the games; they name no players \(tags White and Black\)"):
        read(data, "Jane Doe")


@pytest.mark.parametrize("name", ["", "  ", ",."])
def test_a_name_has_letters(name: str) -> None:
    with pytest.raises(ConfigError, match="expected a name"):
        read(pgn("1. e4 1-0"), name)


def test_a_file_without_games_says_so() -> None:
    with pytest.raises(GameFileError, match="no game that can be read"):
        read(b"hello, I am no chess game", "Jane Doe")


def test_a_file_of_games_that_cannot_be_read_says_why() -> None:
    with pytest.raises(GameFileError, match=r"no game that can be read; game 1: .*Atomic"):
        read(pgn("1. e4 1-0", Variant="Atomic"))


def test_a_player_whose_games_have_no_moves_is_told_so() -> None:
    with pytest.raises(ConfigError, match="no games of Doe, Jane; there are none with moves"):
        read_player_games(io.BytesIO(pgn("1-0")), "Jane Doe").only()


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(GameFileError, match="no such file"):
        read_player_games(tmp_path / "none.pgn", "Jane Doe")


def test_games_are_split_by_colour_and_speed_and_the_rest_is_told() -> None:
    data = pgn("1. e4 1-0", TimeControl="60+0") + pgn("1. d4 1-0", TimeControl="600+0") + pgn("1. c4 1-0")
    found = read_player_games(io.BytesIO(data), "Jane Doe")
    assert [game.opening for game in found.only(speeds=["rapid"]).games] == ["d2d4"]
    assert len(found.only(white=True).games) == 3
    with pytest.raises(ConfigError, match="no blitz games of Doe, Jane; there are 1 bullet, 1 rapid, 1 of unknown"):
        found.only(speeds=["blitz"])
    with pytest.raises(ConfigError, match="no games of Doe, Jane as Black; there are none with moves"):
        found.only(white=False)


def game(day: date | None = None, rating: int | None = None) -> PlayerGame:
    return PlayerGame(True, "e2e4", day=day, rating=rating)


def test_a_game_weighs_half_after_the_half_life() -> None:
    games = [game(date(2022, 1, 1)), game(date(2020, 1, 1)), game(date(2018, 1, 1))]
    np.testing.assert_allclose(game_weights(games, 24), [1, 0.5, 0.25], rtol=2e-3)
    np.testing.assert_allclose(game_weights(games, 12), [1, 0.25, 0.0625], rtol=4e-3)


def test_a_game_without_a_date_weighs_like_the_others_on_average() -> None:
    weights = game_weights([game(date(2022, 1, 1)), game(), game(date(2020, 1, 1))], 24)
    assert weights[1] == pytest.approx((weights[0] + weights[2]) / 2)
    assert list(game_weights([game(), game()])) == [1, 1]


def test_recent_ratings_count_more() -> None:
    games = [game(date(2022, 1, 1), 1800), game(date(2020, 1, 1), 1500), game(date(2022, 1, 1))]
    assert mean_rating(games, 24) == pytest.approx(1700, abs=1)
    assert mean_rating([game()]) is None


HUNDRED_MEGABYTES = """
import resource, sys
from foible.opponents.player_games import read_player_games

class Repeated:
    def __init__(self, text, size): self.text, self.left = text, size // len(text)
    def read(self, size=-1):
        if not self.left: return b""
        self.left -= 1
        return self.text

moves = b"%d. Nf3 {[%%clk 0:10:00]} Nf6 {[%%clk 0:10:00]} %d. Ng1 Ng8 (2... Nd5)"
moves = b" ".join(moves % (2 * n + 1, 2 * n + 2) for n in range(25))
game = b'[White "%s"]\\n[Black "Roe"]\\n[Date "2021.01.01"]\\n\\n' + moves.replace(b"%", b"%%") + b" 1-0\\n\\n"
text = b"".join(game % name for name in [b"Doe", *(b"Other %d" % n for n in range(29))])
mb = int(sys.argv[1])
found = read_player_games(Repeated(text, mb << 20), "doe")
print(found.read, len(found.games) + found.copies, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_a_hundred_megabytes_are_read_in_constant_memory() -> None:
    def read_file(megabytes: int) -> list[int]:
        words = [sys.executable, "-c", HUNDRED_MEGABYTES, str(megabytes)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=100, check=True)
        return [int(word) for word in done.stdout.split()]

    small, large = read_file(2), read_file(100)
    assert large[0] > 40 * small[0] > 40_000 / 2
    assert large[1] * 30 == large[0]
    assert large[2] - small[2] < 20 << 10, "kilobytes of memory"
