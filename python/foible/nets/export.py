"""A net as a file that lc0 runs."""

from pathlib import Path

from foible.errors import ConfigError
from foible.nets.catalogue import find_net, read_lc0_net
from foible.nets.lc0_write import write_lc0
from foible.nets.shipped import split_rating

LC0_SUFFIXES = (".pb.gz", ".pb")


def export_net(name: str, path: Path) -> None:
    """Write a net as an lc0 weights file; one that is named with a rating as the net for that rating alone.

    Weights are rounded to LINEAR16, 65536 steps a layer, which every lc0 reads.

    :raises ConfigError: the path has another suffix than `.pb.gz` and `.pb`.
    :raises NetFileError: there is no such net, or it is no residual lc0 net.
    :raises OSError: the file cannot be written.
    """
    if not path.name.endswith(LC0_SUFFIXES):
        raise ConfigError(f"{path}: expected the name of an lc0 weights file, {' or '.join(LC0_SUFFIXES)}")
    write_lc0(read_lc0_net(find_net(name), split_rating(name)[1]), path)
