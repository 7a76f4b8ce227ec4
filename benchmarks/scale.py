"""What a cluster would make of a run: a model of its workers and of the merger, simulated for 10 to 10 000 workers.

    python benchmarks/scale.py [--games 100000] [--evaluations-per-second 3300] [--json FILE]

A run is cut into units of some games. Workers start, play one unit after the other, and leave each finished unit to the
one merger, which writes the run folder. A worker may die: its finished games stay, the unit waits for the next free
worker. How long a worker takes to start and the merger to take a unit is measured first, on this machine (docs/scale.md
tells how runs are shared out); every figure of the model (`Cluster`) can be given instead.

The tables give, for each number of workers, the size of unit that ends the run first, the games per hour, how much of
the workers' time went into games that count (efficiency), how long some workers had nothing left to do (tail), what
deaths cost, and how busy the merger was; and what the published runs would cost in hours on such workers.
"""

import argparse
import heapq
import json
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from foible.arena.config import MatchConfig, convert_config
from foible.arena.play import play
from foible.arena.record import GameRecord
from foible.arena.store import ChessStore, read_games
from foible.interfaces.cli.output import print_table
from foible.scale import Processes
from foible.toml import to_toml_dict

WORKERS = (10, 32, 100, 320, 1000, 3200, 10_000)
UNITS = (2, 4, 10, 20, 40, 100, 200, 400, 1000)
"""Games of a unit."""
MERGED = 200
"""Games by which the merger is measured."""
FAN_IN = 32
"""Units that a worker joins into one before the merger gets it, where the merger would be the limit."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """What was measured, in seconds unless said otherwise."""

    game_seconds: float = 12.0
    """A worker's time for a game, while it plays many at once."""
    game_spread: float = 0.6
    """Standard deviation of a game's length, as a share of its mean."""
    last_seconds: float = 20.0
    """The end of a unit, when too few games are left to fill the calls of the nets."""
    start_seconds: float = 6.0
    """Until a worker plays: Python, the runtime, and the nets, which lie on its disk."""
    transfer_seconds: float = 0.05
    """Until the merger sees a unit that has ended."""
    merge_seconds: float = 0.02
    """What a unit costs the merger: checks, and flushing to the disk."""
    merge_game_seconds: float = 0.0005
    """What each of its games costs the merger."""
    hours_to_death: float = 200.0
    """Mean life of a worker."""
    back_seconds: float = 60.0
    """Until there is another in its place."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """One run of so many workers."""

    workers: int
    unit: int
    """Games of a unit."""
    hours: float
    games_per_hour: float
    efficiency: float
    """Share of the workers' time that went into games that count, 0 to 1."""
    tail_seconds: float
    """From the moment when a worker finds nothing left to begin."""
    lost: float
    """Share of the workers' time that deaths cost, 0 to 1."""
    merger_busy: float
    """Share of the time in which the merger worked, 0 to 1."""


def measured() -> dict[str, float]:
    """What this machine can tell of `Cluster`: the start of a worker, and the work of the merger."""
    player = {"kind": "net_search", "net": "material", "nodes": 2, "search": {"temperature": 1.0}}
    teams = {"focal": {**player, "name": "one"}, "alter": {**player, "name": "other"}}
    match = convert_config({"framework": "standard", "games": MERGED, "max_plies": 120, **teams}, "match")
    with tempfile.TemporaryDirectory() as place, Processes(1) as worker:
        folder = Path(place)
        begun = time.perf_counter()
        play(msgspec.structs.replace(match, games=2), folder / "first", executor=worker)
        start = time.perf_counter() - begun
        play(match, folder / "games", executor=worker)
        games = read_games(folder / "games")
        few, all_ = (merging(folder / str(count), match, games[:count]) for count in (2, MERGED))
    each = max(0.0, all_ - few) / (MERGED - 2)
    return {"start_seconds": start, "merge_seconds": max(0.0, few - 2 * each), "merge_game_seconds": each}


def merging(folder: Path, match: MatchConfig, games: Sequence[GameRecord]) -> float:
    """Seconds in which a part is written, read by the merger, and on the disk in the run folder."""
    config = to_toml_dict(match)
    with ChessStore(folder / "part", config) as part, ChessStore(folder / "run", config) as run:
        part.append(games)
        begun = time.perf_counter()
        run.append(read_games(folder / "part"))
        return time.perf_counter() - begun


def simulate(cluster: Cluster, games: int, workers: int, unit: int, seed: int = 1, joined: int = 1) -> Simulated:
    """Play the run through, event by event.

    :param joined: units that reach the merger as one.
    """
    rng = np.random.default_rng(seed)
    units = -(-games // unit)
    waiting = list(np.maximum(rng.normal(1.0, cluster.game_spread / np.sqrt(unit), units), 0.1) * unit)
    free = [(cluster.start_seconds, worker) for worker in range(min(workers, units))]
    merger_free = merging = worked = lost = 0.0
    idle_since: float | None = None
    arrivals: list[float] = []
    while waiting:
        now, worker = heapq.heappop(free)
        left = waiting.pop()
        needed = left * cluster.game_seconds + cluster.last_seconds
        life = rng.exponential(cluster.hours_to_death * 3600)
        if life < needed:
            waiting.append(left * (1 - life / needed))  # finished games are kept in the part's own folder
            lost += cluster.back_seconds + cluster.last_seconds
            heapq.heappush(free, (now + life + cluster.back_seconds + cluster.start_seconds, worker))
            continue
        worked += left * cluster.game_seconds
        heapq.heappush(free, (now + needed, worker))
        arrivals.append(now + needed + cluster.transfer_seconds)
        if not waiting:
            idle_since = free[0][0]
    arrivals.sort()
    for arrived in arrivals[joined - 1 :: joined] + arrivals[len(arrivals) // joined * joined :]:
        cost = cluster.merge_seconds + joined * unit * cluster.merge_game_seconds
        merger_free = max(merger_free, arrived) + cost
        merging += cost
    end = max(merger_free, arrivals[-1])
    return Simulated(
        workers=workers,
        unit=unit,
        hours=end / 3600,
        games_per_hour=games / end * 3600,
        efficiency=worked / (workers * end),
        tail_seconds=end - (end if idle_since is None else idle_since),
        lost=lost / (workers * end),
        merger_busy=merging / end,
    )


def best(cluster: Cluster, games: int, workers: int) -> Simulated:
    """The size of unit that ends the run first; joined units where they end it sooner still."""
    sizes = [unit for unit in UNITS if unit <= games]
    found = [simulate(cluster, games, workers, unit, joined=joined) for unit in sizes for joined in (1, FAN_IN)]
    return min(found, key=lambda one: one.hours)


@dataclass(frozen=True, slots=True)
class Published:
    """A run of a paper."""

    system: str
    run: str
    games: int
    evaluations: float
    """What a game asks of nets, with the published visits."""


PUBLISHED = {
    "stt-tree": ("skill-compatible", "tag team, TREE", 10_000),
    "stt-maia": ("skill-compatible", "tag team, the junior alone", 1_000),
    "stt-exp": ("skill-compatible", "tag team, EXP", 10_000),
    "hb-tree": ("skill-compatible", "hand and brain, TREE", 10_000),
    "hb-exp": ("skill-compatible", "hand and brain, EXP", 10_000),
    "raw-maia": ("skill-compatible", "MAIA alone", 1_000),
    "antimaia": ("play the man", "Antimaia against Maia 1900", 400),
}
"""Published runs by the experiments of `evidence/`."""


def published(evidence: Path) -> Iterator[Published]:
    """What the published runs cost, as far as kept blocks tell what a game does: it costs as the visits do."""
    plan = tomllib.loads((evidence / "plan.toml").read_text("utf-8"))
    for name, (system, run, games) in PUBLISHED.items():
        blocks = [json.loads(path.read_text("utf-8")) for path in (evidence / name).glob("*/*.json")]
        played = sum(2 * len(block["results"]) for block in blocks)
        effort = plan["experiments"].get(name, {}).get("effort", plan["usual"]["effort"])
        if played:
            asked = sum(sum(block["evaluations"].values()) for block in blocks)
            yield Published(system, run, games, asked / played / effort)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000)
    for name in asdict(Cluster()):
        parser.add_argument(f"--{name.replace('_', '-')}", type=float)
    parser.add_argument("--evaluations-per-second", type=float, default=3300.0, help="what a worker's nets do")
    parser.add_argument("--evidence", type=Path, default=Path("evidence"), help="folder of the kept blocks")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    given = {name: value for name in asdict(Cluster()) if (value := getattr(chosen, name)) is not None}
    cluster = replace(Cluster(), **{**measured(), **given})
    print_table("The model", ("figure", "value"), [(name, f"{value:.4g}") for name, value in asdict(cluster).items()])
    found = [best(cluster, chosen.games, workers) for workers in WORKERS]
    show(found, chosen.games, cluster.game_seconds / cluster.merge_game_seconds)
    costs = [
        (run, best(replace(cluster, game_seconds=run.evaluations / chosen.evaluations_per_second), run.games, workers))
        for run in published(chosen.evidence)
        for workers in (10, 100)
    ]
    show_published(costs)
    if chosen.json:
        told = {"cluster": asdict(cluster), "games": chosen.games, "runs": [asdict(one) for one in found]}
        chosen.json.write_text(json.dumps(told, indent=2) + "\n", "utf-8")


def show(found: Sequence[Simulated], games: int, most: float) -> None:
    """`most`: workers that one merger can follow."""
    print_table(
        f"{games} games",
        ("workers", "games of a unit", "hours", "games/h", "efficiency", "tail, s", "lost by deaths", "merger busy"),
        [
            (
                one.workers,
                one.unit,
                f"{one.hours:.2f}",
                f"{one.games_per_hour:.0f}",
                f"{one.efficiency:.1%}",
                f"{one.tail_seconds:.0f}",
                f"{one.lost:.2%}",
                f"{one.merger_busy:.1%}",
            )
            for one in found
        ],
        note=f"One merger follows {most:.0f} workers at most, whatever the units.",
    )


def show_published(costs: Sequence[tuple[Published, Simulated]]) -> None:
    print_table(
        "The published runs",
        ("system", "run", "games", "evaluations a game", "workers", "hours"),
        [
            (run.system, run.run, run.games, f"{run.evaluations:.0f}", one.workers, f"{one.hours:.2f}")
            for run, one in costs
        ],
        left=2,
    )


if __name__ == "__main__":
    main()
