"""Real nets against what the reference engine computes with them (240 positions × 3 nets)."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from foible.nets.chess_file import read_model
from foible.nets.choices import GraphRuntime, Precision
from foible.nets.graph_workers import has_bf16
from foible.nets.runtimes import RuntimeNet
from tests.nets.golden import golden_planes, golden_policies
from tests.shared_data import ROOT, shared

NETS = ["maia-1100", "maia-1500", "maia-1900"]


def deviations(name: str, runtime: GraphRuntime, precision: Precision) -> dict[str, float]:
    """Largest deviation of logits, policy, q and d, and the share of positions with the same best move."""
    records = [record for record in golden_policies() if record["net"] == name]
    net = RuntimeNet(read_model(shared(f"nets/{name}.pb.gz")), runtime, precision, 2)
    outputs = net.evaluate_planes(np.stack([golden_planes()[record["id"]] for record in records]))
    worst = {"logits": 0.0, "policy": 0.0, "q": 0.0, "d": 0.0}
    same = 0
    for record, policy, wdl in zip(records, outputs.policy, outputs.wdl, strict=True):
        expected, found = logits(record, policy)
        same += int(expected.argmax() == found.argmax())
        differences = {
            "logits": np.abs(expected - found).max(),
            "policy": np.abs(softmax(expected) - softmax(found)).max(),
            "q": abs(wdl[0] - wdl[2] - record["q_exact"]),
            "d": abs(wdl[1] - record["d_exact"]),
        }
        worst = {key: max(worst[key], float(differences[key])) for key in worst}
    assert len(records) == 240
    return {**worst, "same best move": same / len(records)}


def logits(record: dict[str, Any], policy: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    moves = list(record["logits"])
    found = policy[[record["policy_index"][move] for move in moves]].astype(np.float64)
    return np.array([record["logits"][move] for move in moves]), found


def softmax(x: NDArray[np.float64]) -> NDArray[np.float64]:
    e = np.exp(x - x.max())
    return np.asarray(e / e.sum())


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
@pytest.mark.parametrize("name", NETS)
def test_outputs_equal_the_reference_engine_in_f32(name: str, runtime: GraphRuntime) -> None:
    worst = deviations(name, runtime, "f32")
    assert worst["logits"] <= 1e-3
    assert worst["policy"] <= 1e-4
    assert worst["q"] <= 1e-3
    assert worst["d"] <= 1e-3
    assert worst["same best move"] == 1


def test_bf16_keeps_the_best_move_in_99_of_100_positions(capsys: pytest.CaptureFixture[str]) -> None:
    if not has_bf16():
        pytest.skip("this processor has no bf16 arithmetic")
    worst = {name: deviations(name, "openvino", "bf16") for name in NETS}
    with capsys.disabled():
        for name, found in worst.items():
            print(f"\n  {name} bf16: " + ", ".join(f"{key} {value:.4f}" for key, value in found.items()), end="")
    assert np.mean([found["same best move"] for found in worst.values()]) >= 0.99
    assert max(found["policy"] for found in worst.values()) <= 0.05


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_every_real_net_loads_and_runs(runtime: GraphRuntime) -> None:
    paths = sorted((ROOT / "nets").glob("*.pb.gz")) or [shared("nets/maia-1100.pb.gz")]
    planes = np.stack(list(golden_planes().values())[:3])
    for path in paths:
        check_plausible(path, runtime, planes)


def check_plausible(path: Path, runtime: GraphRuntime, planes: NDArray[np.float32]) -> None:
    outputs = RuntimeNet(read_model(path), runtime, "f32", 1).evaluate_planes(planes)
    assert np.isfinite(outputs.policy).all()
    assert outputs.policy.std(axis=1).min() > 1
    np.testing.assert_allclose(outputs.wdl.sum(axis=1), 1, atol=1e-5)
    assert outputs.wdl.min() >= 0
    assert np.ptp(outputs.wdl[:, 0]) > 0


def test_a_value_without_draws_becomes_wins_and_losses_only() -> None:
    model = read_model(shared("nets/meangirl-8.pb.gz"))
    planes = np.stack(list(golden_planes().values())[:3])
    assert (RuntimeNet(model, "openvino", "f32", 1).evaluate_planes(planes).wdl[:, 1] == 0).all()


@pytest.mark.parametrize(("runtime", "precision"), [("openvino", "f32"), ("openvino", "bf16"), ("onnxruntime", "f32")])
@pytest.mark.parametrize("name", ["maia-1900", "meangirl-8"])
def test_real_nets_answer_bit_by_bit_the_same_alone_and_in_any_batch(
    name: str, runtime: GraphRuntime, precision: Precision
) -> None:
    if precision == "bf16" and not has_bf16():
        pytest.skip("this processor has no bf16 arithmetic")
    net = RuntimeNet(read_model(shared(f"nets/{name}.pb.gz")), runtime, precision, 2)
    planes = np.stack(list(golden_planes().values())[:128])
    together = net.evaluate_planes(planes)
    for size in (1, 2, 3, 7, 16, 33, 64, 65, 127):
        for start in range(0, 128 - size + 1, size):
            part = net.evaluate_planes(planes[start : start + size])
            np.testing.assert_array_equal(part.policy, together.policy[start : start + size])
            np.testing.assert_array_equal(part.wdl, together.wdl[start : start + size])
