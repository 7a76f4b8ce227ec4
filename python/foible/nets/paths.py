"""Which net lies at a path, be it the file of a net, a mixture or the run folder of a training; and the name by which
reports call it.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from foible.errors import ConfigError, NetFileError
from foible.toml import expand

LC0_SUFFIXES: Final = (".pb.gz", ".pb")
ONNX_SUFFIX: Final = ".onnx"
NET_SUFFIXES: Final = (*LC0_SUFFIXES, ONNX_SUFFIX)
"""The suffixes of nets for chess."""
GO_SUFFIXES: Final = (".txt.gz", ".txt")
"""The suffixes of nets for Go."""
MIXTURE_SUFFIX: Final = ".toml"
CHECKPOINT_SUFFIX: Final = ".pt"
"""The suffix of checkpoints of PyTorch."""
SUFFIXES: Final = (*NET_SUFFIXES, MIXTURE_SUFFIX, *GO_SUFFIXES, CHECKPOINT_SUFFIX)

OF_RUN: Final = "net"
"""The name, without suffix, of the net's file in the run folder of a training."""

_IN_RUNS: Final = (*NET_SUFFIXES, GO_SUFFIXES[0])
_PART_OF_RUN: Final = re.compile(r"net|seed-\d+|gen-\d+", re.ASCII)
"""The names of folders that hold one net of a larger training, so that only the folder above tells which."""


def net_at(place: str | Path) -> Path | None:
    """The path itself, with its home folder, if it is a file or the folder of a mixture; for a run folder, the file of
    the net in it; otherwise `None`.

    :raises NetFileError: the system cannot look there, as the name is too long or the folder is closed to us.
    """
    path = expand(place)
    try:
        if path.is_file() or holds_phases(path):
            return path
        return next(filter(Path.is_file, (path / f"{OF_RUN}{suffix}" for suffix in _IN_RUNS)), None)
    except OSError as error:
        raise NetFileError(f"{path}: {error.strerror}") from None


def holds_phases(folder: Path) -> bool:
    """Whether a folder is a mixture, with one subfolder for each phase."""
    return (folder / "phase0").is_dir()


def net_name(path: Path) -> str:
    """The file's name without its suffix. For the net in a run folder: the folder's name, preceded by that of the
    folder above if the run is part of a larger one.

    >>> net_name(Path("nets/leela.pb.gz")), net_name(Path("runs/train/net.pb.gz"))
    ('leela', 'train')
    >>> net_name(Path("runs/spread/seed-1/net.pb.gz"))
    'spread-seed-1'
    """
    name, folder, above = stem(path), path.parent.name, path.parent.parent.name
    if name != OF_RUN or name == path.name or folder in ("", ".."):
        return name
    return f"{above}-{folder}" if above and _PART_OF_RUN.fullmatch(folder) else folder


def stem(path: Path) -> str:
    """The file's name without its suffix."""
    return next((path.name.removesuffix(suffix) for suffix in SUFFIXES if path.name.endswith(suffix)), path.name)


def check_new(path: Path, suffixes: Sequence[str], what: str) -> None:
    """:raises ConfigError: a file to be written has another suffix or no name, is there already, or has no folder."""
    if not path.name.endswith(tuple(suffixes)) or path.name in suffixes:
        *others, last = suffixes
        expected = f"{', '.join(others)} or {last}" if others else last
        raise ConfigError(f"{path}: {what} is written as {expected}")
    if path.exists():
        raise ConfigError(f"{path} is there already; choose another name")
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: there is no folder {path.parent}")
