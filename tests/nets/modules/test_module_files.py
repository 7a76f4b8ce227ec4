import gzip
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from foible._core import Batch
from foible.errors import ConfigError, NetFileError
from foible.games.chess import random_positions
from foible.nets.catalogue import describe_net, open_net
from foible.nets.chess_file import embedded_onnx, read_model
from foible.nets.choices import GraphRuntime, Runtime
from foible.nets.encoding import Encoding
from foible.nets.lc0_file import parse_lc0, read_lc0
from foible.nets.lc0_write import FileEncoding, serialise_lc0
from foible.nets.modules import NetConfig, Rise, SeResNet, load_net, save_net
from foible.nets.modules.module_files import from_lc0, to_lc0, to_model
from foible.nets.modules.net import Net
from foible.nets.protobuf_wire import read_message
from foible.nets.runtimes import RuntimeNet
from tests.nets.attention_nets import AttentionRecipe, attention_net
from tests.nets.golden import golden_planes, golden_policies
from tests.nets.modules.nets import ECA_RISE, SMALL_RISE, random_net
from tests.nets.synthetic import Recipe, assemble, network_format, number, payload, random_planes, synthesise
from tests.nets.test_runtimes import SIZES, rows_equal
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


SE_RESNET = SeResNet(blocks=1, filters=16, squeeze=4, moves_left=True)
BATCH = Batch(random_positions(7))


def expected(net: Net) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    with torch.no_grad():
        policy, wdl, plies = net(torch.from_numpy(BATCH.planes(net.encoding)))
    assert plies is not None
    return BATCH.legal(policy.numpy(), net.encoding), wdl.softmax(1).numpy(), plies.numpy() * net.plies_unit


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
@pytest.mark.parametrize(
    ("config", "encoding", "name"),
    [
        (SE_RESNET, "lc0", "net.onnx"),
        (SE_RESNET, "lc0", "net.pb"),
        (SMALL_RISE, "lc0", "net.onnx"),
        (SMALL_RISE, "lc0", "net.pb.gz"),
        (SMALL_RISE, "crazyara", "net.onnx"),
        (ECA_RISE, "crazyara", "net.onnx"),
    ],
)
def test_runtimes_compute_what_the_module_computes(
    tmp_path: Path, config: NetConfig, encoding: Encoding, name: str, runtime: GraphRuntime
) -> None:
    net = random_net(config, encoding)
    save_net(net, tmp_path / name, encoding="FLOAT32")
    found = open_net(str(tmp_path / name), runtime=runtime, threads=1).evaluate(BATCH)
    logits, wdl, plies = expected(net)
    assert logits.std() > 0.01
    np.testing.assert_allclose(found.logits, logits, atol=1e-4 * np.abs(logits).max())
    np.testing.assert_allclose(found.wdl, wdl, atol=1e-5)
    assert found.moves_left is not None
    np.testing.assert_allclose(found.moves_left, plies, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("encoding", "name"), [("lc0", "net.onnx"), ("lc0", "net.pb.gz"), ("crazyara", "net.onnx")])
@pytest.mark.parametrize("config", [SMALL_RISE, ECA_RISE], ids=["dense", "eca"])
def test_a_rise_net_comes_back_bit_by_bit(tmp_path: Path, config: Rise, encoding: Encoding, name: str) -> None:
    net = random_net(config, encoding)
    save_net(net, tmp_path / name)
    back = load_net(tmp_path / name)
    assert (back.config, back.encoding) == (config, encoding)
    for key, values in net.state_dict().items():
        assert torch.equal(back.state_dict()[key], values), key


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
@pytest.mark.parametrize("config", [SMALL_RISE, ECA_RISE], ids=["dense", "eca"])
def test_a_position_gets_the_same_bits_whatever_batch_it_comes_in(
    tmp_path: Path, config: Rise, runtime: GraphRuntime
) -> None:
    net = random_net(config, "crazyara")
    save_net(net, tmp_path / "net.onnx")
    model = read_model(tmp_path / "net.onnx")
    planes = np.random.default_rng(0).random((130, 52, 8, 8), np.float32)
    together = RuntimeNet(model, runtime, "f32", 2).evaluate_planes(planes)
    one_thread = RuntimeNet(model, runtime, "f32", 1)
    for size in SIZES:
        rows = slice(130 - size, 130)
        assert rows_equal(one_thread.evaluate_planes(planes[rows]), together, rows), size


def test_the_model_inside_an_lc0_file_answers_what_lc0_asks_for(tmp_path: Path) -> None:
    """Probabilities, and the moves left as `[N, 1]`: lc0 hands in outputs of these shapes."""
    net = random_net(SMALL_RISE)
    save_net(net, tmp_path / "net.pb")
    model = embedded_onnx((tmp_path / "net.pb").read_bytes())
    assert model is not None
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    policy, wdl, plies = session.run(["policy", "wdl", "mlh"], {"planes": BATCH.planes()})
    assert (policy.shape, wdl.shape, plies.shape) == ((7, 1858), (7, 3), (7, 1))
    np.testing.assert_allclose(wdl, expected(net)[1], atol=1e-5)
    np.testing.assert_allclose(plies[:, 0], expected(net)[2], atol=1e-3)


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    save_net(random_net(SMALL_RISE), tmp_path / "mine.pb.gz")
    found = describe_net(str(tmp_path / "mine.pb.gz"))
    assert (found.name, found.format, found.value, found.moves_left) == ("mine", "onnx", "wdl", True)


@pytest.mark.parametrize("runtime", ["openvino", "torch"])
def test_a_model_in_onnx_plays_at_no_rating(tmp_path: Path, runtime: Runtime) -> None:
    save_net(random_net(SMALL_RISE), tmp_path / "net.pb.gz")
    with pytest.raises(ConfigError, match=r"net\.pb\.gz: an ONNX model plays at no rating of choice"):
        open_net(f"{tmp_path / 'net.pb.gz'}:1200", runtime=runtime, threads=1)


@pytest.mark.parametrize("name", ["net.pb.gz", "net.pb"])
def test_crazyara_planes_do_not_go_into_lc0_s_files(tmp_path: Path, name: str) -> None:
    net = random_net(ECA_RISE, "crazyara")
    with pytest.raises(ConfigError, match=r"lc0's files hold nets with lc0's planes; crazyara nets go into \.onnx"):
        save_net(net, tmp_path / name)
    with pytest.raises(ConfigError, match=r"nets are written as \.pb\.gz, \.pb or \.onnx"):
        save_net(net, tmp_path / "net.pt")
    assert not list(tmp_path.iterdir())


def test_models_that_cannot_be_trained_are_refused_in_one_line(tmp_path: Path) -> None:
    save_net(random_net(SE_RESNET), tmp_path / "folded.onnx")
    with pytest.raises(NetFileError, match=r"folded\.onnx: an ONNX model that foible did not make for training"):
        load_net(tmp_path / "folded.onnx")
    model = to_model(random_net(SMALL_RISE))
    onnx.helper.set_model_props(model, {"foible": '{"net": {"kind": "rise", "blocks": 200}, "encoding": "lc0"}'})
    (tmp_path / "huge.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(NetFileError, match=r"huge\.onnx: weights stem\.0\.weight: .*, expected \(256, 112, 3, 3\)"):
        load_net(tmp_path / "huge.onnx")
    for description in ('{"net": 3}', '{"net": {"kind": "rise", "blocks": 1, "attended": [5]}, "encoding": "lc0"}'):
        onnx.helper.set_model_props(model, {"foible": description})
        (tmp_path / "damaged.onnx").write_bytes(model.SerializeToString())
        with pytest.raises(NetFileError, match=r"damaged\.onnx: its description is damaged: "):
            load_net(tmp_path / "damaged.onnx")


@pytest.mark.parametrize("config", [SE_RESNET, SMALL_RISE], ids=["se-resnet", "rise"])
def test_a_net_that_diverged_is_not_written(tmp_path: Path, config: NetConfig) -> None:
    net = random_net(config)
    with torch.no_grad():
        next(net.parameters())[0] = torch.nan
    with pytest.raises(ConfigError, match=r"net\.pb\.gz: the net has weights that are not finite numbers"):
        save_net(net, tmp_path / "net.pb.gz")
    assert not list(tmp_path.iterdir())


def test_nets_that_torch_has_no_layers_for_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "attention.pb"
    path.write_bytes(attention_net(AttentionRecipe()))
    with pytest.raises(NetFileError, match="has attention or several heads; torch has residual nets"):
        load_net(path)
    data = synthesise(Recipe()).data
    path.write_bytes(data.replace(network_format(Recipe()), number(1, 3) + network_format(Recipe())[2:], 1))
    with pytest.raises(NetFileError, match="takes the input lc0-canonical; nets are trained with lc0's classical"):
        load_net(path)
