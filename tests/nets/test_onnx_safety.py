"""ONNX files that would make a runtime open other files, go on for ever, or take all memory."""

from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from foible._core import Batch, ChessPosition
from foible.errors import EvaluationError, NetFileError
from foible.nets.chess_file import embed_onnx, embedded_onnx
from foible.nets.choices import GraphRuntime
from foible.nets.onnx_file import check_onnx
from foible.nets.onnx_safety import MOST_PARTS
from foible.nets.protobuf_wire import bytes_field
from foible.nets.runtimes import RuntimeNet

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
