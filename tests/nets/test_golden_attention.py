"""Nets of every kind that lc0 reads, against what its own graph and input planes give for them."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foible._core import Batch, ChessPosition
from foible.errors import ConfigError, NetFileError
from foible.nets import describe_net, export_net, open_net
from foible.nets.chess_file import read_model
from foible.nets.choices import GraphRuntime
from foible.nets.evaluator import Evaluation
from foible.nets.lc0_heads import POLICIES, VALUES
from foible.nets.runtimes import RuntimeNet
from tests.nets.golden import lines
from tests.shared_data import ROOT, shared

FOLDER = "golden/lc0_modern"
NETS = sorted(path.name.removesuffix(".pb.gz") for path in (ROOT / FOLDER).glob("*.pb.gz")) or ["b1-attention-map"]
RUNTIMES: tuple[GraphRuntime, ...] = ("openvino", "onnxruntime")
SEVERAL = ("c1-multihead", "c3-multihead-as-6")


@cache
def rows(net: str) -> tuple[list[dict[str, Any]], Batch]:
    known = "e2-bfloat16" if net == "g1-onnx" else net
    found = [row for row in lines(f"{FOLDER}/lc0_modern.jsonl") if row["net"] == known]
    return found, Batch([ChessPosition(row.get("fen"), row.get("moves", [])) for row in found])


def file_of(net: str) -> Path:
    return shared(f"{FOLDER}/{net}.pb.gz")


def check_logits(evaluation: Evaluation, batch: Batch, expected: list[dict[str, float]]) -> None:
    for row, (moves, logits) in enumerate(zip(batch.moves(), expected, strict=True)):
        found = evaluation.logits[batch.offsets[row] : batch.offsets[row + 1]]
        np.testing.assert_allclose(found, [logits[move] for move in moves], atol=1e-3, err_msg=f"row {row}")


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("net", NETS)
def test_outputs_are_those_of_lc0(net: str, runtime: GraphRuntime) -> None:
    evaluator = RuntimeNet(read_model(file_of(net)), runtime, "f32", 1)
    found, batch = rows(net)
    evaluation = evaluator.evaluate(batch)
    check_logits(evaluation, batch, [row["logits"] for row in found])
    np.testing.assert_allclose(evaluation.q, [row["q"] for row in found], atol=1e-4)
    if "wdl" in found[0]:
        np.testing.assert_allclose(evaluation.wdl, [row["wdl"] for row in found], atol=1e-4)
    assert (evaluation.moves_left is not None) == ("moves_left" in found[0])
    if evaluation.moves_left is not None:
        np.testing.assert_allclose(evaluation.moves_left, [row["moves_left"] for row in found], atol=2e-3)


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("net", SEVERAL)
def test_every_head_is_had_by_its_name(net: str, runtime: GraphRuntime) -> None:
    path = file_of(net)
    found, batch = rows(net)
    for policy in found[0]["policy_heads"]:
        evaluation = open_net(f"{path}:{policy}", runtime=runtime, threads=1).evaluate(batch)
        check_logits(evaluation, batch, [row["policy_heads"][policy] for row in found])
        np.testing.assert_allclose(evaluation.wdl, [row["wdl"] for row in found], atol=1e-4)
    for value in found[0]["value_heads"]:
        evaluation = open_net(f"{path}:vanilla+{value}", runtime=runtime, threads=1).evaluate(batch)
        check_logits(evaluation, batch, [row["logits"] for row in found])
        np.testing.assert_allclose(evaluation.wdl, [row["value_heads"][value] for row in found], atol=1e-4)


def test_heads_that_are_not_there_are_refused_with_those_that_are() -> None:
    path = file_of("c1-multihead")
    with pytest.raises(NetFileError, match="has no policy head 'opponent'; it has vanilla, optimistic, soft"):
        open_net(f"{path}:opponent")
    with pytest.raises(NetFileError, match="has no value head 'q'; it has winner"):
        open_net(f"{file_of('b1-attention-map')}:q")
    with pytest.raises(ConfigError, match="expected at most one policy"):
        open_net(f"{path}:soft+vanilla")
    with pytest.raises(NetFileError, match="plays at none"):
        open_net(f"{path}:1300")
    with pytest.raises(ConfigError, match="an ONNX model has no heads to choose from"):
        open_net(f"{file_of('g1-onnx')}:soft")


def test_a_description_names_body_heads_activations_input_and_encodings() -> None:
    found = describe_net(f"{file_of('c1-multihead')}:optimistic")
    assert (found.encoders, found.width, found.attention_heads, found.smolgen) == (3, 32, 4, True)
    assert (found.embedding, found.policy, found.value, found.moves_left) == ("dense", "attention", "wdl", True)
    assert (found.policies, found.values) == (("vanilla", "optimistic", "soft"), ("winner", "q", "st"))
    assert found.heads == "optimistic+winner"
    assert set(found.policies or ()) <= POLICIES.keys()
    assert set(found.values or ()) <= VALUES.keys()
    assert (found.activation, found.smolgen_activation) == ("mish", "swish")
    assert (found.input, found.encoding) == ("lc0", "LINEAR16")
    assert found.name == "c1-multihead:optimistic+winner"
    assert describe_net(str(file_of("d5-canonical-v2"))).input == "lc0-canonical-v2"
    assert describe_net(str(file_of("e4-mixed"))).encoding == "BFLOAT16+FLOAT16+FLOAT32+LINEAR16"
    assert describe_net(str(file_of("g1-onnx"))).format == "onnx"


@pytest.mark.parametrize("net", ["b2-attention-old-format", "c2-multihead-legacy-number", "d3-canonical", "g1-onnx"])
def test_an_exported_model_takes_the_same_planes(net: str, tmp_path: Path) -> None:
    export_net(str(file_of(net)), tmp_path / "net.onnx")
    one, other = (
        open_net(str(path), runtime="onnxruntime", threads=1).evaluate(rows(net)[1])
        for path in (file_of(net), tmp_path / "net.onnx")
    )
    np.testing.assert_array_equal(one.logits, other.logits)
    np.testing.assert_array_equal(one.wdl, other.wdl)


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize(
    "net", ["a2-residual-policy-encoders", "b1-attention-map", "c1-multihead", "a1-se-attention-policy"]
)
def test_positions_are_judged_the_same_alone_and_in_any_batch(net: str, runtime: GraphRuntime) -> None:
    evaluator = RuntimeNet(read_model(file_of(net)), runtime, "f32", 2)
    planes = rows(net)[1].planes()
    together = evaluator.evaluate_planes(planes)
    for size in (1, 2, 3, 7, 16, 33):
        for start in range(0, len(planes) - size + 1, size):
            part = evaluator.evaluate_planes(planes[start : start + size])
            np.testing.assert_array_equal(part.policy, together.policy[start : start + size])
            np.testing.assert_array_equal(part.wdl, together.wdl[start : start + size])
