"""Who plays whom, from where, with which coins."""

import pytest

from foible.arena.bits import Bitstrings
from foible.arena.frameworks import Framework, PlannedGame, hand_brain, odds_chess, standard, tag_team
from foible.arena.odds import OddsSuite
from foible.arena.openings import STANDARD, Opening, OpeningSuite
from foible.errors import ConfigError
from foible.games.odds import find_odds, giver_of


def test_every_opening_is_played_with_both_colours_alter_first() -> None:
    suite = OpeningSuite((Opening(name="a"), Opening(name="b")))
    games = list(standard(suite).schedule(3))
    assert [(g.pair, g.game_in_pair, g.opening.name) for g in games] == [
        (0, 1, "a"),
        (0, 2, "a"),
        (1, 1, "b"),
        (1, 2, "b"),
        (2, 1, "a"),
        (2, 2, "a"),
    ]
    assert [g.focal_white for g in games] == [False, True] * 3
    assert [g.number for g in games] == list(range(6))


def test_in_odds_chess_the_focal_team_always_gives() -> None:
    framework = odds_chess(OddsSuite(find_odds("queen"), random_plies=1))
    games = list(framework.schedule(3, {2}))
    assert [game.number for game in games] == [0, 1, 3, 4, 5]
    for game in games:
        giver = giver_of(game.opening.position(), find_odds("queen"))
        assert giver == game.focal_white
    assert framework.name == "queen odds"


def test_finished_games_are_not_planned_again() -> None:
    left = hand_brain().schedule(3, {0, 1, 4})
    assert [game.number for game in left] == [2, 3, 5]


def test_tag_team_takes_string_k_for_pair_k() -> None:
    coins = Bitstrings(("0011", "1100"), 0)
    framework = tag_team(coins)
    for game in framework.schedule(2):
        string = framework.bits(game.pair, 4)
        assert string == coins.strings[game.pair]
        assert [coins.senior_moves(game.number, ply) for ply in range(4)] == [b == "1" for b in string]
        assert game.opening == STANDARD


def test_every_pair_needs_a_string() -> None:
    with pytest.raises(ConfigError, match="3 pairs need as many bitstrings, there are 2"):
        list(tag_team(Bitstrings(("01", "10"), 0)).schedule(3))


def test_without_coins_there_are_no_bits() -> None:
    assert hand_brain().bits(0, 10) == ""
    assert Framework("standard").openings.of_game(7, 1) == STANDARD
    assert PlannedGame(0, 1, STANDARD).number == 0
