"""Models in ONNX that are told ratings, in every form that people have: they play as the checkpoint they came from."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from foible._core import Batch, ChessPosition
from foible.errors import ConfigError, NetFileError
from foible.nets import describe_net, export_net, open_net
from foible.nets.choices import GraphRuntime
from foible.nets.maia3_net import read_maia3
from foible.nets.torch_checkpoint import open_checkpoint
from tests.nets.maia_nets import Tensors, checkpoint, maia3
from tests.shared_data import shared

GAME = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7")
RUNTIMES: tuple[GraphRuntime, ...] = ("openvino", "onnxruntime")
FLOAT, INT64, INT32 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32


class Form(NamedTuple):
    """How somebody exports it."""

    own: str
    """Names of inputs."""
    opponent: str
    kind: int
    """Type of the ratings."""
    sizes: int | str
    """How many there are of each."""
    policy: str
    """Names of outputs."""
    value: str
    seen: int
    """Numbers for a square."""


FORMS = [
    Form("elo_self", "elo_oppo", FLOAT, "N", "logits_move", "logits_value", 12),
    Form("self_elo", "oppo_elo", INT64, "N", "logits_move", "logits_value", 96),
    Form("self_elo", "oppo_elo", INT32, 1, "logits_move", "logits_value", 96),
    Form("self_elo", "oppo_elo", INT64, "N", "move_logits", "value_logits", 96),
]


def exported(tensors: Tensors, form: Form) -> onnx.ModelProto:
    """The net with ratings as inputs: its first layer is made anew, and what follows the logits is taken off."""
    own, opponent, kind, count, policy, value, seen = form
    path = Path("net.pt")
    path.write_bytes(checkpoint(tensors))
    with open_checkpoint(path) as weights:
        model = onnx.load_from_string(read_maia3(weights).serialise(1500, 1500))
    graph = model.graph
    first = next(place for place, node in enumerate(graph.node) if node.op_type == "Add")
    after, nodes = graph.node[first].output[0], list(graph.node)[first + 1 :]
    projection = tensors["token_projection.weight"]
    boards = projection[:, :96] if seen == 96 else projection[:, :96].reshape(-1, 8, 12).sum(1)
    arrays = {
        "boards_": boards.T,
        "told_": projection[:, 96:].T,
        "bias_": tensors["token_projection.bias"],
        "low_": tensors["elo_embedding_low.weight"],
        "high_": tensors["elo_embedding_high.weight"],
        "scale_": np.array(5000, np.float32),
        "one_": np.array(1, np.float32),
        "column_": np.array([-1, 1], np.int64),
        "middle_": np.array([-1, 1, projection.shape[0]], np.int64),
        "order_": np.array([2, 1, 0], np.int64),
    }
    graph.initializer.extend(numpy_helper.from_array(np.ascontiguousarray(a), name) for name, a in arrays.items())
    front = [helper.make_node("MatMul", ["tokens", "boards_"], ["seen_"])]
    for name in (own, opponent):
        front += [
            helper.make_node("Cast", [name], [f"{name}cast_"], to=FLOAT),
            helper.make_node("Div", [f"{name}cast_", "scale_"], [f"{name}row_"]),
            helper.make_node("Reshape", [f"{name}row_", "column_"], [f"{name}share_"]),
            helper.make_node("Mul", [f"{name}share_", "low_"], [f"{name}low_"]),
            helper.make_node("Sub", ["one_", f"{name}share_"], [f"{name}rest_"]),
            helper.make_node("Mul", [f"{name}rest_", "high_"], [f"{name}high_"]),
            helper.make_node("Add", [f"{name}low_", f"{name}high_"], [f"{name}told_"]),
        ]
    front += [
        helper.make_node("Concat", [f"{own}told_", f"{opponent}told_"], ["both_"], axis=1),
        helper.make_node("MatMul", ["both_", "told_"], ["offset_"]),
        helper.make_node("Reshape", ["offset_", "middle_"], ["offsets_"]),
        helper.make_node("Add", ["seen_", "bias_"], ["biased_"]),
        helper.make_node("Add", ["biased_", "offsets_"], [after]),
    ]
    softmax = next(node for node in nodes if node.output[0] == "wdl")
    nodes.remove(softmax)
    back = [
        helper.make_node("Identity", ["policy"], [policy]),
        helper.make_node("Gather", [softmax.input[0], "order_"], [value], axis=1),
    ]
    del graph.node[:], graph.input[:], graph.output[:]
    graph.node.extend([*front, *nodes, *back])
    info = helper.make_tensor_value_info
    graph.input.extend(
        [info("tokens", FLOAT, ["N", 64, seen]), info(own, kind, [count]), info(opponent, kind, [count])]
    )
    graph.output.extend([info(policy, FLOAT, ["N", 4352]), info(value, FLOAT, ["N", 3])])
    return model


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_plays_as_its_checkpoint(inside: Path, form: Form, runtime: GraphRuntime) -> None:
    onnx.save(exported(maia3(), form), "net.onnx")
    positions = [ChessPosition(None, GAME[:plies]) for plies in range(len(GAME) + 1)]
    if form.seen == 12:
        positions = [ChessPosition(position.fen) for position in positions]
    batch = Batch(positions)
    expected = open_net("net.pt:1530-2200", runtime=runtime, threads=1).evaluate(batch)
    found = open_net("net.onnx:1530-2200", runtime=runtime, threads=1).evaluate(batch)
    np.testing.assert_allclose(found.logits, expected.logits, atol=1e-4)
    np.testing.assert_allclose(found.wdl, expected.wdl, atol=1e-5)
    other = open_net("net.onnx:2200-1530", runtime=runtime, threads=1).evaluate(batch)
    assert np.abs(other.logits - expected.logits).max() > 1e-2


def test_it_is_described_and_exported_for_its_ratings(inside: Path) -> None:
    onnx.save(exported(maia3(), FORMS[0]), "net.onnx")
    found = describe_net("net.onnx")
    assert (found.format, found.input, found.history, found.value) == ("onnx", "maia3", 1, "wdl")
    export_net("net.onnx:1500-1900", inside / "out.onnx")
    batch = Batch([ChessPosition()])
    one, other = (open_net(name, runtime="openvino").evaluate(batch) for name in ("out.onnx", "net.onnx:1500-1900"))
    np.testing.assert_array_equal(one.logits, other.logits)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_golden_net_as_a_model_answers_as_its_checkpoint(inside: Path, runtime: GraphRuntime) -> None:
    path = shared("golden/maia/maia2_tiny.onnx")
    found = describe_net(str(path))
    assert (found.format, found.input, found.history, found.value) == ("onnx", "maia2", None, "classical")
    batch = Batch([ChessPosition(None, GAME[:plies]) for plies in range(len(GAME) + 1)])
    whole = open_net(f"{path}:1500-1900", runtime=runtime, threads=1).evaluate(batch)
    alone = open_net(f"{path}:1500-1900", runtime=runtime, threads=1).evaluate(Batch([ChessPosition()]))
    np.testing.assert_allclose(whole.logits[:20], alone.logits, atol=1e-5)


def test_what_is_asked_for_wrongly_is_told(inside: Path) -> None:
    onnx.save(exported(maia3(), FORMS[1]), "net.onnx")
    with pytest.raises(ConfigError, match=r"net\.onnx: a Maia-3 plays at ratings; expected one behind it"):
        open_net("net.onnx")
    with pytest.raises(ConfigError, match=r"net\.onnx:500: a Maia-3 plays at ratings from 600 to 2600"):
        open_net("net.onnx:500")
    with pytest.raises(NetFileError, match="holds an ONNX model; expected a residual net"):
        export_net("net.onnx:1500", Path("out.pb.gz"))


def test_models_of_other_shapes_are_refused_with_those_expected(inside: Path) -> None:
    good = exported(maia3(), FORMS[1])

    def refused(change: str) -> str:
        model = onnx.ModelProto()
        model.CopyFrom(good)
        graph = model.graph
        match change:
            case "one at a time":
                graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
            case "clocks":
                graph.input[0].type.tensor_type.shape.dim[2].dim_value = 97
            case "no policy":
                graph.output.remove(graph.output[0])
            case "moves":
                graph.output[0].type.tensor_type.shape.dim[1].dim_value = 1880
            case "old":
                model.opset_import[0].version = 9
            case "text":
                graph.input[1].type.tensor_type.elem_type = TensorProto.STRING
            case "small":
                graph.input[2].type.tensor_type.elem_type = TensorProto.INT8
            case "no kind":
                graph.input[1].type.tensor_type.elem_type = 0
        onnx.save(model, "bad.onnx")
        with pytest.raises(NetFileError, match=r"^bad\.onnx: ") as error:
            open_net("bad.onnx:1500")
        assert "\n" not in str(error.value)
        return str(error.value)

    assert "takes 1 position at a time; expected a model whose first size is free" in refused("one at a time")
    assert "input tokens has shape [N, 64, 97], expected [N, 64, 12] to [N, 64, 96]" in refused("clocks")
    assert "has no output of its policy, logits_maia or logits_move or move_logits" in refused("no policy")
    assert "output logits_move has 1880 moves, expected the 4352 of Maia-3" in refused("moves")
    assert "is of ONNX opset 9, expected 11 or later" in refused("old")
    numbers = "expected FLOAT or DOUBLE or FLOAT16 or INT32 or INT64"
    assert f"input self_elo is STRING, {numbers}" in refused("text")
    assert f"input oppo_elo is INT8, {numbers}" in refused("small")
    assert f"input self_elo is not a tensor, {numbers}" in refused("no kind")


def test_a_damaged_model_is_described_no_more_than_it_is_opened(inside: Path) -> None:
    model = exported(maia3(), FORMS[1])
    model.graph.node[0].op_type = "NoSuchOperator"
    onnx.save(model, "bad.onnx")
    for ask in (describe_net, open_net):
        with pytest.raises(NetFileError, match=r"^bad\.onnx: not a valid ONNX model: No Op registered"):
            ask("bad.onnx:1500")
