"""Results of games that any program has written as PGN, in pairs as their rounds, positions and order say."""

import io
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

import pytest

from foible.arena.config import parse_config
from foible.arena.pgn_results import Encounters, encounters
from foible.arena.play import play
from foible.arena.stats import Tally
from foible.games.pgn import read_pgn

FEN = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"

Game = tuple[str, str, str, str, str | None]
"""White, Black, round, result, FEN."""


def counted(games: Iterable[Game]) -> Encounters:
    text = "".join(
        f'[White "{white}"]\n[Black "{black}"]\n[Round "{number}"]\n[Result "{result}"]\n'
        + (f'[FEN "{fen}"]\n[SetUp "1"]\n' if fen else "")
        + f"\n{result}\n\n"
        for white, black, number, result, fen in games
    )
    return encounters(read_pgn(io.BytesIO(text.encode())))


ROUNDS: list[Game] = [
    ("a", "b", "1", "1-0", None),
    ("b", "a", "1", "0-1", None),
    ("a", "b", "2", "1/2-1/2", None),
    ("b", "a", "2", "1-0", None),
]


@pytest.mark.parametrize("games", list(permutations(ROUNDS)))
def test_games_of_a_round_are_a_pair_in_whatever_order_they_ended(games: tuple[Game, ...]) -> None:
    [(players, found)] = counted(games).met.items()
    assert found.in_pairs
    seen_by_a = found.pairs if players[0] == "a" else found.pairs.swapped
    assert seen_by_a == Tally.of_pairs([(1, 1), (0.5, 0)])


@pytest.mark.parametrize("number", ["?", "1.{}", "{}"])
def test_what_stands_behind_a_dot_does_not_count_nor_do_rounds_of_one_game(number: str) -> None:
    games = [(white, black, number.format(i), result, fen) for i, (white, black, _, result, fen) in enumerate(ROUNDS)]
    found = counted(games).met["a", "b"]
    assert found.pairs == Tally.of_pairs([(1, 1), (0.5, 0)])
    assert found.scores == found.pairs


def test_games_without_a_counterpart_leave_the_error_to_the_games() -> None:
    found = counted([*ROUNDS, ("a", "b", "3", "1-0", None)]).met["a", "b"]
    assert (found.games.n, found.pairs.n, found.in_pairs) == (5, 2, False)
    assert found.scores == found.games == Tally.of_games(3, 1, 1)
    other_start = counted([("a", "b", "1", "1-0", None), ("b", "a", "1", "1-0", FEN)]).met["a", "b"]
    assert (other_start.games.n, other_start.pairs.n) == (2, 0)


def test_games_without_a_result_or_two_names_are_counted_and_left_out() -> None:
    found = counted([*ROUNDS, ("a", "c", "1", "*", None), ("a", "a", "1", "1-0", None), ("?", "?", "1", "0-1", None)])
    assert (list(found.met), found.left_out) == ([("a", "b")], 3)
    assert found.standings is None


def test_three_players_have_standings() -> None:
    found = counted([*ROUNDS, ("c", "a", "1", "1-0", None), ("a", "c", "1", "0-1", None)])
    assert list(found.met) == [("a", "b"), ("c", "a")]
    assert found.standings is not None
    assert found.standings.names[0] == "c"


def test_a_match_has_the_pairs_of_its_report(tmp_path: Path) -> None:
    config = parse_config(
        """
        framework = "standard"
        games = 12
        max_plies = 30
        focal = { kind = "net_policy", net = "material", temperature = 0.3 }
        alter = { kind = "random", name = "dice" }
        resignation = { value = 0.4, moves = 2 }
        """,
        "match.toml",
    )
    report = play(config, tmp_path / "run")
    assert report is not None
    [(players, found)] = encounters(read_pgn(tmp_path / "run" / "games.pgn")).met.items()
    assert found.in_pairs
    by_focal = found.games, found.pairs
    if players[0] == report.alter:  # it has White in the game that happens to end first
        by_focal = found.games.swapped, found.pairs.swapped
    assert by_focal == (report.games, report.pairs)
