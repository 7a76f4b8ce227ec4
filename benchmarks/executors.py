"""What it brings to play a match in several processes, and what Ray costs.

    python benchmarks/executors.py [--games 64 | --unit-seconds 60] [--nodes 400] [--repeats 3] [--ray] [--json FILE]

The same match of single-threaded searches is played by one process, by two, and with `--ray` by two workers of Ray, one
after the other and over again. The ratios are those of each repetition to its match by one process (Ray: by two); the
table has their median and their range. A unit is an eighth of the match; `--unit-seconds` chooses the games so that one
takes about as long.

Two ratios: of the seconds that went by, which other work on the machine spoils; and of those that the match would take
if its processes had the cores for themselves, from their processor times: the time of the worker that was longest at
work, or that of all processes over all cores, where that is more. The last column is how much more processor time all
processes together took than the match that is compared with. Needs Linux.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
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


@dataclass(frozen=True, slots=True)
class Taken:
    """What a match took, in seconds."""

    wall: float
    processor: float
    """Of this process and of all below it, those of Ray too."""
    alone: float
    """What would have gone by had they had the cores for themselves."""


def processor_seconds() -> dict[int, float]:
    """Of this process and of all below it, those that have ended below them included, by their numbers."""
    tick, found = os.sysconf("SC_CLK_TCK"), dict[int, float]()
    for process in _family(os.getpid()):
        with suppress(OSError):  # it has ended
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            found[process] = sum(map(int, fields[11:15])) / tick
    return found


def _family(process: int) -> Iterator[int]:
    yield process
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in thread.read_text().split():
                yield from _family(int(child))


def taken(match: MatchConfig, executor: Executor | None) -> Taken:
    """What the match takes by workers that are there already."""
    with tempfile.TemporaryDirectory() as folder:
        before, begun = processor_seconds(), time.perf_counter()
        play(match, Path(folder) / "run", executor=executor)
        wall, after = time.perf_counter() - begun, processor_seconds()
    spent = {process: now - before.get(process, 0.0) for process, now in after.items()}
    longest = max(now for process, now in spent.items() if process != os.getpid())
    return Taken(wall, sum(spent.values()), max(longest, sum(spent.values()) / (os.cpu_count() or 1)))


def games_for(unit: float, nodes: int, executor: Executor | None) -> int:
    """Games of a match by two workers whose units take so many seconds of one."""
    games = 128  # Fewer at once make smaller batches, which take longer.
    while (seconds := taken(config(games, nodes), executor).alone) < unit:
        games *= 2
    return 2 * max(1, round(8 * unit * games / seconds / 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--games", type=int, default=64)
    size.add_argument("--unit-seconds", type=float)
    parser.add_argument("--nodes", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--ray", action="store_true", help="also on Ray, which needs the extra scale")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    places = ["processes:1", "processes:2", *(["ray"] if given.ray else [])]
    found = {place: list[Taken]() for place in places}
    with ExitStack() as held:
        if given.ray:
            import ray  # noqa: PLC0415

            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
            held.callback(ray.shutdown)
        executors = {place: held.enter_context(open_executor(place)) for place in places}
        for executor in executors.values():
            taken(config(8, 10), executor)  # starts the workers
        unit, one = given.unit_seconds, executors["processes:1"]
        match = config(games_for(unit, given.nodes, one) if unit else given.games, given.nodes)
        for _ in range(given.repeats):
            for place, executor in executors.items():
                found[place].append(taken(match, executor))
    rows = [_row(place, times, found.get(BASES.get(place, ""), [])) for place, times in found.items()]
    columns = ("played by", "s", "range", "against", "times as fast", "with cores for itself", "more processor time")
    print_table(f"A match of {match.games} games by several workers", columns, rows, left=1)
    if given.json:
        plain = {place: [asdict(one) for one in times] for place, times in found.items()}
        given.json.write_text(json.dumps({"games": match.games, "seconds": plain}, indent=2) + "\n")


def _row(place: str, times: Sequence[Taken], base: Sequence[Taken]) -> tuple[str | None, ...]:
    """With ratios to the match that is compared with."""
    walls = [one.wall for one in times]
    both = list(zip(base, times, strict=True)) if base else []
    return (
        place,
        f"{statistics.median(walls):.1f}",
        f"{min(walls):.1f} to {max(walls):.1f}",
        BASES.get(place),
        _spread([before.wall / now.wall for before, now in both]),
        _spread([before.alone / now.alone for before, now in both]),
        _spread([100 * (now.processor / before.processor - 1) for before, now in both], " %"),
    )


def _spread(ratios: Sequence[float], unit: str = "") -> str | None:
    """Median and range."""
    if not ratios:
        return None
    return f"{statistics.median(ratios):.2f}{unit} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main()
