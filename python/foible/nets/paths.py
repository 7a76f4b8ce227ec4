"""What lies at a path: the file of a net, a mixture, or a training's run folder; and what reports call it."""

import gzip
import re
import zlib
from pathlib import Path
from typing import Final

NET_SUFFIXES: Final = (".pb.gz", ".pb", ".onnx")
"""Of nets for chess."""
GO_SUFFIXES: Final = (".txt.gz", ".txt")
"""Of nets for Go."""
MIXTURE_SUFFIX: Final = ".toml"
SUFFIXES: Final = (*NET_SUFFIXES, MIXTURE_SUFFIX, *GO_SUFFIXES)

OF_RUN: Final = "net"
"""What trainings call the net in their folder."""

_IN_RUNS: Final = (*NET_SUFFIXES, GO_SUFFIXES[0])
_VERSION: Final = re.compile(rb"\d+\s*\n")
"""The first line of a weights file for Go."""
_GZIP_MAGIC: Final = b"\x1f\x8b"
_PART_OF_RUN: Final = re.compile(r"net|seed-\d+|gen-\d+", re.ASCII)
"""Folders of trainings that are part of something larger."""


def net_at(path: Path) -> Path | None:
    """The file of a net or a mixture, the folder of a mixture, or the net in a run folder; `None` without any."""
    if path.is_file() or (path.is_dir() and is_mixture(path)):
        return path
    return next(filter(Path.is_file, (path / f"{OF_RUN}{suffix}" for suffix in _IN_RUNS)), None)


def is_mixture(path: Path) -> bool:
    """Whether a path is that of a mixture, by its name or as a folder of phases."""
    return path.name.endswith(MIXTURE_SUFFIX) or (path / "phase0").is_dir()


def is_go_net(path: Path) -> bool:
    """Whether a file is that of a net for Go: by its name, or, where that does not say, by its first line."""
    if path.name.endswith(GO_SUFFIXES):
        return True
    return not (path.name.endswith(NET_SUFFIXES) or is_mixture(path)) and begins_as_go_net(path)


def begins_as_go_net(path: Path) -> bool:
    """Whether the first line of a file is a number alone, as in weights files for Go."""
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == _GZIP_MAGIC
        with gzip.open(path) if zipped else path.open("rb") as file:
            return _VERSION.match(file.read(16)) is not None
    except (OSError, EOFError, zlib.error):
        return False


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
