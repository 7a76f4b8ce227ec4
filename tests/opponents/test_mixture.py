import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.loop import wait
from foible.opponents.base import normalised
from foible.opponents.mixture import FloorModel, MixtureModel, floored, shares
from tests.opponents.scripted import Scripted, drawn_by, first_move_only, uniform

POSITIONS = [ChessPosition(), ChessPosition(moves=["e4", "d5"])]


@given(st.lists(st.floats(0, 10), min_size=2, max_size=5).filter(lambda values: sum(values) > 1e-3))
def test_a_mixture_is_the_weighted_mean_and_sums_to_one(weights: list[float]) -> None:
    models = [Scripted(drawn_by(seed)) for seed in range(len(weights))]
    parts = np.array([[*wait(model.predict(POSITIONS))[1]] for model in models])
    found = wait(MixtureModel(models, weights).predict(POSITIONS))
    assert [p.sum() for p in found] == pytest.approx([1, 1], abs=1e-12)
    assert found[1] == pytest.approx(np.array(weights) @ parts / sum(weights), abs=1e-12)


def test_the_order_of_the_models_does_not_matter() -> None:
    models, weights = [Scripted(drawn_by(seed)) for seed in range(3)], [1.0, 2.0, 5.0]
    there = wait(MixtureModel(models, weights).predict(POSITIONS))
    back = wait(MixtureModel(models[::-1], weights[::-1]).predict(POSITIONS))
    assert there[0] == pytest.approx(back[0], abs=1e-12)


def test_equal_weights_are_the_default_and_zeros_are_legal() -> None:
    model = MixtureModel([Scripted(first_move_only), Scripted(first_move_only)])
    assert wait(model.predict(POSITIONS))[0].tolist() == first_move_only(POSITIONS[0])
    [found] = wait(MixtureModel([Scripted(first_move_only), Scripted(uniform)]).predict(POSITIONS[:1]))
    assert found[0] == pytest.approx(0.525)


def test_a_part_that_does_not_sum_to_one_weighs_no_more_for_it() -> None:
    heavy = Scripted(lambda position: [3.0 * p for p in uniform(position)])
    [found] = wait(MixtureModel([heavy, Scripted(first_move_only)]).predict(POSITIONS[:1]))
    assert found[0] == pytest.approx(0.525)


def test_all_parts_are_closed() -> None:
    parts = [Scripted(uniform), Scripted(uniform)]
    MixtureModel(parts).close()
    assert all(part.closed for part in parts)


@pytest.mark.parametrize("weights", [[], [1.0], [1.0, -1.0], [0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_weights_that_are_no_shares_are_refused(weights: list[float]) -> None:
    with pytest.raises(ConfigError, match=r"expected .* at least one|expected none negative"):
        shares(weights, 2)


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
