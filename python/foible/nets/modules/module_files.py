"""Torch nets in files: lc0's weights where it has such layers, else ONNX, by itself or inside an lc0 file."""

import gzip
from pathlib import Path

import msgspec
import onnx
import torch
from onnx import numpy_helper

from foible.errors import ConfigError, NetFileError
from foible.nets.chess_file import embed_onnx, read_chess_net
from foible.nets.encoding import Encoding
from foible.nets.lc0_attention_net import AttentionNet
from foible.nets.lc0_file import naming
from foible.nets.lc0_net import Floats, Lc0Net
from foible.nets.lc0_onnx import to_onnx
from foible.nets.lc0_write import FileEncoding, write_lc0
from foible.nets.modules.config import Rise
from foible.nets.modules.lc0 import from_lc0, to_lc0
from foible.nets.modules.net import Net
from foible.nets.modules.rise import RiseNet
from foible.nets.modules.rise_onnx import rise_to_onnx
from foible.nets.modules.se_resnet import SeResNetNet
from foible.nets.onnx_file import check_onnx
from foible.nets.ratings import Ratings
from foible.runs.files import write_atomically

METADATA = "foible"
"""The key under which a model says what it is."""


class _Made(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is needed to build the module of a model again."""

    net: Rise
    encoding: Encoding


def save(net: Net, path: Path, *, training_steps: int, encoding: FileEncoding, licence: str) -> None:
    """As `foible.nets.modules.save_net`."""
    if not all(values.isfinite().all() for values in net.state_dict().values()):
        raise ConfigError(f"{path}: the net has weights that are not finite numbers; it is not written")
    if path.name.endswith(".onnx"):
        write_atomically(path, to_model(net).SerializeToString())
    elif not path.name.endswith((".pb.gz", ".pb")):
        raise ConfigError(f"{path}: nets are written as .pb.gz, .pb or .onnx")
    elif isinstance(net, SeResNetNet):
        write_lc0(to_lc0(net, training_steps=training_steps), path, encoding=encoding, licence=licence)
    elif net.encoding == "lc0":
        data = embed_onnx(to_model(net).SerializeToString(), training_steps=training_steps, licence=licence)
        write_atomically(path, data if path.suffix == ".pb" else gzip.compress(data, mtime=0))
    else:
        raise ConfigError(f"{path}: lc0's files hold nets with lc0's planes; {net.encoding} nets go into .onnx")


def to_model(net: Net) -> onnx.ModelProto:
    """The net as an ONNX graph, with the names of `foible.nets.onnx_file`."""
    if isinstance(net, SeResNetNet):
        return to_onnx(to_lc0(net))
    assert isinstance(net, RiseNet)
    state = {name: values.detach().cpu().numpy() for name, values in net.state_dict().items()}
    made = msgspec.json.encode(_Made(net.config, net.encoding)).decode()
    return rise_to_onnx(net.config, net.encoding, state, {METADATA: made}, net.plies_unit)


def load(path: Path, ratings: Ratings | None = None) -> Net:
    """As `foible.nets.modules.load_net`. `ratings`: of the players as whom a net that knows ratings is to play.

    :raises ConfigError: a model in ONNX is asked for at a rating.
    """
    with naming(path):
        net = read_chess_net(path, ratings, folded=False)
        if isinstance(net, AttentionNet):
            raise NetFileError("has attention or several heads; torch has residual nets with one head of each kind")
        return from_lc0(net) if isinstance(net, Lc0Net) else _from_onnx(net)


def _from_onnx(data: bytes) -> RiseNet:
    check_onnx(data, "net")
    model = onnx.load_from_string(data)
    properties = {entry.key: entry.value for entry in model.metadata_props}
    if METADATA not in properties:
        raise NetFileError("an ONNX model that foible did not make for training; expected one that it did, or .pb.gz")
    try:
        made = msgspec.json.decode(properties[METADATA], type=_Made)
    except msgspec.MsgspecError as error:
        raise NetFileError(f"its description is damaged: {error}") from None
    with torch.device("meta"):
        wanted = {name: tuple(values.shape) for name, values in RiseNet(made.net, made.encoding).state_dict().items()}
    state = _initializers(model)
    for name, shape in wanted.items():
        if not name.endswith("num_batches_tracked") and (name not in state or state[name].shape != shape):
            found = "missing" if name not in state else f"{state[name].shape}"
            raise NetFileError(f"weights {name}: {found}, expected {shape}")
    net = RiseNet(made.net, made.encoding)
    loaded = {name: torch.from_numpy(state[name].copy()) for name in wanted if name in state}
    net.load_state_dict({**net.state_dict(), **loaded})
    return net


def _initializers(model: onnx.ModelProto) -> dict[str, Floats]:
    floats = [tensor for tensor in model.graph.initializer if tensor.data_type == onnx.TensorProto.FLOAT]
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in floats}
