"""Games that models play."""

from collections import Counter

import pytest

from foible._core import ChessPosition
from foible.loop import wait
from foible.opponents.sampling import sample_games
from tests.opponents.scripted import Scripted, first_move_only, uniform


def test_moves_are_samples_of_the_mover_s_distribution() -> None:
    white = Scripted(lambda position: [0.75 * (m == "e2e4") + 0.25 * (m == "d2d4") for m in position.legal_moves])
    games = wait(sample_games([(white, Scripted(uniform))] * 800, 2, seed=5))
    first = Counter(game.moves[0] for game in games)
    assert first["e2e4"] == pytest.approx(600, abs=50)
    assert first["e2e4"] + first["d2d4"] == 800
    assert len({game.moves[1] for game in games}) == 20


def test_games_end_where_they_end_and_do_not_depend_on_their_neighbours() -> None:
    sure = Scripted(first_move_only)
    [game] = wait(sample_games([(sure, sure)], 1000))
    assert game.outcome() is not None
    players = Scripted(uniform)
    many = wait(sample_games([(players, players)] * 5, 30, seed=3))
    assert wait(sample_games([(players, players)] * 2, 30, seed=3)) == many[:2]
    assert len({tuple(game.moves) for game in many}) == 5
    assert wait(sample_games([(players, players)], 0)) == [ChessPosition()]
