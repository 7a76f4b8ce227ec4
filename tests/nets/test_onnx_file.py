from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper
from onnx.external_data_helper import convert_model_to_external_data

from foible.errors import NetFileError
from foible.nets.go import graph as go
from foible.nets.go.leela_file import parse_weights
from foible.nets.lc0_file import parse_lc0
from foible.nets.lc0_onnx import to_onnx
from foible.nets.onnx_file import check_onnx, model_from_lc0, read_onnx
from foible.nets.runtimes import RuntimeNet
from tests.nets.go.naive import Recipe as GoRecipe
from tests.nets.go.naive import lines_of, text_of
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
        weights = parse_weights(text_of(lines_of(GoRecipe(size=size))))
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
