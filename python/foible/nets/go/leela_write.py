"""Writes Go nets as weights files of Leela Zero and SAI, in the format that `leela_file.py` describes."""

import gzip
from collections.abc import Iterator

import numpy as np

from foible.errors import ConfigError
from foible.nets.go.leela_file import LARGEST_NUMBER, VERSION
from foible.nets.go.net import GoWeights
from foible.nets.lc0_net import EPSILON, Conv, Dense, Doubles, Floats
from foible.nets.paths import GO_SUFFIXES
from foible.runs.files import write_atomically
from foible.toml import AnyPath, expand

_LEVEL = 6
"""The compression level of gzip: the highest level takes four times as long and saves only a hundredth of the size."""


def write_weights(weights: GoWeights, path: AnyPath) -> None:
    """Write a weights file, gzipped where its name ends in `.gz`, whole or not at all.

    Reading the file gives the same weights, bit by bit.

    :raises ConfigError: the name ends neither in `.txt.gz` nor in `.txt`, or a weight is no finite number.
    :raises OSError: the file cannot be written.
    """
    path = expand(path)
    if not path.name.endswith(GO_SUFFIXES):
        raise ConfigError(f"{path}: nets for Go are written as {' or '.join(GO_SUFFIXES)}")
    try:
        data = serialise_weights(weights)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    write_atomically(path, gzip.compress(data, _LEVEL, mtime=0) if path.suffix == ".gz" else data)


def serialise_weights(weights: GoWeights) -> bytes:
    """The text of a weights file.

    :raises ConfigError: a weight is no finite number.
    """
    lines = [str(VERSION), *_conv(weights.input)]
    for block in weights.blocks:
        lines += [*_conv(block.conv1), *_conv(block.conv2)]
    value = weights.value
    lines += [*_conv(weights.policy), *_dense(weights.policy_dense)]
    lines += [*_conv(value.conv), *_dense(value.hidden), *_dense(value.output)]
    if value.beta is not None:
        lines += _conv(value.beta.conv) if value.beta.conv is not None else ()
        lines += _dense(value.beta.hidden) if value.beta.hidden is not None else ()
        lines += _dense(value.beta.output)
    return "\n".join([*lines, ""]).encode()


def _conv(conv: Conv) -> Iterator[str]:
    assert conv.norm is not None
    yield _text(conv.weights)
    # Written with all digits of a 64-bit number: only then does reading restore the shift exactly.
    yield _text(conv.norm.betas.astype(np.float64) * np.sqrt(conv.norm.variances.astype(np.float64) + EPSILON), 17)
    yield _text(conv.norm.means)
    yield _text(conv.norm.variances)


def _dense(dense: Dense) -> Iterator[str]:
    yield _text(dense.weights)
    yield _text(dense.biases)


def _text(values: Floats | Doubles, digits: int = 9) -> str:
    if not (np.abs(values) <= LARGEST_NUMBER).all():
        raise ConfigError("the net has weights that are not finite numbers; it is not written")
    flat = values.ravel().tolist()
    return " ".join([f"%.{digits}g"] * len(flat)) % tuple(flat)
