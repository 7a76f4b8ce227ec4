"""The floor under all moves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.loop import wait
from foible.opponents.base import normalised
from foible.opponents.floor import FloorModel, floored
from tests.opponents.scripted import Scripted, first_move_only

weights = st.lists(st.floats(0, 1), min_size=1, max_size=40).filter(lambda values: sum(values) > 1e-6)


@given(weights, st.floats(0, 1))
def test_every_move_has_its_share_and_none_more_than_the_rest(values: list[float], epsilon: float) -> None:
    p = normalised(np.array(values))
    found = floored(p, epsilon)
    share = epsilon / len(p)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found.min() >= share - 1e-12
    assert found.max() <= 1 - epsilon + share + 1e-12
    assert (np.argsort(found, kind="stable") == np.argsort(p, kind="stable")).all() or epsilon > 0


def test_no_reply_is_impossible_and_the_wrapped_model_is_closed() -> None:
    inner = Scripted(first_move_only)
    model = FloorModel(inner)
    [found] = wait(model.predict([ChessPosition()]))
    assert found[1:].tolist() == pytest.approx([0.001] * 19)
    assert found[0] == pytest.approx(0.981)
    assert model.name == "scripted with floor 0.02"
    model.close()
    assert inner.closed


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, float("nan")])
def test_a_share_outside_zero_to_one_is_refused(epsilon: float) -> None:
    with pytest.raises(ConfigError, match="expected 0 to 1"):
        FloorModel(Scripted(first_move_only), epsilon)
