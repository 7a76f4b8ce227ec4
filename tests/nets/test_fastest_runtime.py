import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from foible.nets import fastest_runtime
from foible.nets.choices import GraphRuntime, Precision
from foible.nets.graph_workers import has_bf16
from foible.nets.lc0_file import parse_lc0
from foible.nets.onnx_file import OnnxModel, model_from_lc0
from foible.nets.precision import Deviation
from foible.nets.quantised import quantised
from foible.nets.runtimes import RuntimeNet, Runtimes
from tests.nets.synthetic import Recipe, synthesise

ONE = Runtimes(threads=1)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OnnxModel:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return model_from_lc0(parse_lc0(synthesise(Recipe(filters=32, squeeze=8)).data), "net")


def remembered(folder: Path) -> dict[str, dict[str, float]]:
    """The rates by shape, without what the processor can do."""
    known: dict[str, dict[str, float]] = json.loads((folder / "foible" / "runtimes.json").read_text())
    return {key: rates for key, rates in known.items() if "bf16" not in rates}


def test_the_fastest_runtime_is_measured_once_and_remembered(
    model: OnnxModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = fastest_runtime.fastest(model, ONE)
    [(key, rates)] = remembered(tmp_path).items()
    assert "1 threads" in key
    assert f"{chosen.runtime} f32" == max(rates, key=lambda way: rates[way])
    assert min(rates.values()) > 0
    monkeypatch.setattr(fastest_runtime, "rate", lambda *_: pytest.fail("measured again"))
    assert fastest_runtime.fastest(model, ONE).runtime == chosen.runtime


def test_what_was_remembered_decides(model: OnnxModel, tmp_path: Path) -> None:
    fastest_runtime.fastest(model, ONE)
    [(key, rates)] = remembered(tmp_path).items()
    slower = min(rates, key=lambda runtime: rates[runtime])
    (tmp_path / "foible" / "runtimes.json").write_text(json.dumps({key: {**rates, slower: 1e9}}))
    assert fastest_runtime.fastest(model, ONE).runtime == slower.partition(" ")[0]


def test_other_shapes_and_threads_are_measured_apart_and_other_weights_are_not(
    model: OnnxModel, tmp_path: Path
) -> None:
    fastest_runtime.fastest(model, ONE)
    fastest_runtime.fastest(model, replace(ONE, threads=2))
    fastest_runtime.fastest(model_from_lc0(parse_lc0(synthesise(Recipe(filters=8)).data), "net"), ONE)
    assert len(remembered(tmp_path)) == 3
    same_shape = synthesise(Recipe(filters=32, squeeze=8, seed=5))
    fastest_runtime.fastest(model_from_lc0(parse_lc0(same_shape.data), "other"), ONE)
    assert len(remembered(tmp_path)) == 3


def test_what_the_processor_can_do_is_asked_once(model: OnnxModel, monkeypatch: pytest.MonkeyPatch) -> None:
    has(monkeypatch, bf16=False)
    rated(monkeypatch, NO_BF16)
    fastest_runtime.fastest(model, AUTO)
    monkeypatch.setattr(fastest_runtime, "has_bf16", lambda: pytest.fail("asked again"))
    assert fastest_runtime.fastest(model, AUTO).name == "net (openvino f32)"


@pytest.mark.parametrize("content", ["", "[1]", '{"a": 3}', '{"a": {"b": "c"}}', "\x00\xff"])
def test_a_damaged_memory_is_measured_anew(model: OnnxModel, tmp_path: Path, content: str) -> None:
    (tmp_path / "foible").mkdir()
    (tmp_path / "foible" / "runtimes.json").write_text(content)
    fastest_runtime.fastest(model, ONE)
    assert len(remembered(tmp_path)) == 1


def test_a_folder_that_cannot_be_written_is_no_obstacle(
    model: OnnxModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert fastest_runtime.fastest(model, ONE).runtime in ("openvino", "onnxruntime")


def rated(monkeypatch: pytest.MonkeyPatch, rates: dict[str, float]) -> None:
    monkeypatch.setattr(fastest_runtime, "rate", lambda net: rates[f"{net.runtime} {net.precision}"])


def costing(monkeypatch: pytest.MonkeyPatch, **kl: float) -> None:
    """What precisions cost in the policy."""
    monkeypatch.setattr(fastest_runtime, "deviation", lambda _, other, __: Deviation(kl[other.precision], 0.001, 0.99))


def has(monkeypatch: pytest.MonkeyPatch, bf16: bool) -> None:
    for module in ("fastest_runtime", "precision"):
        monkeypatch.setattr(f"foible.nets.{module}.has_bf16", lambda: bf16)


AUTO = Runtimes(precision="auto", threads=1)
NO_BF16 = {"openvino f32": 100.0, "onnxruntime f32": 90.0, "openvino int8": 200.0, "onnxruntime int8": 300.0}


def test_auto_takes_int8_once_the_net_was_quantised_and_says_so_once(
    model: OnnxModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    has(monkeypatch, bf16=False)
    rated(monkeypatch, NO_BF16)
    costing(monkeypatch, int8=0.005)
    assert fastest_runtime.fastest(model, AUTO).name == "net (openvino f32)"
    assert not caplog.messages
    quantised(model)
    assert fastest_runtime.fastest(model, AUTO).name == "net (onnxruntime int8)"
    [line] = caplog.messages
    assert line.startswith("net runs in int8, 3.0 times as fast as f32 on this processor; policy KL 0.005 nats")
    monkeypatch.setattr(fastest_runtime, "rate", lambda _: pytest.fail("measured again"))
    monkeypatch.setattr(fastest_runtime, "deviation", lambda *_: pytest.fail("compared again"))
    assert fastest_runtime.fastest(model, AUTO).name == "net (onnxruntime int8)"
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    ("rates", "kl"), [(NO_BF16, 0.011), ({**NO_BF16, "openvino int8": 110.0, "onnxruntime int8": 110.0}, 0.0)]
)
def test_auto_stays_with_f32_where_another_costs_too_much_or_gains_too_little(
    model: OnnxModel, monkeypatch: pytest.MonkeyPatch, rates: dict[str, float], kl: float
) -> None:
    has(monkeypatch, bf16=False)
    rated(monkeypatch, rates)
    costing(monkeypatch, int8=kl)
    quantised(model)
    assert fastest_runtime.fastest(model, AUTO).name == "net (openvino f32)"


@pytest.mark.skipif(not has_bf16(), reason="this processor has no bf16 arithmetic")
@pytest.mark.parametrize(("kl", "chosen"), [(0.001, "bf16"), (0.5, "int8")])
def test_auto_takes_the_next_where_the_fastest_costs_too_much(
    model: OnnxModel, monkeypatch: pytest.MonkeyPatch, kl: float, chosen: str
) -> None:
    rated(monkeypatch, {**NO_BF16, "openvino bf16": 500.0})
    costing(monkeypatch, bf16=kl, int8=0.005)
    quantised(model)
    assert fastest_runtime.fastest(model, AUTO).name == f"net (openvino {chosen})"


def test_what_was_measured_with_another_processor_or_other_weights_is_not_taken_over(
    model: OnnxModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    has(monkeypatch, bf16=False)
    rated(monkeypatch, NO_BF16)
    costing(monkeypatch, int8=0.005)
    quantised(model)
    assert fastest_runtime.fastest(model, AUTO).precision == "int8"
    costing(monkeypatch, int8=0.5)
    assert fastest_runtime.fastest(model, AUTO).precision == "int8"
    other = model_from_lc0(parse_lc0(synthesise(Recipe(filters=32, squeeze=8, seed=5)).data), "other")
    quantised(other)
    assert fastest_runtime.fastest(other, AUTO).precision == "f32"
    monkeypatch.setattr(fastest_runtime, "processor", lambda: "another")
    assert fastest_runtime.fastest(model, AUTO).precision == "f32"


@pytest.mark.parametrize("runtime", ["auto", "openvino"])
def test_a_processor_without_bf16_runs_in_f32_and_says_so(
    model: OnnxModel,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    runtime: Literal["auto", "openvino"],
) -> None:
    has(monkeypatch, bf16=False)
    rated(monkeypatch, NO_BF16)
    assert fastest_runtime.fastest(model, Runtimes(runtime, "bf16", 1)).name == "net (openvino f32)"
    assert caplog.messages == ["net runs in f32 instead of bf16: this processor has no bf16 arithmetic"]


def test_int8_that_is_slower_runs_in_f32_and_says_so(
    model: OnnxModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rated(monkeypatch, {**NO_BF16, "openvino f32": 400.0})
    how = Runtimes("auto", "int8", 1)
    assert fastest_runtime.fastest(model, how).name == "net (openvino f32)"
    assert caplog.messages == ["net runs in f32 instead of int8: on this processor that is 1.3 times as fast"]
    assert fastest_runtime.fastest(model, replace(how, runtime="openvino")).name == "net (openvino int8)"


def test_a_net_that_takes_minutes_for_a_position_is_compared_like_others(
    model: OnnxModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    rated(monkeypatch, {way: speed / 10_000 for way, speed in NO_BF16.items()})
    assert fastest_runtime.fastest(model, Runtimes("auto", "int8", 1)).name == "net (onnxruntime int8)"


def test_int8_of_a_net_without_a_tower_runs_in_f32_and_says_so(
    model: OnnxModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rated(monkeypatch, NO_BF16)
    flat = model_from_lc0(parse_lc0(synthesise(Recipe(filters=32, squeeze=8, blocks=0)).data), "flat")
    assert fastest_runtime.fastest(flat, Runtimes("auto", "int8", 1)).name == "flat (openvino f32)"
    assert caplog.messages == ["flat runs in f32 instead of int8: int8 is for the residual towers of nets for chess"]


def test_each_way_is_opened_once(model: OnnxModel, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_net(model: OnnxModel, runtime: GraphRuntime, precision: Precision, threads: int) -> RuntimeNet:
        opened.append(f"{runtime} {precision}")
        return RuntimeNet(model, runtime, precision, threads)

    monkeypatch.setattr(fastest_runtime, "RuntimeNet", open_net)
    chosen = fastest_runtime.fastest(model, ONE)
    assert sorted(opened) == ["onnxruntime f32", "openvino f32"]
    opened.clear()
    fastest_runtime.fastest(model, ONE)
    assert opened == [f"{chosen.runtime} f32"]
