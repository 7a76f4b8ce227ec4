"""Every kind of residual net, as a file with random weights, against plain numpy."""

import numpy as np
import onnx
import pytest

from foible.nets.choices import GraphRuntime
from foible.nets.encoding import plane_index
from foible.nets.lc0_file import parse_lc0
from foible.nets.lc0_onnx import to_onnx
from foible.nets.onnx_file import model_from_lc0
from foible.nets.runtimes import Outputs, RuntimeNet
from tests.nets.synthetic import Recipe, Synthetic, random_planes, synthesise

RECIPES = {
    "plain blocks": Recipe(squeeze=0),
    "squeeze-excite": Recipe(squeeze=6, filters=16),
    "no blocks": Recipe(blocks=0),
    "classical policy": Recipe(policy="classical"),
    "classical value": Recipe(wdl=False),
    "moves left": Recipe(moves_left=True),
    "mish": Recipe(mish=True, filters=16, moves_left=True),
    "mish, plain, all heads": Recipe(mish=True, squeeze=0, policy="classical", wdl=False, moves_left=True),
    "float16": Recipe(encoding="FLOAT16", encoding_per_layer=True),
    "bfloat16": Recipe(encoding="BFLOAT16", encoding_per_layer=True),
    "float32": Recipe(encoding="FLOAT32", encoding_per_layer=True),
    "linear16 named by each layer": Recipe(encoding_per_layer=True),
    "batch norm with gammas and betas": Recipe(batch_norm="full"),
    "batch norm of old files": Recipe(batch_norm="old", policy="classical", wdl=False, squeeze=0),
    "no head formats, plain": Recipe(head_format=False, policy="classical", wdl=False, squeeze=0),
    "no head formats, squeeze-excite": Recipe(head_format=False, policy="classical", wdl=False),
}


def run(net: Synthetic, runtime: GraphRuntime, n: int = 5) -> Outputs:
    model = model_from_lc0(parse_lc0(net.data), "synthetic")
    return RuntimeNet(model, runtime, "f32", 1).evaluate_planes(random_planes(n))


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
@pytest.mark.parametrize("kind", RECIPES)
def test_every_kind_of_net_computes_what_numpy_computes(kind: str, runtime: GraphRuntime) -> None:
    net = synthesise(RECIPES[kind])
    expected, found = net.outputs(random_planes(5)), run(net, runtime)
    policy = expected["policy"]
    if net.recipe.policy == "convolution":
        policy = policy.reshape(5, -1)[:, plane_index()]
    assert policy.std() > 0.1
    np.testing.assert_allclose(found.policy, policy, rtol=1e-4, atol=1e-4 * np.abs(policy).max())
    np.testing.assert_allclose(found.wdl, expected["wdl"], atol=1e-4)
    assert (found.moves_left is None) == ("moves_left" not in expected)
    if found.moves_left is not None:
        plies = expected["moves_left"]
        np.testing.assert_allclose(found.moves_left, plies, rtol=1e-4, atol=1e-4 * np.abs(plies).max())


def test_a_negative_gamma_keeps_its_sign() -> None:
    net = synthesise(Recipe(batch_norm="full", seed=3))
    weights, biases = net.convs["input"]
    read = parse_lc0(net.data).input
    np.testing.assert_allclose(read.weights, weights, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(read.biases, biases, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", RECIPES)
def test_graphs_are_valid_and_leave_the_batch_size_free(kind: str) -> None:
    model = to_onnx(parse_lc0(synthesise(RECIPES[kind]).data))
    onnx.checker.check_model(model, full_check=True)
    assert all(value.type.tensor_type.shape.dim[0].dim_param == "batch" for value in model.graph.output)
