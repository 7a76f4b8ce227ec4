"""Games of self-play as SGF."""

from pathlib import Path

import msgspec
import pytest

from foible.analysis.go.selfplay_sgf import Origin, game_name, result, sgf_path, write_games
from foible.analysis.go.training_runs import read_run
from foible.errors import GameFileError
from foible.games.sgf import read_sgf
from tests.analysis.go.made_up_run import BLACK_HAS_ALL, made_up, write_run

GAMES = [made_up((21,), BLACK_HAS_ALL), made_up((21, 0), "pass A1 pass pass", after="B2", komi=9.0)]
ORIGIN = Origin(5, "gen-0004", {game.id: game for game in GAMES})


def test_records_are_read_back_with_their_results(tmp_path: Path) -> None:
    assert write_games(GAMES, ORIGIN, tmp_path) == 2
    for game, words in zip(GAMES, ("B+0.5", "0"), strict=True):
        (found,) = read_sgf(sgf_path(tmp_path, 5, game.id))
        assert (found.position.moves, found.position.komi) == (game.moves, game.komi)
        assert (found.result, found.position.margin) == (words, game.margin)
        assert found.black == found.white == "gen-0004"


def test_comments_say_what_was_thought_and_where_a_branch_left(tmp_path: Path) -> None:
    write_games(GAMES, ORIGIN, tmp_path)
    (game,), (branch,) = (read_sgf(sgf_path(tmp_path, 5, one.id)) for one in GAMES)
    assert game.comment == "self-play, generation 5, game 21\nended with two passes"
    thought = "margin=0.50 beta=1.0000 net=0.6225 search=0.7500 visits=8\n"
    assert game.comments[:2] == (f"{thought}B2 6, A1 2", f"{thought}pass 6, A1 2")
    left = "branches off game 21 after move 1: komi 9, komi 8.5 until here"
    assert branch.comment.splitlines()[1] == left
    assert branch.comments[0] == left
    assert branch.comments[1].startswith("margin=0.00 ")


def test_a_net_with_a_single_value_has_comments_of_its_own(tmp_path: Path) -> None:
    write_games([made_up((0,), BLACK_HAS_ALL, fair=None)], Origin(1, "gen-0000", {}), tmp_path)
    (found,) = read_sgf(tmp_path / "gen-0001" / "0000.sgf")
    assert found.comments[0] == "search=0.7500 visits=8\nB2 6, A1 2"


def test_a_comment_names_the_moves_with_most_visits(tmp_path: Path) -> None:
    game = made_up((0,), BLACK_HAS_ALL)
    visits = {move: number for number, move in enumerate(("A1", "A2", "A3", "B1", "B2", "B3", "C1"), 1)}
    plies = [msgspec.structs.replace(game.plies[0], visits=visits), *game.plies[1:]]
    write_games([msgspec.structs.replace(game, plies=plies)], Origin(1, "", {}), tmp_path)
    (found,) = read_sgf(tmp_path / "gen-0001" / "0000.sgf")
    assert found.comments[0].splitlines()[-1] == "C1 7, B3 6, B2 5, B1 4, A3 3, …"


def test_a_game_against_the_rules_is_named(tmp_path: Path) -> None:
    wrong = msgspec.structs.replace(GAMES[1], inherited=["A1"])
    with pytest.raises(GameFileError, match=r"generation 5, game 21-0: .*A1"):
        write_games([wrong], ORIGIN, tmp_path)


def test_the_origin_names_the_net_that_played(tmp_path: Path) -> None:
    origin = Origin.of(read_run(write_run(tmp_path, {2: GAMES}, best=(0, 0))), 2, GAMES)
    assert (origin.net, set(origin.parents)) == ("gen-0000", {(21,), (21, 0)})


def test_games_and_results_are_written_as_people_do() -> None:
    assert [game_name(one) for one in ((21,), (21, 0, 1))] == ["21", "21-0-1"]
    assert [result(one) for one in (3.5, -0.5, 0.0, 12.0)] == ["B+3.5", "W+0.5", "0", "B+12"]
