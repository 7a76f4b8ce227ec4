"""A net as a file for other programs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from foible.errors import ConfigError, NetFileError
from foible.files import write_atomically
from foible.nets.catalogue import find_net, read_lc0_net, read_model, read_onnx_model
from foible.nets.go.graph import to_onnx
from foible.nets.go.leela_file import read_weights
from foible.nets.go.leela_write import write_weights
from foible.nets.lc0_write import write_lc0
from foible.nets.mixture_file import read_mixture
from foible.nets.paths import GO_SUFFIXES, NET_SUFFIXES, is_go_net, is_mixture
from foible.nets.shipped import split_rating

ONNX_SUFFIX: Final = ".onnx"


def export_net(name: str, path: Path) -> None:
    """Write a net in the format that the name of the new file asks for.

    A net for chess is written for lc0 (`.pb.gz`, `.pb`), its weights rounded to LINEAR16, 65536 steps a layer, which
    every lc0 reads; one that is named with a rating as the net for that rating alone. A net for Go is written as Leela
    Zero and SAI have them (`.txt.gz`, `.txt`), bit by bit. As ONNX (`.onnx`), either is the graph that foible runs.

    :raises ConfigError: the path has none of the suffixes of the net's game, or a file is there already.
    :raises NetFileError: there is no such net, or no such file can hold it.
    :raises OSError: the file cannot be written.
    """
    source, (_, rating) = find_net(name), split_rating(name)
    if is_mixture(source):
        nets = ", ".join(dict.fromkeys(read_mixture(source).nets))
        raise NetFileError(f"{name} is a mixture, and other programs run single nets; expected one of them: {nets}")
    if is_go_net(source):
        _export_go(source, path)
    else:
        _export_chess(source, rating, path)


def check_new(path: Path, suffixes: Sequence[str], what: str) -> None:
    """:raises ConfigError: a file to be written has another suffix or no name, is there already, or has no folder."""
    if not path.name.endswith(tuple(suffixes)) or path.name in suffixes:
        *others, last = suffixes
        raise ConfigError(f"{path}: {what} is written as {', '.join(others)} or {last}")
    if path.exists():
        raise ConfigError(f"{path} is there already; choose another name")
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: there is no folder {path.parent}")


def _export_go(source: Path, path: Path) -> None:
    check_new(path, (*GO_SUFFIXES, ONNX_SUFFIX), "a net for Go")
    weights = read_weights(source)
    if path.name.endswith(ONNX_SUFFIX):
        write_atomically(path, to_onnx(weights).SerializeToString())
    else:
        write_weights(weights, path)


def _export_chess(source: Path, rating: int | None, path: Path) -> None:
    embedded = read_onnx_model(source, rating)
    check_new(path, NET_SUFFIXES, "a net for chess")
    if path.name.endswith(ONNX_SUFFIX):
        write_atomically(path, read_model(source, rating).data)
        return
    if embedded:
        raise NetFileError(f"{source} holds an ONNX model; expected a residual net with weights of lc0's layers")
    write_lc0(read_lc0_net(source, rating), path)
