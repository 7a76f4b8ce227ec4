import json
import time
from pathlib import Path

import pytest

from foible.nets import fastest_runtime
from foible.nets.lc0_file import parse_lc0
from foible.nets.onnx_file import OnnxModel, model_from_lc0
from tests.nets.synthetic import Recipe, synthesise


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OnnxModel:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return model_from_lc0(parse_lc0(synthesise(Recipe(filters=32, squeeze=8)).data), "net")


def remembered(folder: Path) -> dict[str, dict[str, float]]:
    known: dict[str, dict[str, float]] = json.loads((folder / "foible" / "runtimes.json").read_text())
    return known


def test_the_fastest_runtime_is_measured_once_and_remembered(
    model: OnnxModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = time.perf_counter()
    chosen = fastest_runtime.fastest(model, "f32", 1)
    assert time.perf_counter() - start < 5
    [(key, rates)] = remembered(tmp_path).items()
    assert "1 threads" in key
    assert chosen.runtime == max(rates, key=lambda runtime: rates[runtime])
    assert min(rates.values()) > 0
    monkeypatch.setattr(fastest_runtime, "rate", lambda *_: pytest.fail("measured again"))
    assert fastest_runtime.fastest(model, "f32", 1).runtime == chosen.runtime


def test_what_was_remembered_decides(model: OnnxModel, tmp_path: Path) -> None:
    fastest_runtime.fastest(model, "f32", 1)
    [(key, rates)] = remembered(tmp_path).items()
    slower = min(rates, key=lambda runtime: rates[runtime])
    (tmp_path / "foible" / "runtimes.json").write_text(json.dumps({key: {**rates, slower: 1e9}}))
    assert fastest_runtime.fastest(model, "f32", 1).runtime == slower


def test_other_shapes_and_threads_are_measured_apart_and_other_weights_are_not(
    model: OnnxModel, tmp_path: Path
) -> None:
    fastest_runtime.fastest(model, "f32", 1)
    fastest_runtime.fastest(model, "f32", 2)
    fastest_runtime.fastest(model_from_lc0(parse_lc0(synthesise(Recipe(filters=8)).data), "net"), "f32", 1)
    assert len(remembered(tmp_path)) == 3
    same_shape = synthesise(Recipe(filters=32, squeeze=8, seed=5))
    fastest_runtime.fastest(model_from_lc0(parse_lc0(same_shape.data), "other"), "f32", 1)
    assert len(remembered(tmp_path)) == 3


@pytest.mark.parametrize("content", ["", "[1]", '{"a": 3}', '{"a": {"b": "c"}}', "\x00\xff"])
def test_a_damaged_memory_is_measured_anew(model: OnnxModel, tmp_path: Path, content: str) -> None:
    (tmp_path / "foible").mkdir()
    (tmp_path / "foible" / "runtimes.json").write_text(content)
    fastest_runtime.fastest(model, "f32", 1)
    assert len(remembered(tmp_path)) == 1


def test_a_folder_that_cannot_be_written_is_no_obstacle(
    model: OnnxModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert fastest_runtime.fastest(model, "f32", 1).runtime in ("openvino", "onnxruntime")
