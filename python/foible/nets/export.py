"""A net as a file that lc0 runs."""

from pathlib import Path

from foible.errors import ConfigError, NetFileError
from foible.nets.catalogue import find_net, read_lc0_net, read_onnx_model
from foible.nets.lc0_write import write_lc0
from foible.nets.mixture_file import read_mixture
from foible.nets.paths import is_mixture
from foible.nets.shipped import split_rating

LC0_SUFFIXES = (".pb.gz", ".pb")


def export_net(name: str, path: Path) -> None:
    """Write a net as an lc0 weights file; one that is named with a rating as the net for that rating alone.

    Weights are rounded to LINEAR16, 65536 steps a layer, which every lc0 reads.

    :raises ConfigError: the path has another suffix than `.pb.gz` and `.pb`, or a file is there already.
    :raises NetFileError: there is no such net, or it is no residual lc0 net.
    :raises OSError: the file cannot be written.
    """
    if not path.name.endswith(LC0_SUFFIXES):
        raise ConfigError(f"{path}: expected the name of an lc0 weights file, {' or '.join(LC0_SUFFIXES)}")
    if path.exists():
        raise ConfigError(f"{path} is there already; choose another name")
    source, (_, rating) = find_net(name), split_rating(name)
    if is_mixture(source):
        nets = ", ".join(dict.fromkeys(read_mixture(source).nets))
        raise NetFileError(f"{name} is a mixture, and lc0 runs single nets; expected one of them: {nets}")
    if read_onnx_model(source, rating):
        raise NetFileError(f"{source} holds an ONNX model; expected a residual net with weights of lc0's layers")
    write_lc0(read_lc0_net(source, rating), path)
