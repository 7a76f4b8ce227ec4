"""How many plies are still to come is foretold from the games that have ended and from how long the others last."""

import statistics

import pytest
from hypothesis import given, strategies as st

from foible.arena.progress import GameLengths

plies = st.integers(1, 300)


def test_nothing_is_foretold_before_a_game_has_ended() -> None:
    assert GameLengths().to_come([10, 20], 5) is None
    lengths = GameLengths()
    lengths.add(60)
    assert lengths.to_come([], 0) == 0
    assert lengths.to_come([], 3) == 180


def test_a_game_in_progress_lasts_as_long_as_those_that_were_longer() -> None:
    lengths = GameLengths([20, 60, 100])
    assert lengths.to_come([0], 0) == 60
    assert lengths.to_come([20], 0) == 60
    assert lengths.to_come([59], 0) == 21
    assert lengths.to_come([60, 90], 0) == 40 + 10


def test_games_longer_than_all_that_have_ended_are_not_expected_to_end_at_once() -> None:
    lengths = GameLengths([60])
    assert lengths.to_come([80] * 19, 0) == 19 * 20
    assert lengths.to_come([80] * 19, 1) == 19 * 20 + (60 + 19 * 100) / 20, "short games end first"


@given(st.lists(plies, min_size=1), st.lists(plies), st.integers(0, 50))
def test_it_is_the_sum_over_the_games(ended: list[int], in_progress: list[int], not_begun: int) -> None:
    def left(played: int) -> float:
        longer = [length - played for length in ended if length > played]
        return statistics.fmean(longer) if longer else played / 4

    lasting = [played + left(played) for played in in_progress]
    expected = sum(map(left, in_progress)) + not_begun * statistics.fmean([*ended, *lasting])
    assert GameLengths(ended).to_come(in_progress, not_begun) == pytest.approx(expected)
