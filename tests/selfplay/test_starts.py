"""Where games start: the standard position, a book, odds, and random moves from there."""

from pathlib import Path

import pytest

from foible.errors import PositionError
from foible.games.odds import find_odds, giver_of
from foible.selfplay.config import OpeningsConfig
from foible.selfplay.starts import make_starts


def test_games_start_as_chess_does() -> None:
    opening = make_starts(OpeningsConfig(), 1).of_game(7)
    assert opening.fen is None
    assert opening.moves == ()


def test_random_moves_make_games_differ_and_depend_on_the_seed() -> None:
    config = OpeningsConfig(random_plies=6)
    starts = make_starts(config, 1)
    moves = [starts.of_game(game).moves for game in range(40)]
    assert all(len(line) == 6 for line in moves)
    assert len(set(moves)) == 40
    assert moves == [make_starts(config, 1).of_game(game).moves for game in range(40)]
    assert moves != [make_starts(config, 2).of_game(game).moves for game in range(40)]


def test_a_book_is_played_through_before_a_position_comes_back() -> None:
    starts = make_starts(OpeningsConfig(file="balanced"), 1)
    fens = [starts.of_game(game).fen for game in range(1000)]
    assert len(set(fens[:500])) == len(set(fens[500:])) == 500
    assert fens[:500] != fens[500:]


def test_a_book_comes_in_its_own_order_where_asked(tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text('[Opening "one"]\n\n1. e4 *\n\n[Opening "two"]\n\n1. d4 d5 *\n')
    starts = make_starts(OpeningsConfig(file=str(book), order="sequential", random_plies=1), 0)
    openings = [starts.of_game(game) for game in range(4)]
    assert [opening.name for opening in openings] == ["one", "two", "one", "two"]
    assert openings[1].moves[:2] == ("d2d4", "d7d5")
    assert [len(opening.moves) for opening in openings] == [2, 3, 2, 3]
    assert openings[0].moves != openings[2].moves


def test_odds_are_given_by_both_sides_in_turn() -> None:
    starts = make_starts(OpeningsConfig(odds="queen", random_plies=2), 1)
    queen = find_odds("queen")
    givers = [giver_of(starts.of_game(game).position(), queen) for game in range(6)]
    assert givers == [False, True] * 3


def test_a_book_without_the_odds_is_refused() -> None:
    with pytest.raises(PositionError, match="opening 1"):
        make_starts(OpeningsConfig(file="balanced", odds="rook"), 1)
