"""What counts as a distribution; games that models play."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.errors import EvaluationError
from foible.loop import wait
from foible.opponents.base import normalised, predictions, sample_games
from tests.opponents.scripted import Scripted, first_move_only, uniform


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60).filter(lambda values: sum(values) > 1e-300))
def test_whatever_is_not_negative_sums_to_one_in_the_same_proportions(values: list[float]) -> None:
    found = normalised(np.array(values))
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found * sum(values) == pytest.approx(values, rel=1e-9, abs=1e-300)


def test_zeros_stay_zeros() -> None:
    assert normalised(np.array([0.0, 2.0, 0.0])).tolist() == [0, 1, 0]


def test_a_sum_that_is_off_is_divided_out() -> None:
    published = np.array([0.6, 0.3, 0.1, 0.1])
    assert normalised(published).tolist() == pytest.approx([6 / 11, 3 / 11, 1 / 11, 1 / 11])


@pytest.mark.parametrize("values", [[-0.1, 1.1], [np.nan, 1.0], [np.inf, 0.0], [0.0, 0.0], []])
def test_what_is_no_distribution_is_an_error(values: list[float]) -> None:
    with pytest.raises(EvaluationError):
        normalised(np.array(values))


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


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda moves: [1.0] * moves, "sum to 20 for .*; expected none below 0, and a sum of 1"),
        (lambda moves: [float("nan")] * moves, "from nan on"),
        (lambda moves: [2.0, -1.0] + [0.0] * (moves - 2), "from -1 on that sum to 1"),
        (lambda moves: [1.0], r"probabilities of shape \(1,\) for .*; expected \(20,\)"),
    ],
)
def test_predictions_that_are_none_name_their_model(rule: Callable[[int], list[float]], message: str) -> None:
    model = Scripted(lambda position: rule(len(position.legal_moves)), name="odd")
    with pytest.raises(EvaluationError, match=f"^odd.*{message}"):
        wait(predictions(model, [ChessPosition()]))
    nothing = Scripted(lambda position: [0.0] * len(position.legal_moves))
    assert not wait(predictions(nothing, [ChessPosition()]))[0].any()
