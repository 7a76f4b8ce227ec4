"""What answers depend on: a player or judge as configured, the files behind its names, and the version of foible."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foible._core import __version__
from foible.agents.files import file_hashes
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
    return {
        "spec": _effective(msgspec.to_builtins(spec)),
        "nets": dict(nets),
        "files": file_hashes(spec),
        "foible": __version__,
    }


def folder_name(name: str, about: Mapping[str, Any]) -> str:
    """A name for people with a hash of what the answers depend on: other answers get another folder."""
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
    slug = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:MAX_SLUG]
    return f"{slug or 'unnamed'}-{digest[:8]}"


def _effective(settings: Any) -> Any:
    if isinstance(settings, dict):
        return {key: _effective(value) for key, value in settings.items() if key not in WITHOUT_EFFECT}
    return [_effective(item) for item in settings] if isinstance(settings, list) else settings
