"""What lies at a path: the file of a net, a mixture, or a training's run folder; and what reports call it."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from foible.errors import ConfigError

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
"""What trainings call the net in their folder."""

_IN_RUNS: Final = (*NET_SUFFIXES, GO_SUFFIXES[0])
_PART_OF_RUN: Final = re.compile(r"net|seed-\d+|gen-\d+", re.ASCII)
"""Folders of trainings that are part of something larger."""


def net_at(path: Path) -> Path | None:
    """The file of a net or a mixture, the folder of a mixture, or the net in a run folder; `None` without any."""
    if path.is_file() or holds_phases(path):
        return path
    return next(filter(Path.is_file, (path / f"{OF_RUN}{suffix}" for suffix in _IN_RUNS)), None)


def holds_phases(folder: Path) -> bool:
    """Whether a folder is a mixture: it has a folder for each phase."""
    return (folder / "phase0").is_dir()


def net_name(path: Path) -> str:
    """The file's name without its suffix; the folder's for the net of a run, with the one above where that says more.

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
        raise ConfigError(f"{path}: {what} is written as {', '.join(others)} or {last}")
    if path.exists():
        raise ConfigError(f"{path} is there already; choose another name")
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: there is no folder {path.parent}")
