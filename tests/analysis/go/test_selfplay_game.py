"""One game of self-play, move by move."""

import math

import pytest

from foible.analysis.go.selfplay_game import draw_line, opinions, whole_line
from tests.analysis.go.made_up_run import BLACK_HAS_ALL, made_up
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
