"""Torch nets in files, read and written without losing a bit of any weight: as an lc0 weights file if lc0 has such
layers, otherwise as ONNX, by itself or inside an lc0 file.
"""

import gzip
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import onnx
import torch
from onnx import numpy_helper

from foible.errors import ConfigError, NetFileError
from foible.nets.chess_file import embed_onnx, read_chess_net
from foible.nets.choices import Ratings
from foible.nets.encoding import Encoding
from foible.nets.file_reading import naming
from foible.nets.lc0_file import AttentionNet
from foible.nets.lc0_net import (
    BatchNorm,
    Block,
    ClassicalPolicy,
    Conv,
    ConvolutionalPolicy,
    Dense,
    Floats,
    Head,
    Lc0Net,
    SqueezeExcite,
    fold_net,
)
from foible.nets.lc0_onnx import to_onnx
from foible.nets.lc0_write import FileEncoding, write_lc0
from foible.nets.modules.config import Rise, SeResNet
from foible.nets.modules.net import RULE50_PLANE, RULE50_SCALE, Net
from foible.nets.modules.rise import RiseNet, rise_to_onnx
from foible.nets.modules.se_resnet import SeResNetNet
from foible.nets.onnx_file import check_onnx
from foible.runs.files import write_atomically

State = Mapping[str, Floats]
"""A module's parameters and running statistics, by name."""

_NORM = ("running_mean", "running_var", "weight", "bias")


def from_lc0(net: Lc0Net) -> SeResNetNet:
    """Make a module of a net read from a file. If the file keeps batch norm apart, so does the module, and it can be
    trained further.

    :raises NetFileError: the net's blocks are not all alike, or its input planes are not lc0's classical ones.
    """
    if net.planes != "lc0":
        raise NetFileError(f"takes the input {net.planes}; nets are trained with lc0's classical planes")
    config = _config(net)
    module = SeResNetNet(config, "lc0")
    state = _state(net if config.batch_norm else fold_net(net))
    loaded = {name: torch.from_numpy(np.array(values)) for name, values in state.items()}
    module.load_state_dict({**module.state_dict(), **loaded})
    return module


def to_lc0(module: SeResNetNet, *, training_steps: int = 0) -> Lc0Net:
    """The weights of a module as plain arrays, ready to be written to a file; batch norm is not folded in."""
    config = module.config
    state = {name: values.detach().cpu().float().numpy() for name, values in module.state_dict().items()}
    state["input.conv.weight"] = _scaled(state["input.conv.weight"], RULE50_SCALE)
    return Lc0Net(
        input=_conv(state, "input"),
        blocks=tuple(_block(state, f"blocks.{number}") for number in range(config.blocks)),
        policy=(
            ConvolutionalPolicy(_conv(state, "policy.hidden"), _conv(state, "policy.planes"))
            if config.policy == "convolution"
            else ClassicalPolicy(_conv(state, "policy.hidden"), _dense(state, "policy.dense"))
        ),
        value=_head(state, "value"),
        moves_left=_head(state, "moves_left") if config.moves_left else None,
        activation=config.activation,
        encoding="FLOAT32",
        training_steps=training_steps,
    )


def _config(net: Lc0Net) -> SeResNet:
    squeezes = {len(block.se.squeeze.biases) if block.se else 0 for block in net.blocks}
    if len(squeezes) > 1:
        widths = " and ".join(map(str, sorted(squeezes)))
        raise NetFileError(f"its blocks have squeeze-excite layers of width {widths}; expected all alike")
    fields = {}
    if isinstance(net.policy, ClassicalPolicy):
        fields["policy_filters"] = len(net.policy.conv.biases)
    if net.moves_left is not None:
        fields["moves_left_filters"] = len(net.moves_left.conv.biases)
        fields["moves_left_hidden"] = len(net.moves_left.hidden.biases)
    return SeResNet(
        blocks=len(net.blocks),
        filters=net.filters,
        squeeze=max(squeezes, default=0),
        policy="classical" if isinstance(net.policy, ClassicalPolicy) else "convolution",
        value="wdl" if net.wdl else "classical",
        value_filters=len(net.value.conv.biases),
        value_hidden=len(net.value.hidden.biases),
        moves_left=net.moves_left is not None,
        activation=net.activation,
        batch_norm=all(conv.norm for conv in _normed(net)),
        **fields,
    )


def _normed(net: Lc0Net) -> list[Conv]:
    """The convolutions that batch norm follows in training: all except the last one of a convolutional policy."""
    convs = [net.input, net.value.conv, *(conv for block in net.blocks for conv in (block.conv1, block.conv2))]
    convs.append(net.policy.conv if isinstance(net.policy, ClassicalPolicy) else net.policy.hidden)
    return convs + ([net.moves_left.conv] if net.moves_left else [])


def _state(net: Lc0Net) -> dict[str, Floats]:
    state = _conv_state("input", net.input)
    state["input.conv.weight"] = _scaled(net.input.weights, 1 / RULE50_SCALE)
    for number, block in enumerate(net.blocks):
        state |= _conv_state(f"blocks.{number}.conv1", block.conv1)
        state |= _conv_state(f"blocks.{number}.conv2", block.conv2)
        if block.se is not None:
            state |= _dense_state(f"blocks.{number}.se.squeeze", block.se.squeeze)
            state |= _dense_state(f"blocks.{number}.se.excite", block.se.excite)
    if isinstance(net.policy, ClassicalPolicy):
        state |= _conv_state("policy.hidden", net.policy.conv) | _dense_state("policy.dense", net.policy.dense)
    else:
        state |= _conv_state("policy.hidden", net.policy.hidden) | _conv_state("policy.planes", net.policy.planes)
    state |= _head_state("value", net.value)
    return state | (_head_state("moves_left", net.moves_left) if net.moves_left else {})


def _head_state(name: str, head: Head) -> dict[str, Floats]:
    dense = _dense_state(f"{name}.hidden", head.hidden) | _dense_state(f"{name}.output", head.output)
    return _conv_state(f"{name}.conv", head.conv) | dense


def _conv_state(name: str, conv: Conv) -> dict[str, Floats]:
    state = {f"{name}.conv.weight": conv.weights}
    if conv.norm is None:
        return state | {f"{name}.conv.bias": conv.biases}
    norm = (conv.norm.means, conv.norm.variances, conv.norm.gammas, conv.norm.betas)
    return state | {f"{name}.norm.{part}": values for part, values in zip(_NORM, norm, strict=True)}


def _dense_state(name: str, dense: Dense) -> dict[str, Floats]:
    return {f"{name}.weight": dense.weights, f"{name}.bias": dense.biases}


def _block(state: State, name: str) -> Block:
    squeezed = f"{name}.se.squeeze.weight" in state
    se = SqueezeExcite(_dense(state, f"{name}.se.squeeze"), _dense(state, f"{name}.se.excite")) if squeezed else None
    return Block(_conv(state, f"{name}.conv1"), _conv(state, f"{name}.conv2"), se)


def _head(state: State, name: str) -> Head:
    return Head(_conv(state, f"{name}.conv"), _dense(state, f"{name}.hidden"), _dense(state, f"{name}.output"))


def _conv(state: State, name: str) -> Conv:
    weights = state[f"{name}.conv.weight"]
    biases = state.get(f"{name}.conv.bias", np.zeros(len(weights), np.float32))
    normed = f"{name}.norm.weight" in state
    return Conv(weights, biases, BatchNorm(*(state[f"{name}.norm.{part}"] for part in _NORM)) if normed else None)


def _dense(state: State, name: str) -> Dense:
    return Dense(state[f"{name}.weight"], state[f"{name}.bias"])


def _scaled(weights: Floats, factor: float) -> Floats:
    """A copy of the input convolution's weights in which those of the rule-50 plane are multiplied by `factor`, a power
    of two.
    """
    scaled = weights.copy()
    scaled[:, RULE50_PLANE] *= np.float32(factor)
    return scaled


METADATA = "foible"
"""The metadata key of an ONNX model that holds its configuration, so that the module can be rebuilt."""


class _Made(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The metadata of an ONNX model: all that is needed to rebuild its module."""

    net: Rise
    encoding: Encoding


def save(net: Net, path: Path, *, training_steps: int, encoding: FileEncoding, licence: str) -> None:
    """Write a net to a file: see `foible.nets.modules.save_net`."""
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
    """The net as an ONNX graph, whose inputs and outputs are named as in `foible.nets.onnx_file`."""
    if isinstance(net, SeResNetNet):
        return to_onnx(to_lc0(net))
    assert isinstance(net, RiseNet)
    state = {name: values.detach().cpu().numpy() for name, values in net.state_dict().items()}
    made = msgspec.json.encode(_Made(net.config, net.encoding)).decode()
    return rise_to_onnx(net.config, net.encoding, state, {METADATA: made}, net.plies_unit)


def load(path: Path, ratings: Ratings | None = None) -> Net:
    """Read a net to train: see `foible.nets.modules.load_net`. `ratings`: the ratings of the players that the net is to
    imitate, if it was trained with ratings.

    :raises ConfigError: a rating is asked of an ONNX model.
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
        with torch.device("meta"):
            described = RiseNet(made.net, made.encoding).state_dict()
    except (msgspec.MsgspecError, ConfigError) as error:
        raise NetFileError(f"its description is damaged: {error}") from None
    wanted = {name: tuple(values.shape) for name, values in described.items()}
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
