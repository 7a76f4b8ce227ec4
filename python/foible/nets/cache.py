"""Where foible keeps what it can fetch or measure again."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """The user's cache folder for foible: `XDG_CACHE_HOME` where set, else what the platform uses. May not
    exist yet.
    """
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "foible"
    if sys.platform == "win32" and (base := os.environ.get("LOCALAPPDATA")):
        return Path(base) / "foible" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "foible"
    return Path.home() / ".cache" / "foible"


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that readers see the old one or the whole new one, whoever else writes it.

    :raises OSError: the folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
