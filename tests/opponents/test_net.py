"""Ratings between levels."""

import math

import pytest
from hypothesis import given, strategies as st

from foible.errors import ConfigError
from foible.nets import Material
from foible.opponents.net import MAIA_LEVELS, NetModel, weights_of_rating

LEVELS = sorted(MAIA_LEVELS)


@given(st.floats(0, 4000))
def test_weights_are_shares_of_neighbours_whose_mean_is_the_rating(rating: float) -> None:
    found = weights_of_rating(LEVELS, rating)
    assert sum(found.values()) == pytest.approx(1)
    assert sum(level * weight for level, weight in found.items()) == pytest.approx(min(max(rating, 1100), 1900))
    assert max(found) - min(found) in (0, 100)
    assert all(0 < weight <= 1 for weight in found.values())


@given(st.sampled_from(LEVELS), st.permutations(LEVELS))
def test_at_a_level_the_level_plays_whatever_the_order_of_the_table(level: int, table: list[int]) -> None:
    assert weights_of_rating(table, level) == {level: 1}


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan])
def test_a_net_as_a_model_has_a_temperature_above_zero(temperature: float) -> None:
    with pytest.raises(ConfigError, match=rf"^temperature = {temperature:g}; a net as a model needs one above 0$"):
        NetModel(Material(), temperature=temperature)


def test_outside_the_levels_the_nearest_plays() -> None:
    assert weights_of_rating(LEVELS, 600) == {1100: 1}
    assert weights_of_rating(LEVELS, 2600) == {1900: 1}
    assert weights_of_rating([1500], 1200) == {1500: 1}


def test_between_levels_the_nearer_one_weighs_more() -> None:
    assert weights_of_rating(LEVELS, 1537) == pytest.approx({1500: 0.63, 1600: 0.37})
    assert weights_of_rating([1000, 2000], 1250) == pytest.approx({1000: 0.75, 2000: 0.25})
