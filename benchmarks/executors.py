"""What it brings to play a match in several processes, and what Ray costs.

    python benchmarks/executors.py [--games 64] [--nodes 400] [--repeats 3] [--ray] [--json FILE]

The same match of single-threaded searches is played by one process, by two, and with `--ray` by two workers of Ray, one
after the other and over again. The ratios are those of each repetition to its match by one process (Ray: by two); the
table has their median and their range. A unit is an eighth of the match: for units of a minute give as many games or
nodes. A machine that does other work tells little.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from foible.arena.config import MatchConfig, convert_config
from foible.arena.play import play
from foible.interfaces.cli.output import print_table
from foible.scale import Executor, open_executor

BASES: Mapping[str, str] = {"processes:2": "processes:1", "ray": "processes:2"}


def config(games: int, nodes: int) -> MatchConfig:
    """Two searches that differ in nothing but chance."""
    player = {"kind": "net_search", "net": "material", "nodes": nodes, "search": {"temperature": 1.0}}
    teams = {"focal": {**player, "name": "one"}, "alter": {**player, "name": "other"}}
    return convert_config({"framework": "standard", "games": games, "max_plies": 80, "threads": 1, **teams}, "match")


def seconds(match: MatchConfig, executor: Executor | None) -> float:
    """What the match takes by workers that are there already."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        play(match, Path(folder) / "run", executor=executor)
        return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=64)
    parser.add_argument("--nodes", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--ray", action="store_true", help="also on Ray, which needs the extra scale")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    places = ["processes:1", "processes:2", *(["ray"] if given.ray else [])]
    match, found = config(given.games, given.nodes), {place: list[float]() for place in places}
    with ExitStack() as held:
        if given.ray:
            import ray  # noqa: PLC0415

            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
            held.callback(ray.shutdown)
        executors = {place: held.enter_context(open_executor(place)) for place in places}
        for executor in executors.values():
            seconds(config(8, 10), executor)  # starts the workers
        for _ in range(given.repeats):
            for place, executor in executors.items():
                found[place].append(seconds(match, executor))
    rows = []
    for place, times in found.items():
        base = BASES.get(place)
        ratios = sorted(before / now for before, now in zip(found[base], times, strict=True)) if base else []
        spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})" if ratios else None
        rows.append((place, f"{statistics.median(times):.1f}", f"{min(times):.1f} to {max(times):.1f}", base, spread))
    print_table("A match by several workers", ("played by", "s", "range", "against", "times as fast"), rows, left=1)
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
