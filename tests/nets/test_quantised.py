"""Nets in int8: which layers, how near to themselves in f32, and the cache, which is whole or not there."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import onnx
import pytest

from foible.errors import NetFileError
from foible.nets.catalogue import find_net
from foible.nets.chess_file import read_model
from foible.nets.choices import Ratings
from foible.nets.lc0_file import parse_lc0
from foible.nets.onnx_file import OnnxModel, model_from_lc0
from foible.nets.precision import check_positions, deviation
from foible.nets.quantised import calibration_positions, has_tower, is_quantised, quantised
from foible.nets.runtimes import RuntimeNet
from tests.nets.synthetic import Recipe, synthesise

BLOCKS = 2


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "foible" / "int8"


@pytest.fixture
def model() -> OnnxModel:
    return model_from_lc0(parse_lc0(synthesise(Recipe(filters=32, squeeze=8, blocks=BLOCKS)).data), "net")


@pytest.mark.parametrize("policy", ["classical", "convolution"])
def test_the_convolutions_of_the_blocks_are_quantised_and_no_others(policy: str) -> None:
    recipe = Recipe(filters=32, squeeze=8, blocks=BLOCKS, policy=policy, moves_left=True)
    found = onnx.load_from_string(quantised(model_from_lc0(parse_lc0(synthesise(recipe).data), "net")).data).graph
    dequantised = {node.output[0] for node in found.node if node.op_type == "DequantizeLinear"}
    convolutions = [node for node in found.node if node.op_type == "Conv"]
    assert sum(node.input[1] in dequantised for node in convolutions) == 2 * BLOCKS
    weights = [
        tensor for tensor in found.initializer if tensor.data_type == onnx.TensorProto.INT8 and len(tensor.dims) == 4
    ]
    scales = {tensor.name: tuple(tensor.dims) for tensor in found.initializer}
    assert [tuple(tensor.dims) for tensor in weights] == 2 * BLOCKS * [(32, 32, 3, 3)]
    for tensor in weights:  # one scale a channel
        [node] = [node for node in found.node if tensor.name in node.input]
        assert scales[node.input[1]] == (32,)


def test_a_net_without_a_tower_is_refused_in_one_line() -> None:
    attention = model_from_lc0(parse_lc0(synthesise(Recipe(filters=32, squeeze=8, blocks=0)).data), "net")
    assert not has_tower(attention)
    with pytest.raises(NetFileError, match="net has no residual tower"):
        quantised(attention)


def test_the_same_net_is_quantised_to_the_same_bytes_and_lies_in_the_cache(model: OnnxModel, cache: Path) -> None:
    assert not is_quantised(model)
    first = quantised(model)
    assert is_quantised(model)
    assert len(list(cache.iterdir())) == 1
    assert quantised(model) == first
    next(cache.iterdir()).unlink()
    assert quantised(model) == first


def _flip(data: bytes) -> bytes:
    return data[:1000] + bytes([data[1000] ^ 1]) + data[1001:]


@pytest.mark.parametrize("damage", [_flip, lambda data: data[: len(data) // 2], lambda _: b""])
def test_a_damaged_net_in_the_cache_is_made_anew(
    model: OnnxModel, cache: Path, damage: Callable[[bytes], bytes]
) -> None:
    first = quantised(model)
    path = next(cache.iterdir())
    path.write_bytes(damage(path.read_bytes()))
    assert quantised(model) == first
    assert quantised(model) == first


def test_other_weights_are_another_net(model: OnnxModel, cache: Path) -> None:
    quantised(model)
    other = model_from_lc0(parse_lc0(synthesise(Recipe(filters=32, squeeze=8, blocks=BLOCKS, seed=5)).data), "net")
    assert not is_quantised(other)
    assert is_quantised(replace(model, name="renamed"))


def test_a_cache_that_cannot_be_written_is_no_obstacle(
    model: OnnxModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert quantised(model).data != model.data


def test_no_position_is_checked_that_calibration_saw() -> None:
    seen = {position.fen for position in calibration_positions()}
    checked = check_positions()
    assert len(seen) == 256
    assert len({position.fen for position in checked}) == 32
    assert not seen & {position.fen for position in checked}
    assert [position.fen for position in check_positions()] == [position.fen for position in checked]


@pytest.mark.parametrize("name", ["master", "club:1500"])
def test_the_nets_that_come_with_foible_stay_within_the_tolerance(name: str) -> None:
    model = read_model(find_net(name), Ratings(1500) if ":" in name else None)
    exact, coarse = (RuntimeNet(model, "onnxruntime", precision, 2) for precision in ("f32", "int8"))
    assert coarse.name.endswith("(onnxruntime int8)")
    found = deviation(exact, coarse, check_positions())
    assert 0 < found.policy_kl < 0.006
    assert 0 < found.value_error < 0.024
    assert found.agreement > 0.85
    assert found.tolerable
