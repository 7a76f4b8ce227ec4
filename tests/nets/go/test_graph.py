import numpy as np
import pytest
from numpy.typing import NDArray

from foible.nets.choices import GraphRuntime, Precision
from foible.nets.go.graph import graph_model
from foible.nets.graph_workers import has_bf16
from foible.nets.runtimes import GraphRunner
from tests.nets.go.arrays import weights_of
from tests.nets.go.naive import EXTRA_LINES, Recipe, lines_of, outputs_of, text_of

RUNTIMES: list[GraphRuntime] = ["openvino", "onnxruntime"]
WAYS: list[tuple[GraphRuntime, Precision]] = [("openvino", "f32"), ("openvino", "bf16"), ("onnxruntime", "f32")]


def random_planes(count: int, recipe: Recipe, seed: int = 0) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    return (rng.random((count, recipe.planes, recipe.size, recipe.size)) < 0.3).astype(np.float32)


def runner(recipe: Recipe, runtime: GraphRuntime, precision: Precision = "f32", threads: int = 1) -> GraphRunner:
    return GraphRunner(graph_model(weights_of(text_of(lines_of(recipe))), "net"), runtime, precision, threads)


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("head", EXTRA_LINES)
@pytest.mark.parametrize(("size", "planes"), [(7, 18), (7, 17), (1, 18), (4, 18)])
def test_it_computes_what_the_format_says(head: str, size: int, planes: int, runtime: GraphRuntime) -> None:
    recipe = Recipe(head=head, size=size, planes=planes, seed=3)
    positions = random_planes(9, recipe)
    found = runner(recipe, runtime).compute(positions)
    expected = outputs_of(recipe, lines_of(recipe), positions)
    np.testing.assert_allclose(found["policy"], expected["policy"], atol=1e-5)
    if head == "lz":
        np.testing.assert_allclose(found["value"], np.tanh(expected["value"]), atol=1e-5)
        assert found.keys() == {"policy", "value"}
    else:
        np.testing.assert_allclose(found["alpha"], expected["alpha"], atol=1e-5)
        beta = 10 / size**2 * np.exp(expected["raw"])
        assert ((beta > 1e-3) & (beta < 50)).any()
        np.testing.assert_allclose(found["beta"], beta.clip(1e-3, 50), rtol=1e-5)
        assert found.keys() == {"policy", "alpha", "beta"}


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize(
    ("raw", "beta"), [(-1000, 1e-3), (-6, 1e-3), (0, 10 / 49), (5.4, 10 / 49 * np.exp(5.4)), (9, 50)]
)
def test_beta_stays_in_its_range(raw: float, beta: float, runtime: GraphRuntime) -> None:
    recipe = Recipe(size=7, head="t")
    lines = lines_of(recipe)
    lines[-2][:], lines[-1][:] = 0, raw
    net = GraphRunner(graph_model(weights_of(text_of(lines)), "net"), runtime, "f32", 1)
    np.testing.assert_allclose(net.compute(random_planes(3, recipe))["beta"], beta, rtol=1e-6)


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.parametrize("head", EXTRA_LINES)
@pytest.mark.parametrize(("size", "filters"), [(7, 32), (3, 7), (9, 20)])
def test_a_position_gets_the_same_bits_whatever_batch_it_comes_in(
    size: int, filters: int, head: str, way: tuple[GraphRuntime, Precision]
) -> None:
    if way[1] == "bf16" and not has_bf16():
        pytest.skip("this processor has no bf16 arithmetic")
    recipe = Recipe(size=size, filters=filters, head=head, hidden=64, own_hidden=32, blocks=1)
    planes = random_planes(130, recipe)
    net, together = runner(recipe, *way), runner(recipe, *way, threads=3).compute(planes)
    for count in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100]:
        for start in (0, 1, 130 - count):
            part = net.compute(planes[start : start + count])
            for name, values in together.items():
                assert np.array_equal(part[name], values[start : start + count]), (count, start, name)
