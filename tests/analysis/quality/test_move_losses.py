"""Length, losses and blunders by the colour of the focal team."""

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given

from foible.analysis.estimates import mean
from foible.analysis.quality.move_losses import by_colour, losses, tag_team_losses, team_losses
from foible.analysis.quality.plies_table import JudgedGame, plies_table
from tests.analysis.quality.judged import TOLERANCE, few_examples, flipped, golden, golden_plies, judged_games, numbers


def test_tag_team_losses_equal_the_golden_ones() -> None:
    for given_, expected in golden("stt_losses"):
        plies = golden_plies(given_)
        found, raw = tag_team_losses(plies), tag_team_losses(plies, "loss_raw")
        members = {
            "LEELA": (found.seniors.first, raw.seniors.first),
            "focal": (found.seniors.second, raw.seniors.second),
            "MAIA_L": (found.juniors.first, raw.juniors.first),
            "MAIA_F": (found.juniors.second, raw.juniors.second),
        }
        for name, (clipped, unclipped) in members.items():
            wanted = expected["agents"][name]
            assert clipped.n == unclipped.n == wanted["n"]
            assert clipped.value == pytest.approx(wanted["L"], abs=TOLERANCE)
            assert clipped.independent_error == pytest.approx(wanted["se"], abs=TOLERANCE)
            assert unclipped.value == pytest.approx(wanted["L_raw"], abs=TOLERANCE)
        for name, delta in (("senior", found.seniors.difference), ("junior", found.juniors.difference)):
            assert delta.value == pytest.approx(expected[f"delta_{name}"], abs=TOLERANCE)
            assert delta.independent_error == pytest.approx(expected[f"delta_{name}_se"], abs=TOLERANCE)
        assert found.teams.value == pytest.approx(expected["delta_team_sum"], abs=TOLERANCE)


@few_examples
@given(judged_games())
def test_exchanging_all_colours_leaves_losses(games: list[JudgedGame]) -> None:
    table, turned = plies_table(games), plies_table(flipped(games))
    assert numbers(tag_team_losses(turned)) == numbers(tag_team_losses(table))
    assert numbers(team_losses(turned)) == numbers(team_losses(table))


@few_examples
@given(judged_games())
def test_exchanging_the_teams_turns_the_differences(games: list[JudgedGame]) -> None:
    exchanged = tag_team_losses(plies_table([replace(game, focal_white=not game.focal_white) for game in games]))
    found = tag_team_losses(plies_table(games))
    assert (exchanged.seniors.first, exchanged.juniors.second) == (found.seniors.second, found.juniors.first)
    if found.teams.value is None:
        assert exchanged.teams.value is None
    else:
        assert exchanged.teams.value == pytest.approx(-found.teams.value, abs=TOLERANCE)


@few_examples
@given(judged_games())
def test_the_members_moves_are_the_teams_moves(games: list[JudgedGame]) -> None:
    plies = plies_table(games)
    members, teams = tag_team_losses(plies), team_losses(plies)
    assert members.seniors.first.n + members.juniors.first.n == teams.first.n
    assert members.teams.n == teams.difference.n == len(plies)


def test_a_condition_restricts_the_moves() -> None:
    plies = plies_table([JudgedGame(0, True, [0.5, 0.25, 0.5, 0.0], "111")])
    assert mean(losses(plies, focal=True, where=pl.col("ply") > 0)).value == 50.0
    assert mean(losses(plies, focal=True)).value == 37.5


def test_games_without_a_team_of_two_have_no_members() -> None:
    found = tag_team_losses(plies_table([JudgedGame(0, True, [0.5, 0.25, 0.5])]))
    assert {estimate.value for estimate in numbers(found)} == {None}


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
