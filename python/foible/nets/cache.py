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
