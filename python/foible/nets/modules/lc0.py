"""Between lc0's weights files and torch: every weight keeps its bits."""

from collections.abc import Mapping

import numpy as np
import torch

from foible.errors import NetFileError
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
from foible.nets.modules.config import SeResNet
from foible.nets.modules.net import RULE50_PLANE, RULE50_SCALE
from foible.nets.modules.se_resnet import SeResNetNet

State = Mapping[str, Floats]
"""Parameters and running statistics by their names in the module."""

_NORM = ("running_mean", "running_var", "weight", "bias")


def from_lc0(net: Lc0Net) -> SeResNetNet:
    """The net of a file as a module. Batch norm that the file keeps apart goes on being trained.

    :raises NetFileError: its blocks are not all alike, or it takes other planes than the classical ones.
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
    """A module as the arrays of a file, its batch norm apart."""
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
    """The convolutions that a batch norm follows in training: all but the last of a convolutional policy."""
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
    """Input weights with those of the rule-50 plane times a power of two."""
    scaled = weights.copy()
    scaled[:, RULE50_PLANE] *= np.float32(factor)
    return scaled
