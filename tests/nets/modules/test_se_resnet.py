import numpy as np
import pytest
import torch

from foible.errors import ConfigError
from foible.nets.encoding import plane_index
from foible.nets.lc0_file import parse_lc0
from foible.nets.modules import SeResNet, build
from foible.nets.modules.module_files import from_lc0
from tests.nets.synthetic import random_planes, synthesise
from tests.nets.test_lc0_onnx import RECIPES


@pytest.mark.parametrize("kind", RECIPES)
def test_every_kind_of_net_computes_what_numpy_computes(kind: str) -> None:
    net = synthesise(RECIPES[kind])
    expected, planes = net.outputs(random_planes(5)), torch.from_numpy(random_planes(5))
    with torch.no_grad():
        found = from_lc0(parse_lc0(net.data, folded=False)).eval()(planes)
    policy = expected["policy"]
    if net.recipe.policy == "convolution":
        policy = policy.reshape(5, -1)[:, plane_index()]
    np.testing.assert_allclose(found.policy, policy, rtol=1e-4, atol=1e-4 * np.abs(policy).max())
    np.testing.assert_allclose(found.wdl.softmax(1), expected["wdl"], atol=1e-4)
    assert (found.plies is None) == ("moves_left" not in expected)
    if found.plies is not None:
        plies = expected["moves_left"]
        np.testing.assert_allclose(found.plies, plies, rtol=1e-4, atol=1e-4 * np.abs(plies).max())


def test_a_net_without_draws_can_be_trained_on_them() -> None:
    net = build(SeResNet(blocks=1, filters=4, squeeze=0, value="classical"))
    wdl = net(torch.from_numpy(random_planes(2))).wdl
    assert (wdl.softmax(1)[:, 1] == 0).all()
    loss = torch.nn.functional.cross_entropy(wdl, torch.tensor([[0.2, 0.5, 0.3], [0, 1, 0]]))
    torch.autograd.backward(loss)
    assert all(p.grad is None or p.grad.isfinite().all() for p in net.parameters())


def test_other_planes_than_lc0_s_are_refused() -> None:
    with pytest.raises(ConfigError, match="encoding = crazyara: a net of the kind se-resnet takes lc0's planes"):
        build(SeResNet(), "crazyara")
