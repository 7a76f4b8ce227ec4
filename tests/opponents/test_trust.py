"""How far a model may be trusted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.errors import ConfigError
from foible.opponents.trust import trust


@given(st.floats(-10, 0), st.floats(-10, -5), st.floats(-4, -1))
def test_trust_is_a_share_that_grows_with_the_likelihood(model: float, uniform: float, best: float) -> None:
    assert 0 <= trust(model, uniform, best) <= 1
    assert trust(model, uniform, best) <= trust(model + 0.1, uniform, best)


def test_chance_is_trusted_not_at_all_and_the_best_level_fully() -> None:
    assert trust(-3.4, -3.4, -1.6) == 0
    assert trust(-1.6, -3.4, -1.6) == 1
    assert trust(-2.5, -3.4, -1.6) == pytest.approx(0.5)
    assert trust(-1.2, -3.4, -1.6) == 1
    assert trust(float("-inf"), -3.4, -1.6) == 0


def test_levels_that_are_no_better_than_chance_give_no_measure() -> None:
    with pytest.raises(ConfigError, match="no better than chance"):
        trust(-3, -3, -3)
