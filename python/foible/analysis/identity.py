"""What answers depend on: a player or judge as configured, the files behind its names, and the version of foible."""

import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from foible._core import __version__
from foible.nets.download import file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import NetShelf, choose_net

MAX_SLUG = 60

WITHOUT_EFFECT = ("name", "processes", "hang_after")
"""Keys that change no answer."""


class BorrowedShelf(NetShelf):
    """Takes its nets from another shelf; `resolved` tells of those alone that were taken."""

    def __init__(self, shelf: NetShelf) -> None:
        super().__init__()
        self._shelf = shelf

    def evaluator(self, net: str | Sequence[str]) -> Evaluator:
        found = self._shelf.evaluator(net)
        self.runtime = self._shelf.runtime
        self._opened[choose_net(net)] = found
        return found


def identity(spec: msgspec.Struct, nets: Mapping[str, str]) -> dict[str, Any]:
    """The specification, its programs and other files with their hashes.

    nets: what its nets stand for, `NetShelf.resolved`.
    """
    settings = _effective(msgspec.to_builtins(spec))
    return {
        "spec": settings,
        "nets": dict(nets),
        "files": {name: f"sha256 {file_sha256(path)}" for name, path in sorted(_files(settings))},
        "foible": __version__,
    }


def folder_name(name: str, about: Mapping[str, Any]) -> str:
    """A name for people with a hash of what the answers depend on: other answers get another folder."""
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
    slug = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:MAX_SLUG]
    return f"{slug or 'unnamed'}-{digest[:8]}"


def _files(settings: Any, key: str = "") -> Iterator[tuple[str, Path]]:
    """The texts at any depth that name a file; a command is looked for where programs are."""
    if isinstance(settings, dict):
        for inner, value in settings.items():
            yield from _files(value, inner)
    elif isinstance(settings, list):
        for value in settings:
            yield from _files(value, key)
    elif isinstance(settings, str):
        path = Path((shutil.which(settings) if key == "command" else None) or settings).expanduser()
        if path.is_file():
            yield settings, path


def _effective(settings: Any) -> Any:
    if isinstance(settings, dict):
        return {key: _effective(value) for key, value in settings.items() if key not in WITHOUT_EFFECT}
    return [_effective(item) for item in settings] if isinstance(settings, list) else settings
