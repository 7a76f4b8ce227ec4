"""How fast a net plays itself, and what the games cost beside it.

    python benchmarks/selfplay.py [NET] [--nodes 200] [--games 64] [--concurrency 64] [--precision f32] [--plies 40]

Games are cut short after so many plies, so that all of a run is spent with many in progress. `net busy` is the share of
wall time in which the evaluator is at work, `beside it` the processor time of the main thread: choosing leaves, moving
and writing; the two overlap.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from foible.selfplay.config import SelfplayConfig
from foible.selfplay.play import self_play
from foible.selfplay.progress import SelfplayProgress


def measure(config: SelfplayConfig) -> dict[str, float]:
    """Rates per second of wall time, and shares of it."""
    seen: list[SelfplayProgress] = []
    with tempfile.TemporaryDirectory() as folder:
        before = time.thread_time()
        self_play(config, Path(folder), seen.append)
        beside = time.thread_time() - before
    last, speed = seen[-1], seen[-1].speed
    return {
        "games/s": speed.per_second(last.new),
        "positions/s": speed.per_second(speed.plies),
        "evaluations/s": speed.per_second(speed.evaluations),
        "mean batch": speed.pooled.mean_batch,
        "net busy": speed.busy,
        "beside it": speed.per_second(beside),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", nargs="?", default="material")
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--games", type=int, default=64)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--plies", type=int, default=40)
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32")
    given = parser.parse_args()
    common: dict[str, Any] = {
        "net": given.net,
        "nodes": given.nodes,
        "games": given.games,
        "concurrency": given.concurrency,
        "max_plies": given.plies,
        "precision": given.precision,
    }
    for contempt_visits in (None, 5):
        search = {"temperature": 1.0, "contempt_visits": contempt_visits}
        found = measure(SelfplayConfig(search=search, **common))
        text = ", ".join(f"{name} {value:.3g}" for name, value in found.items())
        print(f"contempt {'off' if contempt_visits is None else contempt_visits}: {text}")


if __name__ == "__main__":
    main()
