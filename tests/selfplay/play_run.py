"""Play a run of self-play in a folder, from wherever an earlier process left it.

Arguments: folder, and `own` or `shared` for the trees. Drafts are kept often. Run by the tests, which kill it.
"""

import sys
from pathlib import Path
from typing import Any

from foible.selfplay import run
from foible.selfplay.play import self_play
from tests.selfplay.runs import config

RUNS: dict[str, dict[str, Any]] = {
    "own": {
        "games": 38,
        "shard": 6,
        "search": {"contempt_visits": 3, "temperature": 1.0},
        "controller": {"batch": 9, "target": 0.5},
        "resignation": {"playout": 0.5},
    },
    "shared": {"games": 38, "shard": 6},
}


def main(folder: str, trees: str) -> None:
    run.BETWEEN_DRAFTS = 0.05
    self_play(config(concurrency=12, **RUNS[trees]), Path(folder))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
