"""The published structure of weights files with an ONNX model inside, field by field."""

import pytest

from foible.errors import NetFileError
from foible.nets.chess_file import embed_onnx, embedded_onnx
from foible.nets.lc0_file import parse_lc0
from foible.nets.protobuf_wire import Message, read_message
from tests.nets.synthetic import Recipe, synthesise


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
