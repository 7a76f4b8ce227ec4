"""The torch runtime, on the processor and, where there is one, on a CUDA device."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

from foible._core import Batch, GoPosition
from foible.errors import ConfigError, EvaluationError, NetFileError
from foible.games.chess import random_positions
from foible.nets.catalogue import open_net
from foible.nets.choices import Precision
from foible.nets.encoding import Encoding
from foible.nets.evaluator import Evaluation, Evaluator, least_beside
from foible.nets.fastest_runtime import cuda_at_hand
from foible.nets.modules import NetConfig, SeResNet, save_net
from foible.nets.runtimes import InRuntime
from foible.nets.torch_net import Device, TorchNet
from tests.nets.modules.nets import SMALL_RISE, random_net
from tests.shared_data import shared

SE_RESNET = SeResNet(blocks=2, filters=16, squeeze=4)
DEVICES: list[Device] = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
BATCH = Batch(random_positions(70))
ROWS = [[0], [69], [5, 3, 5], list(range(31, 64)), list(range(69, -1, -1))]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def rows_of(evaluation: Evaluation, rows: list[int]) -> list[np.ndarray]:
    starts = BATCH.offsets
    parts = [np.concatenate([evaluation.logits[starts[row] : starts[row + 1]] for row in rows]), evaluation.wdl[rows]]
    return parts if evaluation.moves_left is None else [*parts, evaluation.moves_left[rows]]


def all_of(evaluation: Evaluation) -> list[np.ndarray]:
    parts = [evaluation.logits, evaluation.wdl]
    return parts if evaluation.moves_left is None else [*parts, evaluation.moves_left]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("config", "encoding"), [(SE_RESNET, "lc0"), (SMALL_RISE, "lc0"), (SMALL_RISE, "crazyara")])
def test_it_answers_what_the_module_computes(config: NetConfig, encoding: Encoding, device: Device) -> None:
    net = random_net(config, encoding)
    with torch.no_grad():
        policy, wdl, plies = net(torch.from_numpy(BATCH.planes(encoding)))
    found = TorchNet(net, "net", "f32", device=device).evaluate(BATCH)
    np.testing.assert_allclose(found.logits, BATCH.legal(policy.numpy(), encoding), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(found.wdl, wdl.softmax(1), atol=1e-4)
    assert (found.moves_left is None) == (plies is None)
    if found.moves_left is not None and plies is not None:
        np.testing.assert_allclose(found.moves_left, 100 * plies, atol=1e-2)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("precision", ["f32", "bf16"])
@pytest.mark.parametrize("config", [SE_RESNET, SMALL_RISE], ids=["se-resnet", "rise"])
def test_a_position_gets_the_same_bits_whatever_batch_it_comes_in(
    config: NetConfig, precision: Precision, device: Device
) -> None:
    net = TorchNet(random_net(config), "net", precision, device=device)
    together = net.evaluate(BATCH)
    for rows in ROWS:
        for one, other in zip(all_of(net.evaluate(BATCH.select(rows))), rows_of(together, rows), strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_real_net_answers_bit_by_bit_the_same_alone_and_in_any_batch() -> None:
    net = open_net(str(shared("nets/maia-1900.pb.gz")), runtime="torch", threads=1)
    together = net.evaluate(BATCH)
    for rows in ROWS:
        for one, other in zip(all_of(net.evaluate(BATCH.select(rows))), rows_of(together, rows), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("device", DEVICES)
def test_overlapping_calls_answer_each_its_own_question(device: Device) -> None:
    net = TorchNet(random_net(SE_RESNET), "net", "f32", device=device)
    together = net.evaluate(BATCH)
    parts = [[start, start + 1, (start * 7) % 70] for start in range(0, 60, 5)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda rows: net.evaluate(BATCH.select(rows)), parts))
    for rows, answer in zip(parts, answers, strict=True):
        for one, other in zip(all_of(answer), rows_of(together, rows), strict=True):
            np.testing.assert_array_equal(one, other)


def test_bf16_is_near(tmp_path: Path) -> None:
    save_net(random_net(SE_RESNET), tmp_path / "net.pb.gz")
    exact, rounded = (
        open_net(str(tmp_path / "net.pb.gz"), runtime="torch", precision=precision, threads=1).evaluate(BATCH)
        for precision in ("f32", "bf16")
    )
    assert 0 < np.abs(exact.logits - rounded.logits).max() < 0.05 * np.abs(exact.logits).max()
    assert np.abs(exact.wdl - rounded.wdl).max() < 0.05


def test_it_is_an_evaluator_and_says_what_it_is(tmp_path: Path) -> None:
    save_net(random_net(SE_RESNET), tmp_path / "some.pb.gz")
    net = open_net(str(tmp_path / "some.pb.gz"), runtime="torch", threads=1)
    assert isinstance(net, Evaluator)
    assert isinstance(net, InRuntime)
    assert net.runtime == "torch"
    assert net.name == f"some (torch {'cuda' if torch.cuda.is_available() else 'cpu'} f32)"
    assert net.batch_size >= least_beside(net) >= 32


def test_a_rating_is_folded_in(tmp_path: Path) -> None:
    save_net(random_net(SE_RESNET), tmp_path / "some.pb.gz")
    for rating in (1000, 1500):
        name = f"{tmp_path / 'some.pb.gz'}:{rating}"
        found = open_net(name, runtime="torch", threads=1).evaluate(BATCH)
        expected = open_net(name, runtime="openvino", threads=1).evaluate(BATCH)
        np.testing.assert_allclose(found.logits, expected.logits, atol=1e-3)


def test_mistakes_are_told_in_one_line(tmp_path: Path) -> None:
    net = TorchNet(random_net(SE_RESNET), "some", "f32", device="cpu", chunk=1)
    with pytest.raises(ConfigError, match="some is a net for chess; expected one for Go on a 7×7 board"):
        net.evaluate(Batch([GoPosition(7)]))
    with pytest.raises(ConfigError, match="chunk = 0: expected a whole number from 1 on"):
        TorchNet(random_net(SE_RESNET), "some", "f32", chunk=0)
    broken = random_net(SE_RESNET)
    with torch.no_grad():
        next(broken.parameters())[0] = torch.nan
    with pytest.raises(EvaluationError, match=r"some \(torch cpu f32\) answers with numbers that are not finite"):
        TorchNet(broken, "some", "f32", device="cpu").evaluate(BATCH)
    save_net(random_net(SE_RESNET), tmp_path / "folded.onnx")
    with pytest.raises(NetFileError, match="did not make for training"):
        open_net(str(tmp_path / "folded.onnx"), runtime="torch", threads=1)


def test_the_driver_is_asked_for_cuda_without_torch() -> None:
    assert cuda_at_hand() == torch.cuda.is_available()
