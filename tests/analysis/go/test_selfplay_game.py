"""One game of self-play, move by move."""

import math
from pathlib import Path

import msgspec
import pytest

from foible.analysis.go.selfplay_game import (
    Origin,
    draw_line,
    game_name,
    opinions,
    sgf_path,
    whole_line,
    write_games,
)
from foible.analysis.go.training_runs import read_run
from foible.errors import GameFileError
from foible.games.sgf import read_sgf
from tests.analysis.go.made_up_run import BLACK_HAS_ALL, made_up, write_run
from tests.figures import approx, bands, caught, points

GAME = made_up((3,), BLACK_HAS_ALL)
BRANCH = made_up((3, 1), "pass A1 pass pass", after="B2", komi=7.5, fair=7.0, search=0.5)
TWIG = made_up((3, 1, 0), "pass pass", after="B2 pass A1", komi=5.5, fair=5.0)
GAMES = {game.id: game for game in (GAME, BRANCH, TWIG)}


def test_opinions_are_blacks_whoever_is_to_move() -> None:
    found = list(opinions(GAME))
    assert [(one.ply, one.move) for one in found] == [(0, "B2"), (1, "pass"), (2, "pass")]
    for one in found:
        assert (one.komi, one.search, one.margin, one.beta) == (8.5, 0.75, 0.5, 1.0)
        assert one.net == pytest.approx(1 / (1 + math.exp(-0.5)))


def test_a_branch_of_a_branch_goes_back_to_the_empty_board() -> None:
    found = whole_line(TWIG, GAMES)
    assert [one.ply for one in found] == [0, 1, 2, 3, 4]
    assert [one.move for one in found] == TWIG.moves
    assert [one.komi for one in found] == [8.5, 7.5, 7.5, 5.5, 5.5]


def test_a_line_begins_after_what_is_missing() -> None:
    assert [one.ply for one in whole_line(TWIG, {TWIG.id: TWIG})] == [3, 4]


def test_a_net_with_a_single_value_knows_no_margin() -> None:
    for one in opinions(made_up((0,), BLACK_HAS_ALL, fair=None)):
        assert (one.margin, one.beta, one.net, one.search) == (None, None, None, 0.75)


def test_the_picture_names_what_it_shows_and_is_the_same_every_time() -> None:
    line = whole_line(TWIG, GAMES)
    figure = draw_line(line, 9, "svg")
    for words in ("Black's expected margin", "komi of 10 … 90 % winrate", ">komi<", "the board at the end"):
        assert words in figure.decode()
    assert draw_line(line, 9, "svg") == figure
    assert draw_line(line[-1:], 9, "png").startswith(b"\x89PNG")


def test_numbers_stand_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    canvases = caught(monkeypatch)
    draw_line(whole_line(TWIG, GAMES), 3, "svg")
    (axes,) = canvases[0].axes
    fair, komi, end = axes.lines
    margins = list(enumerate((9, 7, 7, 5, 5)))
    assert points(fair) == approx(margins)
    assert bands(axes) == [approx([(ply, at - math.log(9), at + math.log(9)) for ply, at in margins])]
    assert points(komi) == list(enumerate((8.5, 7.5, 7.5, 5.5, 5.5, 5.5)))
    assert points(end) == [(5, 3)]


WITH_A_BRANCH = [made_up((21,), BLACK_HAS_ALL), made_up((21, 0), "pass A1 pass pass", after="B2", komi=9.0)]
ORIGIN = Origin(5, "gen-0004", {game.id: game for game in WITH_A_BRANCH})


def test_records_are_read_back_with_their_results(tmp_path: Path) -> None:
    assert write_games(WITH_A_BRANCH, ORIGIN, tmp_path) == 2
    for game, words in zip(WITH_A_BRANCH, ("B+0.5", "0"), strict=True):
        (found,) = read_sgf(sgf_path(tmp_path, 5, game.id))
        assert (found.position.moves, found.position.komi) == (game.moves, game.komi)
        assert (found.result, found.position.margin) == (words, game.margin)
        assert found.black == found.white == "gen-0004"


def test_comments_say_what_was_thought_and_where_a_branch_left(tmp_path: Path) -> None:
    write_games(WITH_A_BRANCH, ORIGIN, tmp_path)
    (game,), (branch,) = (read_sgf(sgf_path(tmp_path, 5, one.id)) for one in WITH_A_BRANCH)
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
    wrong = msgspec.structs.replace(WITH_A_BRANCH[1], inherited=["A1"])
    with pytest.raises(GameFileError, match=r"generation 5, game 21-0: .*A1"):
        write_games([wrong], ORIGIN, tmp_path)


def test_the_origin_names_the_net_that_played(tmp_path: Path) -> None:
    origin = Origin.of(read_run(write_run(tmp_path, {2: WITH_A_BRANCH}, best=(0, 0))), 2, WITH_A_BRANCH)
    assert (origin.net, set(origin.parents)) == ("gen-0000", {(21,), (21, 0)})


def test_games_are_written_as_people_do() -> None:
    assert [game_name(one) for one in ((21,), (21, 0, 1))] == ["21", "21-0-1"]
