"""How many plies are still to come is foretold from the games that have ended and from how long the others last."""

import pytest
from hypothesis import given, strategies as st

from foible.arena.progress import GameLengths

plies = st.integers(1, 300)


def test_nothing_is_foretold_before_a_game_has_ended() -> None:
    assert GameLengths().to_come([10, 20], 5) is None
    lengths = GameLengths()
    lengths.add(60)
    assert lengths.to_come([], 0) == 0
    assert lengths.to_come([], 3) == 3 * (60 + 30 / 2), "half of the games are taken to last half as long again"


def test_many_games_that_have_ended_foretell_the_others() -> None:
    lengths = GameLengths({20: 1000, 60: 1000, 100: 1000})
    for in_progress, left in ([0], 60), ([20], 60), ([59], 21), ([60, 90], 40 + 10):
        assert lengths.to_come(in_progress, 0) == pytest.approx(left, rel=0.01)


def test_games_longer_than_all_that_have_ended_are_not_expected_to_end_at_once() -> None:
    assert GameLengths([60]).to_come([80] * 19, 0) == 19 * 40


def test_games_that_have_begun_together_do_not_seem_short_since_the_short_ones_end_first() -> None:
    ended, others = range(90, 102), range(102, 160)
    foretold = GameLengths(ended).to_come([100] * len(others), 0)
    true = sum(plies - 100 for plies in others)
    assert foretold is not None
    assert 0.5 < foretold / true < 2


@given(st.lists(plies, min_size=1), st.lists(st.integers(0, 300)), st.integers(0, 50))
def test_it_is_the_estimate_of_kaplan_and_meier_with_one_more_game(
    ended: list[int], in_progress: list[int], not_begun: int
) -> None:
    def surviving(played: int) -> float:
        share = 1.0
        for length in set(ended):
            if length <= played:
                at_risk = 1 + sum(each >= length for each in [*ended, *in_progress])
                share *= 1 - ended.count(length) / at_risk
        return share

    longest = max(ended)

    def left(played: int) -> float:
        if played >= longest:
            return played / 2
        area = sum(surviving(ply) for ply in range(played, longest)) + surviving(longest) * longest / 2
        return area / surviving(played)

    expected = sum(map(left, in_progress)) + not_begun * left(0)
    assert GameLengths(ended).to_come(in_progress, not_begun) == pytest.approx(expected)
