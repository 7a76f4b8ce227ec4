import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from foible.errors import NetFileError
from foible.nets.chess_file import embed_onnx, embedded_onnx
from foible.nets.lc0_file import parse_lc0
from foible.nets.onnx_file import check_onnx
from foible.nets.protobuf_wire import Message, read_message
from foible.nets.runtimes import RuntimeNet
from tests.nets.synthetic import Recipe, assemble, number, payload, random_planes, synthesise

NAMES = {3: b"planes", 6: b"policy", 4: b"value", 7: b"plies"}


def model(kind: int = TensorProto.FLOAT, prefix: str = "own/", value: int = 1) -> bytes:
    """Policy: the first 1858 numbers of the planes; value and plies: their sums over a plane or more, scaled."""
    names = {name: prefix + name for name in ("planes", "policy", "value", "plies")}
    dtype = np.float16 if kind == TensorProto.FLOAT16 else np.float32
    picks = np.zeros((112 * 64, value), dtype)
    picks[:64] = 1 / 64
    constants = {
        "first": np.arange(1858),
        "picks": picks,
        "ten": np.array(10, dtype),
    }
    nodes = [
        helper.make_node("Flatten", [names["planes"]], ["flat"], axis=1),
        helper.make_node("Gather", ["flat", "first"], [names["policy"]], axis=1),
        helper.make_node("MatMul", ["flat", "picks"], [names["value"]]),
        helper.make_node("Mul", [names["value"], "ten"], [names["plies"]]),
    ]
    sizes = {"policy": 1858, "value": value, "plies": value}
    graph = helper.make_graph(
        nodes,
        "own",
        [helper.make_tensor_value_info(names["planes"], kind, ["n", 112, 8, 8])],
        [helper.make_tensor_value_info(names[name], kind, ["n", size]) for name, size in sizes.items()],
        [numpy_helper.from_array(values, name) for name, values in constants.items()],
    )
    opsets = [helper.make_opsetid("", 17)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())


def file(data: bytes, names: dict[int, bytes], planes: int = 1) -> bytes:
    content = payload(1, data) + number(2, 1) + b"".join(payload(field, name) for field, name in names.items())
    formats = b"".join(number(key, value) for key, value in {1: planes, 2: 1, 3: 5, 4: 1, 5: 1}.items())
    return assemble(b"", formats) + payload(11, content)


def own(names: dict[int, bytes]) -> dict[int, bytes]:
    return {field: b"own/" + name for field, name in names.items()}


@pytest.mark.parametrize("kind", [TensorProto.FLOAT, TensorProto.FLOAT16])
def test_a_model_with_one_value_has_wins_and_losses_only(kind: int) -> None:
    data = embedded_onnx(file(model(kind), own(NAMES)))
    assert data is not None
    planes = random_planes(3)
    outputs = RuntimeNet(check_onnx(data, "own"), "onnxruntime", "f32", 1).evaluate_planes(planes)
    value = planes[:, 0].mean(axis=(1, 2))
    np.testing.assert_allclose(outputs.policy, planes.reshape(3, -1)[:, :1858])
    np.testing.assert_allclose(outputs.wdl, np.stack([0.5 + value / 2, 0 * value, 0.5 - value / 2], 1), atol=1e-3)
    assert outputs.moves_left is not None
    np.testing.assert_allclose(outputs.moves_left, 10 * value, atol=1e-2)


def test_names_of_its_own_that_are_foibles_do_not_clash() -> None:
    data = embedded_onnx(file(model(prefix=""), {**NAMES, 4: b"value"}))
    assert data is not None
    assert check_onnx(data, "own").moves_left


def test_the_input_format_of_the_file_stays_with_the_model() -> None:
    data = embedded_onnx(file(model(), own(NAMES), planes=5))
    assert data is not None
    assert check_onnx(data, "own").encoding == "lc0-canonical-v2"
    said = onnx.load_from_string(data)
    helper.set_model_props(said, {"foible input": "lc0-upside-down"})
    with pytest.raises(NetFileError, match="takes the unknown input 'lc0-upside-down'"):
        check_onnx(said.SerializeToString(), "own")


@pytest.mark.parametrize(
    ("data", "names", "reason"),
    [
        (b"", own(NAMES), "holds no ONNX model"),
        (b"nonsense", own(NAMES), "not a valid ONNX model"),
        (model(), own(NAMES | {6: b"moves"}), "has no policy 'own/moves'; it has own/policy, own/value, own/plies"),
        (model(), own(NAMES | {3: b"x"}), "has no input 'own/x'; it has own/planes"),
        (model(), {3: b"own/planes", 6: b"own/policy"}, "does not name the input, the policy and the value"),
    ],
)
def test_what_is_missing_is_said_in_one_line(data: bytes, names: dict[int, bytes], reason: str) -> None:
    with pytest.raises(NetFileError, match=reason) as caught:
        embedded_onnx(file(data, names))
    assert "\n" not in str(caught.value)


def test_outputs_of_other_shapes_are_refused_by_what_runs_them() -> None:
    data = embedded_onnx(file(model(value=2), own(NAMES)))
    assert data is not None
    with pytest.raises(NetFileError):
        RuntimeNet(check_onnx(data, "own"), "onnxruntime", "f32", 1)


def test_the_file_is_as_lc0_writes_it() -> None:
    net = read_message(memoryview(embed_onnx(b"model", training_steps=1000, licence="CC0")), "net")
    assert sorted(net.fields) == [1, 2, 3, 4, 5, 11]
    assert (net.integer(1), bytes(net.bytes(2))) == (0x1C0, b"CC0")
    assert plain(net.message(3, "version")) == {1: 0, 2: 28, 3: 0}
    file_format = net.message(4, "format")
    assert file_format is not None
    assert plain(file_format.message(2, "network format")) == {1: 1, 2: 2, 3: 5, 4: 1, 5: 2, 6: 1}
    assert plain(net.message(5, "training")) == {1: 1000}
    assert plain(net.message(11, "model")) == {1: b"model", 2: 1, 3: b"planes", 5: b"wdl", 6: b"policy", 7: b"mlh"}


def plain(message: Message | None) -> dict[int, int | bytes]:
    assert message is not None
    return {key: value if isinstance(value, int) else bytes(value) for key, [value] in message.fields.items()}


def test_the_model_comes_out_as_it_went_in_and_weights_files_have_none() -> None:
    assert embedded_onnx(embed_onnx(b"model")) == b"model"
    assert embedded_onnx(synthesise(Recipe()).data) is None


def test_files_that_are_no_such_thing_are_refused() -> None:
    with pytest.raises(NetFileError, match="not an lc0 weights file"):
        embedded_onnx(b"nonsense")
    head = embed_onnx(b"")
    with pytest.raises(NetFileError, match="holds no ONNX model, though its format is NETWORK_ONNX"):
        embedded_onnx(head)
    with pytest.raises(NetFileError, match="is of the kind NETWORK_ONNX"):
        parse_lc0(embed_onnx(b"model"))
