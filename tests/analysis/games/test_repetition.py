import random
from collections.abc import Sequence

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.analysis.games.game_files import read_files
from foible.analysis.games.repetition import full_moves, line_of, repeated_moves, repeated_shares
from tests.shared_data import shared

Games = list[tuple[str, tuple[str, ...]]]

MOVES = st.sampled_from(["e2e4", "e7e8q"])
GAMES = st.lists(st.tuples(st.sampled_from(["start", "odds"]), st.lists(MOVES, max_size=9).map(tuple)), max_size=12)

SELF_PLAY = {
    "hybrid_selfplay_Nscl_5_N_1000": (1.381, 0.23, 0.14),
    "hybrid_selfplay_Nscl_10_N_1000": (0.786, 0.31, 0.11),
    "hybrid_selfplay_Nscl_1000000_N_1000": (0.087, 0.28, 0.19),
    "pure_PUCT_tau_2": (1.381, 0.00, 0.00),
}
"""(w + l) / d, and the shares of games that are like another up to moves 4 and 10, counted with python-chess."""


def shares(games: Games) -> list[float]:
    lines = [line_of(moves) for _, moves in games]
    return repeated_shares(repeated_moves([start for start, _ in games], lines), max(map(full_moves, lines), default=0))


def by_definition(games: Sequence[tuple[str, tuple[str, ...]]], move: int) -> float:
    """Every game against every other one."""

    def beginning(number: int) -> tuple[str, tuple[str, ...]]:
        start, moves = games[number]
        return start, moves[: 2 * move]

    numbers = range(len(games))
    return sum(any(a != b and beginning(a) == beginning(b) for b in numbers) for a in numbers) / len(games)


@given(GAMES)
def test_shares_are_those_of_the_definition(games: Games) -> None:
    assert shares(games) == [by_definition(games, move) for move in range(1, len(shares(games)) + 1)]


@given(GAMES)
def test_the_share_never_rises(games: Games) -> None:
    found = shares(games)
    assert found == sorted(found, reverse=True)


@given(GAMES, st.randoms(use_true_random=False))
def test_the_order_of_games_changes_nothing(games: Games, rng: random.Random) -> None:
    shuffled = games.copy()
    rng.shuffle(shuffled)
    assert shares(shuffled) == shares(games)


@given(GAMES.filter(bool))
def test_a_copy_makes_both_repeated_to_the_end(games: Games) -> None:
    starts, lines = [start for start, _ in games], [line_of(moves) for _, moves in games]
    found = repeated_moves([*starts, starts[0]], [*lines, lines[0]])
    assert found[0] == found[-1] == max(map(full_moves, lines))
    assert all(later >= before for later, before in zip(found, repeated_moves(starts, lines), strict=False))


def test_a_short_game_is_repeated_only_as_far_as_it_goes() -> None:
    short, long = ("a1a2", "a8a7", "b1b2", "b8b7"), ("a1a2", "a8a7", "b1b2", "b8b7", "c1c2", "c8c7")
    assert shares([("s", short), ("s", long)]) == [1.0, 1.0, 0.0]
    assert shares([("s", short), ("s", short), ("s", long)]) == [1.0, 1.0, pytest.approx(2 / 3)]


def test_half_a_last_move_is_not_the_whole() -> None:
    assert shares([("s", ("a1a2", "a8a7", "b1b2")), ("s", ("a1a2", "a8a7", "b1b2", "b8b7"))]) == [1.0, 0.0]


def test_another_start_position_is_another_game() -> None:
    assert shares([("s", ("a1a2", "a8a7")), ("t", ("a1a2", "a8a7"))]) == [0.0]


def test_no_games_have_no_shares() -> None:
    assert shares([]) == []


@pytest.mark.parametrize("name", SELF_PLAY)
def test_published_self_play_games_give_the_true_figures(name: str) -> None:
    ratio, to_four, to_ten = SELF_PLAY[name]
    found = read_files([shared(f"data/selfplay/{name}.pgn")]).total.summary
    assert found.games == 100
    assert found.decisive_ratio.value == pytest.approx(ratio, abs=5e-4)
    assert (found.repeated[3], found.repeated[9]) == pytest.approx((to_four, to_ten))


def test_published_self_play_games_agree_with_python_chess_at_every_move() -> None:
    path = shared("data/selfplay/hybrid_selfplay_Nscl_10_N_1000.pgn")
    games: Games = []
    with path.open() as file:
        while game := chess.pgn.read_game(file):
            games.append(("", tuple(move.uci() for move in game.mainline_moves())))
    found = read_files([path]).total.summary.repeated
    assert len(found) == max((len(moves) + 1) // 2 for _, moves in games)
    for move in (1, 2, 3, 5, 8, 13, 21, 34, 55, len(found)):
        assert found[move - 1] == by_definition(games, move)
