import random
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible._core import ChessPosition
from foible.errors import GameFileError
from foible.opponents.opening_table import Played, opening_table, position_key, read_book
from foible.opponents.player_games import PlayerGame


def game(moves: str, *, white: bool = True, day: date | None = None) -> PlayerGame:
    position = ChessPosition(None, moves.split())
    return PlayerGame(white, " ".join(position.moves), day=day)


def random_games(seed: int, count: int) -> list[PlayerGame]:
    rng = random.Random(seed)
    games = []
    for _ in range(count):
        position = ChessPosition()
        for _ in range(rng.randrange(1, 9)):
            position = position.play(rng.choice(position.legal_moves[:3]))
        day = date(2015 + rng.randrange(6), rng.randrange(1, 13), 1) if rng.random() < 0.8 else None
        games.append(PlayerGame(rng.random() < 0.5, " ".join(position.moves), day=day))
    return games


def test_only_the_players_own_moves_count() -> None:
    table = opening_table([game("e4 e5 Nf3"), game("d4 Nf6", white=False)])
    assert table.played(ChessPosition()) == [Played("e2e4", 1.0, 1)]
    assert table.played(ChessPosition(None, ["e4"])) == []
    assert table.played(ChessPosition(None, ["d4"])) == [Played("g8f6", 1.0, 1)]


def test_orders_of_moves_that_meet_are_counted_together() -> None:
    table = opening_table([game("d4 Nf6 c4 e6 Nc3"), game("c4 e6 d4 Nf6 Nc3"), game("d4 e6 c4 Nf6 Nf3")])
    met = ChessPosition(None, ["c4", "Nf6", "d4", "e6"])
    assert [(played.move, played.games) for played in table.played(met)] == [("b1c3", 2), ("g1f3", 1)]
    assert table.support(met) == 3


def test_rights_and_the_side_to_move_tell_positions_apart() -> None:
    start, shuffled = ChessPosition(), ChessPosition(None, ["Nf3", "Nf6", "Ng1", "Ng8"])
    assert position_key(start) == position_key(shuffled)
    rooks = ChessPosition("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    moved = ChessPosition(rooks.fen, ["h1g1", "h8g8", "g1h1", "g8h8"])
    assert position_key(rooks) != position_key(moved)
    assert position_key(rooks) != position_key(ChessPosition("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"))


def test_an_en_passant_square_counts_only_where_the_capture_is_legal() -> None:
    quiet = ChessPosition("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
    assert position_key(ChessPosition(None, ["e4"])) == position_key(quiet)
    taking = ChessPosition(None, ["e4", "a6", "e5", "d5"])
    late = ChessPosition(None, ["e4", "d6", "e5", "a6", "a3", "d5", "a4"])
    assert position_key(taking) != position_key(ChessPosition(taking.fen.replace(" d6 ", " - ")))
    assert position_key(late) != position_key(taking)


def test_a_game_weighs_by_its_date_and_counts_as_one() -> None:
    table = opening_table([game("e4", day=date(2022, 1, 1)), game("e4", day=date(2020, 1, 1))])
    (played,) = table.played(ChessPosition())
    assert played.games == 2
    assert played.weight == pytest.approx(1.5, rel=2e-3)
    assert table.weight(ChessPosition()) == played.weight


@given(seed=st.integers(0, 1000), count=st.integers(0, 40))
def test_the_order_of_the_games_changes_nothing(seed: int, count: int) -> None:
    games = random_games(seed, count)
    mixed = random.Random(seed).sample(games, len(games))
    one, other = opening_table(games), opening_table(mixed)
    for column in ("keys", "moves", "weights", "games"):
        np.testing.assert_array_equal(getattr(one, column), getattr(other, column))


@given(seed=st.integers(0, 1000), count=st.integers(1, 40))
def test_counts_of_the_legal_moves_sum_to_the_visits(seed: int, count: int) -> None:
    games = random_games(seed, count)
    table = opening_table(games)
    assert int(table.games.sum()) == sum(len(game.moves[(0 if game.white else 1) :: 2]) for game in games)
    start = ChessPosition()
    assert table.counts(start).shape == (20,)
    assert table.counts(start).sum() == pytest.approx(table.weight(start))
    assert table.support(start) == sum(game.white for game in games)


def test_no_games_make_an_empty_table() -> None:
    table = opening_table([])
    assert table.support(ChessPosition()) == 0
    assert not table.counts(ChessPosition()).any()


def test_a_book_knows_positions_whatever_their_counters(tmp_path: Path) -> None:
    file = tmp_path / "book.epd"
    after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    file.write_text(f"{after_e4} hmvc 0;\n\n8/8/8/4k3/8/8/4K2R/8 w - - 12 80\n")
    book = read_book(file)
    assert len(book) == 2
    assert position_key(ChessPosition(moves=["e4"])) in book
    assert position_key(ChessPosition()) not in book


def test_a_line_that_is_no_position_is_named(tmp_path: Path) -> None:
    file = tmp_path / "book.epd"
    file.write_text("8/8/8/4k3/8/8/4K2R/8 w - -\nnonsense\n")
    with pytest.raises(GameFileError, match=r"book\.epd, line 2: "):
        read_book(file)
    with pytest.raises(GameFileError, match="no such file"):
        read_book(tmp_path / "none.epd")
