"""`foible-uci` as other programs start it, in an environment in which nothing is fetched."""

import os
import sys
from pathlib import Path

from tests.nets.synthetic import Recipe, synthesise

COMMAND = [sys.executable, "-c", "from foible.interfaces.uci.program import main; main()"]
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])


def environment(home: Path) -> dict[str, str]:
    """One small human net, and a place of its own for whatever programs keep."""
    (home / "maia-1500.pb.gz").write_bytes(synthesise(Recipe(filters=4, blocks=1)).data)
    own = {"FOIBLE_NETS": str(home), "FOIBLE_NETS_URL": (home / "none").as_uri(), "XDG_CACHE_HOME": str(home)}
    return {**os.environ, **own, "HOME": str(home), "PATH": PATH}
