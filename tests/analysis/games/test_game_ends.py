import random
from collections.abc import Sequence

import chess.pgn
import pytest
from hypothesis import given, strategies as st

from foible.analysis.games.game_ends import full_moves, line_of, repeated_moves, repeated_shares
from foible.analysis.games.game_files import read_files
from tests.analysis.games.pgn_games import facts, game
from tests.shared_data import shared

MATE = "1. f3 e5 2. g4 Qh4#"
REPEATED = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8"
TAGS = [
    ("1-0", "Time forfeit", "time"),
    ("0-1", "Anna won on time", "time"),
    ("1-0", "resignation", "resignation"),
    ("1-0", "Jörg won by resignation", "resignation"),
    ("1/2-1/2", "draw_adjudication", "adjudication"),
    ("1-0", "adjudication", "adjudication"),
    ("1/2-1/2", "Game drawn by agreement", "agreement"),
    ("1/2-1/2", "Game drawn by timeout vs insufficient material", "time"),
    ("1/2-1/2", "Game drawn by insufficient material", "insufficient material"),
    ("1/2-1/2", "Game drawn by repetition", "repetition"),
    ("1/2-1/2", "Game drawn by 50-move rule", "fifty moves"),
    ("1/2-1/2", "Game drawn by stalemate", "stalemate"),
    ("1/2-1/2", "max_plies", "move limit"),
    ("1-0", "forfeit: crashed twice", "forfeit"),
    ("0-1", "Rules infraction", "forfeit"),
    ("1-0", "Abandoned", "abandoned"),
    ("1-0", "Normal", "resignation or other"),
    ("1/2-1/2", "", "agreement or other"),
    ("*", "unterminated", "unfinished"),
]


@pytest.mark.parametrize(("result", "tag", "end"), TAGS)
def test_the_termination_tag_is_understood(result: str, tag: str, end: str) -> None:
    assert facts(game("1. e4 e5", result, Termination=tag))[0].end == end


@pytest.mark.parametrize("name", ["Timecop", "clockwork", "(resigner)", "o", "a"])
def test_the_names_of_players_tell_nothing_of_the_end(name: str) -> None:
    for tags in ({"White": name}, {"Black": name}):
        assert facts(game("1. e4", "1-0", Termination=f"{name} won - game abandoned", **tags))[0].end == "abandoned"


def test_the_rules_come_before_the_tag() -> None:
    (mated,) = facts(game(MATE, "0-1", Termination="Normal"))
    (drawn,) = facts(game(REPEATED, "1/2-1/2", Termination="draw_adjudication"))
    assert (mated.end, drawn.end) == ("checkmate", "repetition")


def test_a_draw_that_is_claimed_by_announcing_a_move_ends_the_game() -> None:
    """Black could announce the move that repeats the position; White the hundredth ply."""
    repeats = REPEATED.removesuffix(" Ng8")
    quiet = {"SetUp": "1", "FEN": "7k/8/6K1/8/8/8/8/R7 w - - 98 80"}
    one, other = facts(game(repeats, "1/2-1/2") + game("1. Ra2", "1/2-1/2", **quiet))
    assert (one.end, other.end) == ("repetition", "fifty moves")


@pytest.mark.parametrize(
    ("fen", "moves", "end"),
    [
        ("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", "1. Qf7", "stalemate"),
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", "1. Ra2", "fifty moves"),
        ("8/8/4k3/8/8/2K5/6p1/6R1 w - - 0 60", "1. Rxg2 Kf5 2. Rg5+ Kxg5", "insufficient material"),
    ],
)
def test_draws_by_rule(fen: str, moves: str, end: str) -> None:
    assert facts(game(moves, "1/2-1/2", SetUp="1", FEN=fen))[0].end == end


def test_a_game_won_in_a_drawn_position_did_not_end_by_the_rules() -> None:
    (found,) = facts(game(REPEATED, "1-0", Termination="Time forfeit"))
    assert found.end == "time"
    assert not found.contradicted, "nobody has to claim a draw"


def test_a_result_against_the_rules_is_counted_as_written_and_noted() -> None:
    (found,) = facts(game(MATE, "1-0"))
    assert (found.result, found.end, found.contradicted) == ("1-0", "resignation or other", True)


def test_without_a_result_the_rules_tell_it() -> None:
    mated, going_on = facts(game(MATE) + game("1. e4"))
    assert (mated.result, mated.end, mated.contradicted) == ("0-1", "checkmate", False)
    assert (going_on.result, going_on.end) == ("*", "unfinished")


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
