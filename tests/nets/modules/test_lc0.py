"""Weights files to torch and back."""

import gzip
from pathlib import Path

import numpy as np
import pytest
import torch

from foible.errors import NetFileError
from foible.nets.lc0_file import parse_lc0, read_lc0
from foible.nets.lc0_write import FileEncoding, serialise_lc0
from foible.nets.modules import SeResNet, load_net, save_net
from foible.nets.modules.lc0 import from_lc0, to_lc0
from foible.nets.protobuf_wire import read_message
from tests.nets.golden import golden_planes, golden_policies
from tests.nets.modules.nets import random_net
from tests.nets.synthetic import Recipe, assemble, network_format, payload, random_planes, synthesise
from tests.shared_data import ROOT, shared


def weights_of(data: bytes) -> bytes:
    """The bytes of all weights as they lie in a file."""
    return bytes(read_message(memoryview(data), "net").bytes(10))


def test_real_nets_come_back_byte_by_byte() -> None:
    for path in sorted((ROOT / "nets").glob("*.pb.gz")) or [shared("nets/maia-1100.pb.gz")]:
        data = gzip.decompress(path.read_bytes())
        module = from_lc0(parse_lc0(data, folded=False))
        assert weights_of(serialise_lc0(to_lc0(module))) == weights_of(data)


@pytest.mark.parametrize("encoding", ["LINEAR16", "FLOAT16", "BFLOAT16", "FLOAT32"])
@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(batch_norm="full", moves_left=True),
        Recipe(policy="classical", wdl=False, squeeze=0, mish=True),
        Recipe(batch_norm="full", blocks=0, policy="classical"),
    ],
    ids=["batch norm", "folded", "no blocks"],
)
def test_every_encoding_comes_back_byte_by_byte(recipe: Recipe, encoding: FileEncoding) -> None:
    first = serialise_lc0(parse_lc0(synthesise(recipe).data, folded=False), encoding=encoding)
    module = from_lc0(parse_lc0(first, folded=False))
    assert serialise_lc0(to_lc0(module, training_steps=1234), encoding=encoding) == first


@pytest.mark.parametrize("name", ["maia-1100", "maia-1500", "maia-1900"])
def test_outputs_equal_the_reference_engine(name: str) -> None:
    records = [record for record in golden_policies() if record["net"] == name]
    net = load_net(shared(f"nets/{name}.pb.gz"))
    planes = torch.from_numpy(np.stack([golden_planes()[record["id"]] for record in records]))
    with torch.no_grad():
        outputs = net.eval()(planes)
    wdl = outputs.wdl.softmax(1).numpy()
    assert len(records) == 240
    for record, policy, (win, _, loss) in zip(records, outputs.policy.numpy(), wdl, strict=True):
        found = policy[[record["policy_index"][move] for move in record["logits"]]]
        np.testing.assert_allclose(found, list(record["logits"].values()), atol=1e-3)
        assert win - loss == pytest.approx(record["q_exact"], abs=1e-4)


def test_a_random_net_keeps_its_outputs_through_a_file(tmp_path: Path) -> None:
    config = SeResNet(blocks=2, filters=16, squeeze=4, moves_left=True, activation="mish")
    net = random_net(config)
    save_net(net, tmp_path / "net.pb.gz", encoding="FLOAT32", training_steps=7)
    back = load_net(tmp_path / "net.pb.gz")
    assert back.config == config
    assert read_lc0(tmp_path / "net.pb.gz").training_steps == 7
    for name, values in net.state_dict().items():
        torch.testing.assert_close(back.state_dict()[name], values, rtol=0, atol=0)


def test_batch_norm_goes_on_being_trained() -> None:
    net = from_lc0(parse_lc0(synthesise(Recipe(batch_norm="full")).data, folded=False)).train()
    before = net.state_dict()["input.norm.running_mean"].clone()
    net(torch.from_numpy(random_planes(8)))
    assert not torch.equal(net.state_dict()["input.norm.running_mean"], before)


def test_blocks_that_differ_are_refused() -> None:
    some, others = synthesise(Recipe(squeeze=4, blocks=1)), synthesise(Recipe(squeeze=2, blocks=1))
    blocks = read_message(memoryview(others.weights), "weights").fields[2]
    data = assemble(some.weights + payload(2, bytes(blocks[0])), network_format(some.recipe))
    with pytest.raises(NetFileError, match="squeeze-excite layers of width 2 and 4; expected all alike"):
        from_lc0(parse_lc0(data))
