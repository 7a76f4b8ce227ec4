"""ONNX files: good ones, and those that would make a runtime open other files, go on for ever, or take all memory."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import example, given, settings, strategies as st
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper
from onnx.external_data_helper import convert_model_to_external_data

from foible._core import Batch, ChessPosition
from foible.errors import EvaluationError, NetFileError
from foible.nets.chess_file import embed_onnx, embedded_onnx
from foible.nets.choices import GraphRuntime
from foible.nets.go import graph as go
from foible.nets.lc0_file import parse_lc0
from foible.nets.lc0_onnx import to_onnx
from foible.nets.onnx_file import MOST_PARTS, check_onnx, model_from_lc0, read_onnx
from foible.nets.protobuf_wire import bytes_field
from foible.nets.runtimes import RuntimeNet
from tests.nets.go.arrays import weights_of
from tests.nets.go.naive import Recipe as GoRecipe, lines_of, text_of
from tests.nets.synthetic import Recipe, random_planes, synthesise


def tiny() -> onnx.ModelProto:
    return to_onnx(parse_lc0(synthesise(Recipe(filters=4, blocks=1)).data))


DATA = tiny().SerializeToString()


def rename(model: onnx.ModelProto, old: str, new: str) -> onnx.ModelProto:
    values = [*model.graph.input, *model.graph.output]
    next(value for value in values if value.name == old).name = new
    for node in model.graph.node:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                names[i] = new if name == old else name
    return model


def test_a_model_file_computes_what_the_weights_file_computes(tmp_path: Path) -> None:
    net = parse_lc0(synthesise(Recipe(moves_left=True)).data)
    (tmp_path / "net.onnx").write_bytes(to_onnx(net).SerializeToString())
    planes = random_planes(6)
    from_file = RuntimeNet(read_onnx(tmp_path / "net.onnx", "net"), "openvino", "f32", 1)
    direct = RuntimeNet(model_from_lc0(net, "net"), "openvino", "f32", 1)
    a, b = from_file.evaluate_planes(planes), direct.evaluate_planes(planes)
    np.testing.assert_array_equal(a.policy, b.policy)
    assert a.moves_left is not None


def test_files_that_are_no_model_are_refused_with_their_name(tmp_path: Path) -> None:
    path = tmp_path / "some.onnx"
    path.write_bytes(b"hello world")
    with pytest.raises(NetFileError, match=r"some.onnx: not a valid ONNX model"):
        read_onnx(path, "some")
    with pytest.raises(NetFileError, match=r"absent.onnx: cannot be read: No such file"):
        read_onnx(tmp_path / "absent.onnx", "absent")


@pytest.mark.parametrize("length", [0, 1, 10, 100, 1000, 5000])
def test_cut_off_models_are_refused(length: int) -> None:
    with pytest.raises(NetFileError):
        check_onnx(tiny().SerializeToString()[:length], "cut")


def test_wrong_names_are_told() -> None:
    with pytest.raises(NetFileError, match="has no output wdl; it has policy, value"):
        check_onnx(rename(tiny(), "wdl", "value").SerializeToString(), "x")
    with pytest.raises(NetFileError, match="has no input planes; it has board"):
        check_onnx(rename(tiny(), "planes", "board").SerializeToString(), "x")


def test_further_inputs_are_told() -> None:
    model = tiny()
    model.graph.input.append(helper.make_tensor_value_info("elo", TensorProto.FLOAT, ["N"]))
    with pytest.raises(NetFileError, match="has the inputs planes, elo; only planes is given to it"):
        check_onnx(model.SerializeToString(), "x")


def test_wrong_shapes_and_types_are_told() -> None:
    model = tiny()
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 4672
    with pytest.raises(NetFileError, match=r"output policy has shape \[N, 4672\], expected \[N, 1858\]"):
        check_onnx(model.SerializeToString(), "x")
    model = tiny()
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 16
    with pytest.raises(NetFileError, match=r"input planes has shape \[16, 112, 8, 8\], expected \[N, 112, 8, 8\]"):
        check_onnx(model.SerializeToString(), "x")
    model = tiny()
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.FLOAT16
    with pytest.raises(NetFileError, match="input planes is FLOAT16, expected float32"):
        check_onnx(model.SerializeToString(), "x")


def test_a_model_of_a_net_for_go_is_told(tmp_path: Path) -> None:
    path = tmp_path / "go.onnx"
    for size in (7, 8):
        weights = weights_of(text_of(lines_of(GoRecipe(size=size))))
        path.write_bytes(go.to_onnx(weights).SerializeToString())
        with pytest.raises(NetFileError, match=r"go.onnx: a net for Go; foible runs those from weights files, .txt"):
            read_onnx(path, "go")


def test_weights_in_other_files_are_refused() -> None:
    model = tiny()
    convert_model_to_external_data(model, location="elsewhere.bin", size_threshold=0)
    with pytest.raises(NetFileError, match="keeps its weights in other files"):
        check_onnx(model.SerializeToString(), "x")


@settings(max_examples=100, deadline=None)
@example([(77, 29)], 1)
@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=4), st.integers(0, 1))
def test_changing_bytes_of_a_model_gives_a_model_or_one_clear_error(
    changes: list[tuple[int, int]], from_end: int
) -> None:
    data = bytearray(DATA)
    for position, byte in changes:
        data[-1 - position if from_end else position] = byte
    said = ""
    try:
        check_onnx(bytes(data), "changed")
    except NetFileError as error:
        said = str(error)
    assert "\n" not in said


Constants = dict[str, NDArray[np.generic]]


def net(
    *nodes: NodeProto, rows: str = "rows", policy: str = "policy", widths: tuple[int, int] = (1858, 3), **more: object
) -> onnx.ModelProto:
    """A model that answers with zeros, of so many columns, after computing `nodes`.

    `rows`: the tensor that says how many. `policy`: what the zeros for the policy are called. `more`: constants.
    """
    shapes = {"planes": [112, 8, 8], "policy": [1858], "wdl": [3]}
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", *shape]) for n, shape in shapes.items()]
    first = [helper.make_node("Shape", ["planes"], ["rows"], start=0, end=1), *nodes]
    for name, width in zip((policy, "wdl"), widths, strict=True):
        more[f"{name} width"] = np.array([width])
        first.append(helper.make_node("Concat", [rows, f"{name} width"], [f"{name} shape"], axis=0))
        first.append(helper.make_node("ConstantOfShape", [f"{name} shape"], [name]))
    last = [node for node in first if "policy" in node.output]
    if not last:
        first.append(helper.make_node("Add", [policy, "nothing"], ["policy"]))
    constants = [numpy_helper.from_array(np.asarray(array), name) for name, array in more.items()]
    graph = helper.make_graph(first, "net", values[:1], values[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def evaluate(model: onnx.ModelProto, runtime: GraphRuntime) -> None:
    checked = check_onnx(model.SerializeToString(), "net")
    RuntimeNet(checked, runtime, "f32", 1).evaluate(Batch([ChessPosition()]))


def in_a_branch(node: NodeProto) -> NodeProto:
    """A node inside the body of an `If`."""
    inside = helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, None)
    body = helper.make_graph([node], "branch", [], [inside])
    return helper.make_node("If", ["yes"], ["either"], then_branch=body, else_branch=body)


def elsewhere() -> TensorProto:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[1], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="/etc/passwd")
    return tensor


def loop(operator: str = "Loop") -> NodeProto:
    kinds: list[tuple[str, int, list[int] | None]] = [
        ("i", TensorProto.INT64, []),
        ("go", TensorProto.BOOL, []),
        ("x", TensorProto.FLOAT, None),
    ]
    values = [helper.make_tensor_value_info(*kind) for kind in kinds]
    nodes = [helper.make_node("Identity", [name], [f"{name} on"]) for name in ("go", "x")]
    ends = [helper.make_tensor_value_info(f"{name} on", kind, shape) for name, kind, shape in kinds[1:]]
    body = helper.make_graph(nodes, "body", values, ends)
    return helper.make_node(operator, ["trips", "yes", "zero"], ["nothing"], body=body)


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (net(widths=(1000, 3)), r"output policy has the shape \(1, 1000\); expected \(1, 1858\)"),
        (net(widths=(1858, 1)), r"output wdl has the shape \(1, 1\); expected \(1, 3\)"),
        (
            net(helper.make_node("Mul", ["rows", "three"], ["thrice"]), rows="thrice", three=np.array([3])),
            r"output policy has the shape \(3, 1858\); expected \(1, 1858\)",
        ),
        (
            net(helper.make_node("Sub", ["rows", "one"], ["fewer"]), rows="fewer", one=np.array([1])),
            r"output policy has the shape \(0, 1858\); expected \(1, 1858\)",
        ),
    ],
)
def test_outputs_of_another_shape_are_told(runtime: GraphRuntime, model: onnx.ModelProto, problem: str) -> None:
    evaluate(net(), runtime)
    with pytest.raises(EvaluationError, match=f"^net: its {problem}$"):
        evaluate(model, runtime)


def test_what_fails_while_it_is_computed_is_told_in_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    absurd = [
        helper.make_node("Cast", ["planes"], ["whole"], to=TensorProto.INT64),
        helper.make_node("ReduceMax", ["whole"], ["most"], keepdims=0),
        helper.make_node("Add", ["most", "many"], ["size"]),
        helper.make_node("ConstantOfShape", ["size"], ["huge"]),
        helper.make_node("ReduceSum", ["huge"], ["nothing"], keepdims=0),
    ]
    with pytest.raises(EvaluationError, match=r"^net cannot be computed: \S.*") as error:
        evaluate(net(*absurd, policy="zeros", many=np.array([10**14])), "onnxruntime")
    assert "\n" not in str(error.value)
    assert capfd.readouterr() == ("", "")


def test_a_constant_that_is_too_large_is_refused_before_it_is_made() -> None:
    nodes = [
        helper.make_node("ConstantOfShape", ["many"], ["huge"]),
        helper.make_node("ReduceSum", ["huge"], ["nothing"], keepdims=0),
    ]
    model = net(*nodes, policy="zeros", many=np.array([10**5, 10**6]))
    with pytest.raises(NetFileError, match=r"its tensor huge has shape \[100000, 1000000\]; expected at most"):
        check_onnx(model.SerializeToString(), "net")


def functions(inside: Sequence[NodeProto]) -> onnx.ModelProto:
    model = net(helper.make_node("Own", ["rows"], ["unused"], domain="own"))
    opset = helper.make_opsetid("", 17)
    model.functions.append(helper.make_function("own", "Own", ["x"], ["y"], inside, [opset]))
    model.opset_import.append(helper.make_opsetid("own", 1))
    return model


SPARSE = onnx.SparseTensorProto(values=elsewhere(), dims=[1])


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (net(loop(), policy="zeros", trips=np.array(2**62), yes=np.array(True), zero=np.float32(0)), "has a Loop"),
        (net(in_a_branch(loop()), yes=np.array(True)), "has a Loop"),
        (net(in_a_branch(loop("Scan")), yes=np.array(True)), "has a Loop"),
        (net(helper.make_node("Constant", [], ["w"], value=elsewhere())), "keeps its weights in other files"),
        (net(helper.make_node("Constant", [], ["w"], sparse_value=SPARSE)), "keeps its weights in other files"),
        (
            net(in_a_branch(helper.make_node("Constant", [], ["w"], value=elsewhere())), yes=np.array(True)),
            "keeps its weights in other files",
        ),
        (functions([helper.make_node("Identity", ["x"], ["y"])]), "has functions of its own"),
    ],
)
def test_loops_functions_and_weights_elsewhere_are_refused_at_any_depth(model: onnx.ModelProto, problem: str) -> None:
    with pytest.raises(NetFileError, match=problem):
        check_onnx(model.SerializeToString(), "net")


def test_a_model_inside_an_lc0_file_is_checked_before_it_is_parsed() -> None:
    model = functions([helper.make_node("Identity", ["x"], ["y"])])
    with pytest.raises(NetFileError, match="has functions of its own"):
        embedded_onnx(embed_onnx(model.SerializeToString()).replace(b"planes", b"inputs"))


@pytest.mark.parametrize(
    "data",
    [
        bytes_field(7, b"\x0a\x00" * (MOST_PARTS + 1)),
        bytes_field(7, bytes_field(1, b"\x2a\x00" * MOST_PARTS) * 2),
        bytes_field(7, bytes_field(5, bytes_field(7, b"\x00" * 64 * MOST_PARTS) * 2)),
    ],
    ids=["nodes", "attributes", "whole numbers"],
)
def test_a_model_of_a_million_parts_is_refused_before_they_are_made(data: bytes) -> None:
    with pytest.raises(NetFileError, match="more than 500"):
        check_onnx(data, "net")
