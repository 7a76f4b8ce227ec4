"""What answers depend on: a player or judge as configured, the files behind its names, and the version of foible."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from foible._core import __version__
from foible.agents.files import file_hashes

MAX_SLUG = 60

WITHOUT_EFFECT = ("name", "processes", "hang_after")
"""Keys that change no answer."""


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
