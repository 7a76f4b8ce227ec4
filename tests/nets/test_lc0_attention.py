"""Attention nets that the reference has none of, and files that are to be refused in one line."""

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings, strategies as st

from foible.errors import NetFileError
from foible.nets.choices import GraphRuntime
from foible.nets.lc0_architecture import SMOLGEN_WEIGHTS
from foible.nets.lc0_file import AttentionNet, parse_lc0, parse_net, read_contents
from foible.nets.lc0_heads import Heads, parse_heads
from foible.nets.lc0_onnx import serialise
from foible.nets.onnx_file import model_from_lc0
from foible.nets.runtimes import Outputs, RuntimeNet
from tests.nets.attention_nets import LINEAR16, AttentionRecipe, attention_net, singles
from tests.nets.synthetic import Recipe, number, payload, random_planes, synthesise

MAP = AttentionRecipe()
SEVERAL = AttentionRecipe(
    positions=2, policies=(3, 4), values=(1, 2), formats={1: 1, 3: 7, 4: 3, 5: 2, 6: 1, 7: 1, 8: 7, 9: 8, 10: 2}
)
RUNTIMES: tuple[GraphRuntime, ...] = ("openvino", "onnxruntime")


def run(recipe: AttentionRecipe, runtime: GraphRuntime = "onnxruntime", heads: Heads | None = None) -> Outputs:
    model = model_from_lc0(parse_net(attention_net(recipe), heads), "random")
    return RuntimeNet(model, runtime, "f32", 1).evaluate_planes(random_planes(5))


@pytest.mark.parametrize("activation", range(1, 9))
@pytest.mark.parametrize("field", [8, 9])
def test_both_runtimes_agree_on_every_activation(field: int, activation: int) -> None:
    recipe = replace(MAP, formats=MAP.formats | {field: activation})
    if field == 9 and activation in (4, 5):
        with pytest.raises(NetFileError, match="feed-forward layers have the activation"):
            run(recipe)
        return
    one, other = (run(recipe, runtime) for runtime in RUNTIMES)
    assert one.policy.std() > 0.1
    np.testing.assert_allclose(one.policy, other.policy, atol=1e-3)
    np.testing.assert_allclose(one.wdl, other.wdl, atol=1e-4)


def test_a_gate_alone_works_as_beside_an_idle_one() -> None:
    idle = {33: singles(*[1.0] * 512), 34: singles(*[0.0] * 512)}
    for gate, other in ((33, 34), (34, 33)):
        beside = replace(MAP, overrides={("net", other): idle[other], ("net", gate): singles(*np.linspace(0, 2, 512))})
        alone = replace(beside, overrides=beside.overrides | {("net", other): None})
        np.testing.assert_allclose(run(alone).policy, run(beside).policy, atol=1e-5)
        assert np.abs(run(alone).policy - run(MAP).policy).max() > 1e-2


def test_heads_of_one_net_differ_and_share_what_they_share() -> None:
    usual, other = run(SEVERAL), run(SEVERAL, heads=Heads("optimistic", "winner"))
    assert np.abs(usual.policy - other.policy).max() > 1e-2
    np.testing.assert_array_equal(usual.wdl, other.wdl)
    value = run(SEVERAL, heads=Heads("vanilla", "q"))
    np.testing.assert_array_equal(usual.policy, value.policy)
    assert np.abs(usual.wdl - value.wdl).max() > 1e-3


def test_a_net_without_smolgen_or_gates_is_read() -> None:
    plain = replace(MAP, smolgen=None, gates=())
    net = parse_net(attention_net(plain))
    assert isinstance(net, AttentionNet)
    assert net.body is not None
    assert (net.body.smolgen, net.body.multiply, net.body.add) == (None, None, None)
    assert run(plain).policy.std() > 0.01


@pytest.mark.parametrize("recipe", [MAP, SEVERAL])
def test_graphs_are_valid_and_leave_the_batch_size_free(recipe: AttentionRecipe) -> None:
    model = onnx.load_from_string(serialise(parse_net(attention_net(recipe))))
    onnx.checker.check_model(model, full_check=True)
    assert all(value.type.tensor_type.shape.dim[0].dim_param == "batch" for value in model.graph.output)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_positions_are_judged_the_same_in_nets_of_usual_widths(runtime: GraphRuntime) -> None:
    recipe = AttentionRecipe(64, 64, 4, 128, 2, (8, 64, 64), 16, policy=(64, 64), value=(32, 128))
    recipe = replace(recipe, formats=SEVERAL.formats)
    net = RuntimeNet(model_from_lc0(parse_net(attention_net(recipe)), "random"), runtime, "f32", 1)
    planes = random_planes(33)
    together = net.evaluate_planes(planes)
    for size in (1, 2, 5, 16):
        for start in range(0, 33 - size + 1, size):
            part = net.evaluate_planes(planes[start : start + size])
            np.testing.assert_array_equal(part.policy, together.policy[start : start + size])
            np.testing.assert_array_equal(part.wdl, together.wdl[start : start + size])


@given(st.sampled_from(["vanilla", "optimistic", "soft", "opponent"]), st.sampled_from(["winner", "q", "st"]))
def test_names_of_heads_are_read_as_they_are_written(policy: str, value: str) -> None:
    assert parse_heads(str(Heads(policy, value))) == Heads(policy, value)
    assert parse_heads(f"{value}+{policy}") == Heads(policy, value)


REFUSED: dict[str, tuple[AttentionRecipe, str]] = {
    "no embedding": (replace(MAP, formats=MAP.formats | {10: 0}), "neither residual blocks nor an input embedding"),
    "unknown embedding": (replace(MAP, formats=MAP.formats | {10: 3}), "unknown input embedding 3"),
    "unknown activation": (replace(MAP, formats=MAP.formats | {9: 9}), "unknown feed-forward activation 9"),
    "classical policy": (replace(MAP, formats=MAP.formats | {4: 1}), "classical policy behind an attention body"),
    "no encoders": (replace(MAP, encoders=0), "has 0 encoders"),
    "heads that do not divide": (replace(MAP, heads=3), "encoder 0 queries: 8 outputs do not divide into 3 heads"),
    "no heads": (replace(MAP, heads=0, smolgen=None), "do not divide into 0 heads"),
    "no keys": (replace(MAP, overrides={("attention", 4): None}), "encoder 0 keys is missing"),
    "no policy": (replace(MAP, overrides={("net", 18): None}), "policy queries is missing"),
    "odd gate": (replace(MAP, overrides={("net", 33): singles(1, 2)}), "multiplying gate: 2 numbers, expected 512"),
    "odd smolgen": (
        replace(MAP, overrides={("net", SMOLGEN_WEIGHTS): singles(1, 2)}),
        "smolgen weights: expected a multiple of 4096 numbers",
    ),
    "odd norm": (
        replace(MAP, overrides={("encoder", 2): singles(1, 2)}),
        "encoder 0 norm 1 gammas: 2 numbers, expected 8",
    ),
    "not finite": (
        replace(MAP, overrides={("encoder ffn", 1): singles(*[float("nan")] * 96)}),
        "encoder 0 feed-forward layer 1 weights: holds numbers that are not finite",
    ),
    "odd positions": (
        replace(SEVERAL, overrides={("net", 37): singles(*[0.0] * 1536), ("net", 38): singles(1, 2)}),
        "embedding of positions: 2 outputs are no multiple of 64",
    ),
    "no vanilla": (replace(SEVERAL, policies=(4,)), "has no policy head 'vanilla'; it has optimistic"),
    "no winner": (replace(SEVERAL, values=()), "has no value head 'winner'; it has none"),
    "relative positions": (replace(MAP, relative=True), "encoder 0 attention has relative position encodings"),
    "unknown input": (replace(MAP, formats=MAP.formats | {1: 77}), "input planes are of the unknown format 77"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_files_that_cannot_be_run_are_refused_with_place_and_reason(kind: str) -> None:
    recipe, reason = REFUSED[kind]
    with pytest.raises(NetFileError, match=reason) as caught:
        parse_net(attention_net(recipe))
    assert "\n" not in str(caught.value)


def test_a_residual_net_is_asked_for_in_vain() -> None:
    with pytest.raises(NetFileError, match="has attention or several heads; expected a residual net"):
        parse_lc0(attention_net(MAP))
    with pytest.raises(NetFileError, match="has no policy head 'soft'; it has vanilla"):
        parse_net(synthesise(Recipe()).data, Heads("soft", "winner"))


DATA = attention_net(replace(SEVERAL, encoders=1, smolgen=(1, 2, 1)))


def survive(data: bytes) -> None:
    """The only error is `NetFileError`, of one line."""
    said = ""
    try:
        serialise(parse_net(data))
    except NetFileError as error:
        said = str(error)
    assert "\n" not in said


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(DATA)))
def test_cutting_a_file_off_anywhere_gives_one_clear_error(length: int) -> None:
    survive(DATA[:length])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(DATA) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_changing_bytes_anywhere_gives_a_net_or_one_clear_error(changes: list[tuple[int, int]]) -> None:
    data = bytearray(DATA)
    for position, byte in changes:
        data[position] = byte
    survive(bytes(data))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(DATA) - 1), st.integers(0, 1 << 40))
def test_a_huge_declared_size_anywhere_costs_nothing(position: int, size: int) -> None:
    survive(DATA[:position] + payload(10, b"")[:1] + number(1, size)[1:] + DATA[position:])


def test_a_large_net_opens_in_at_most_four_times_its_size(tmp_path: Path) -> None:
    recipe = AttentionRecipe(128, 128, 4, 192, 6, (16, 128, 64), 64, policy=(128, 128), value=(32, 128))
    recipe = replace(recipe, formats=SEVERAL.formats, encoding=LINEAR16)
    path = tmp_path / "large.pb"
    path.write_bytes(attention_net(recipe))
    size = path.stat().st_size
    assert size > 8 << 20
    tracemalloc.start()
    data = serialise(parse_net(read_contents(path)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(data) > 1.9 * size
    assert peak < 4 * size
