"""What a ply of a match costs beside its nets: the processor time of matches whose net is `material`, which costs next
to nothing.

    python benchmarks/plies.py [--games 200] [--nodes 10] [--times 5]

Tag teams, hand and brain, and players alone play by turns, all games of a match at once. `PYTHONPATH=OTHER/python`
measures another version.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from foible.arena.config import MatchConfig, convert_config
from foible.arena.play import play

SEARCH: dict[str, Any] = {"kind": "net_search", "net": "material"}
POLICY = {"kind": "net_policy", "net": "material"}
TEAMS: dict[str, dict[str, Any]] = {
    "standard": SEARCH,
    "tag_team": {"kind": "tag_team", "senior": SEARCH, "junior": POLICY},
    "hand_brain": {"kind": "hand_brain", "brain": SEARCH, "hand": {**POLICY, "temperature": 1.0}},
}


def config(framework: str, games: int, nodes: int) -> MatchConfig:
    """A match of a team, or of a player alone, against its like."""
    team, number = TEAMS[framework], {"games": games, "concurrency": games, "nodes": nodes}
    return convert_config({"framework": framework, "focal": team, "alter": team, **number}, framework)


def microseconds_per_ply(match: MatchConfig) -> tuple[float, int]:
    """Processor time of all threads, in microseconds per ply, and the number of plies."""
    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        report = play(match, Path(folder) / "run")
        seconds = time.process_time() - before
    assert report is not None
    assert report.speed is not None
    plies = report.speed.plies
    return 1e6 * seconds / plies, plies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=10)
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    found: dict[str, list[tuple[float, int]]] = {framework: [] for framework in TEAMS}
    for _ in range(given.times):
        for framework in TEAMS:
            found[framework].append(microseconds_per_ply(config(framework, given.games, given.nodes)))
    print(f"{'':10}  µs a ply           plies    ({given.times} times each)")
    for framework, costs in found.items():
        each = [cost for cost, _ in costs]
        print(f"{framework:10}  {statistics.median(each):3.0f} ({min(each):.0f} – {max(each):.0f})  {costs[0][1]:7}")


if __name__ == "__main__":
    main()
