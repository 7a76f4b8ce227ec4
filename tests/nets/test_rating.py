import dataclasses

import numpy as np
import pytest

from foible.errors import NetFileError
from foible.nets.lc0_file import parse_lc0
from foible.nets.lc0_net import Lc0Net, fold_net
from foible.nets.onnx_file import model_from_lc0
from foible.nets.rating import RATING_PLANE, fold_rating, rating_value
from foible.nets.runtimes import Outputs, RuntimeNet
from tests.nets.synthetic import Recipe, random_planes, synthesise

NET = parse_lc0(synthesise(Recipe(batch_norm="full")).data, folded=False)


def run(net: Lc0Net, planes: np.ndarray) -> Outputs:
    return RuntimeNet(model_from_lc0(net, "net"), "openvino", "f32", 1).evaluate_planes(planes)


@pytest.mark.parametrize("rating", [1000, 1337, 1500, 2000])
def test_a_folded_net_equals_the_unfolded_one_that_is_told_the_rating(rating: int) -> None:
    planes = random_planes(6)
    assert not planes[:, RATING_PLANE].any()
    folded = run(fold_rating(NET, rating), planes)
    planes[:, RATING_PLANE] = (rating - 1500) / 500
    told = run(NET, planes)
    np.testing.assert_allclose(folded.policy, told.policy, atol=1e-5 * np.abs(told.policy).max())
    np.testing.assert_allclose(folded.wdl, told.wdl, atol=1e-5)


def test_the_unfolded_net_is_that_of_1500() -> None:
    planes = random_planes(3)
    np.testing.assert_array_equal(run(fold_rating(NET, 1500), planes).policy, run(NET, planes).policy)
    assert rating_value(1500) == 0


def test_a_net_that_heeds_no_ratings_plays_at_none() -> None:
    weights = NET.input.weights.copy()
    weights[:, RATING_PLANE] = 1e-4
    deaf = dataclasses.replace(NET, input=dataclasses.replace(NET.input, weights=weights))
    with pytest.raises(NetFileError, match="was trained without ratings, and plays at none"):
        fold_rating(deaf, 1500)


def test_ratings_differ() -> None:
    planes = random_planes(3)
    weak, strong = (run(fold_rating(NET, rating), planes).policy for rating in (1000, 2000))
    assert np.abs(weak - strong).max() > 0.1


def test_batch_norm_may_be_folded_before_or_after() -> None:
    before, after = fold_rating(fold_net(NET), 1234).input, fold_net(fold_rating(NET, 1234)).input
    assert dataclasses.replace(before, weights=after.weights).norm is None
    np.testing.assert_allclose(before.weights, after.weights, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(before.biases, after.biases)
