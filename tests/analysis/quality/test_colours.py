"""Length, losses and blunders by the colour of the focal team."""

import pytest

from foible.analysis.quality.colours import by_colour
from foible.analysis.quality.schema import JudgedGame, plies_table

GAMES = [
    JudgedGame(0, False, [0.5, 0.5, 0.75, 0.75, 0.25]),
    JudgedGame(0, True, [0.5, 0.4, 0.9]),
]


def test_games_are_told_apart_by_the_colour_of_the_focal_team() -> None:
    white, black = by_colour(plies_table(GAMES))
    assert (white.focal_white, black.focal_white) == (True, False)
    assert (white.plies.value, black.plies.value) == (2, 4)
    # Black gave 25 points away at its first move, and White, 50 up, half of the board at the end.
    assert black.focal_loss.value == pytest.approx(12.5)
    assert black.focal_blunders.value == pytest.approx(50)
    assert white.alter_loss.value == pytest.approx(50)
    assert white.alter_blunders.value == pytest.approx(100)
    assert white.focal_loss.value == pytest.approx(10)
    assert white.focal_blunders.value == 0


def test_the_lowest_win_probability_is_the_focal_team_s_before_its_moves() -> None:
    white, black = by_colour(plies_table(GAMES))
    assert white.lowest.value == pytest.approx(50)
    assert black.lowest.value == pytest.approx(25)


def test_one_colour_alone_gives_one_row() -> None:
    plies = plies_table([GAMES[0]])
    assert [found.focal_white for found in by_colour(plies)] == [False]
    assert by_colour(plies.clear()) == []


def test_the_order_of_games_does_not_matter() -> None:
    assert by_colour(plies_table(GAMES)) == by_colour(plies_table(GAMES[::-1]))
