"""What the search itself costs: the search tree alone, with the built-in evaluator, which takes next to no time; and
search with a net, against the raw speed of that net.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from foible._core import ChessPosition, Forest
from foible.games.chess import random_positions
from foible.interfaces.bench.nets import rate, raw_work
from foible.interfaces.bench.result import Benchmark, OnProgress, Row, interleaved, silent
from foible.loop import wait
from foible.nets.choices import default_threads
from foible.nets.evaluator import Evaluator, Material
from foible.search.params import ODDS_CONTEMPT_VISITS, SearchParams, seats
from foible.search.trees import Trees

POSITIONS = {
    "opening": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "middlegame": "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "endgame": "8/5pk1/6p1/1p5p/1P2P2P/5PK1/r7/2R5 w - - 0 40",
}
"""The FENs of the single trees, by their names."""
VISITS_PER_SECOND = 500_000
"""The target of a single tree."""
TREES = 20
"""Trees per measurement, as a single one takes only some 20 ms."""
FOREST = 256
"""Trees that grow side by side, as in a match of so many games."""
SMALL_REQUEST, LARGE_REQUEST = 32, 1024
"""Leaves per request: so few that one thread gathers them, and as many as a GPU takes at once."""


Measured = tuple[float, float, tuple[int, int, int]]
"""A speed, a ratio of two speeds, and the nodes, edges and bytes of a tree or forest."""


def bench_tree(
    visits: int = 10_000, batch: int = 64, repetitions: int = 5, on_progress: OnProgress = silent
) -> Benchmark:
    """Visits per second of one tree on one thread, evaluator included, and the memory that it takes; and of a forest
    whose trees do not fit into the processor's cache, by one thread and by all.

    The built-in evaluator takes next to no time, so the time is that of `Forest.gather` and `Forest.scatter`.

    `visits`: of the single tree; each of the forest has a twentieth. `batch`: leaves of the single tree per evaluation.
    """
    params = SearchParams(batch=batch, cache=0)
    contempt = replace(params, contempt_visits=ODDS_CONTEMPT_VISITS)
    starts, fewer = random_positions(FOREST), max(1, visits // 20)

    def measure(fen: str) -> Measured:
        """Visits per second; the speed with search-contempt as a share of that; nodes, edges and bytes of a tree."""
        start = [ChessPosition(fen)]
        grown = [grow(start, params, visits, batch) for _ in range(TREES)]
        plain = sum(seconds for seconds, _ in grown)
        frozen = sum(grow(start, contempt, visits, batch)[0] for _ in range(TREES))
        return TREES * visits / plain, plain / frozen, grown[-1][1]

    def measure_forest() -> Measured:
        """Visits per second by one thread; the speed by all threads as a multiple of that; the size of the forest."""
        single, size = grow(starts, SearchParams(cache=0), fewer, SMALL_REQUEST)
        all_threads, _ = grow(starts, SearchParams(cache=0), fewer, LARGE_REQUEST)
        return FOREST * fewer / single, single / all_threads, size

    subjects: dict[str, Callable[[], Measured]] = {name: partial(measure, fen) for name, fen in POSITIONS.items()}
    measured = interleaved({**subjects, "forest": measure_forest}, repetitions, on_progress)
    forest_speeds, multiples, _ = zip(*measured.pop("forest"), strict=True)
    rows = []
    for name, values in measured.items():
        speeds, shares, sizes = zip(*values, strict=True)
        nodes, edges, size = sizes[-1]
        rows += [
            Row(name, "visits/s", speeds, VISITS_PER_SECOND),
            Row(f"  with contempt {ODDS_CONTEMPT_VISITS}", "of that", shares),
            Row("  a node", "bytes", (size / nodes,)),
            Row("  an edge", "bytes", (size / edges,)),
            Row("  edges a node", "", (edges / nodes,)),
        ]
    rows += [
        Row(f"{FOREST} trees, {SMALL_REQUEST} leaves a request", "visits/s", forest_speeds),
        Row(f"  {LARGE_REQUEST} leaves a request, all threads", "times", multiples),
    ]
    conditions = {
        "evaluator": Material().name,
        "visits": visits,
        "leaves of the tree per evaluation": batch,
        f"visits of each of {FOREST} trees": fewer,
        "threads": f"1, and all {default_threads()}",
        "cache": "off",
    }
    return Benchmark("Search tree alone", conditions, rows)


def grow(
    positions: Sequence[ChessPosition], params: SearchParams, visits: int, leaves: int
) -> tuple[float, tuple[int, int, int]]:
    """Seconds to grow a tree at each position in one forest, and nodes, edges and bytes of them all.

    `leaves`: those of all trees in one request.
    """
    forest, net = Forest(params, *seats(params)), Material()
    for position in positions:
        forest.add(position, visits)
    start = time.perf_counter()
    while forest.growing:
        request = forest.gather(leaves)
        (batch,) = request.batches
        if batch is not None:
            found = net.evaluate(batch)
            forest.scatter(request, [(found.logits, found.wdl, found.moves_left, found.margins)])
        else:
            forest.scatter(request, [None])
    return time.perf_counter() - start, forest.size


RAW_BATCHES = (32, 64, 128, 256, 512)
"""The batches of which the fastest gives the raw speed of a net."""
MANY_SHARE, ONE_SHARE = 0.90, 0.75
"""The targets of many games and of one long search, as shares of the raw speed."""


def bench_search(
    evaluator: Evaluator,
    *,
    games: int = 64,
    nodes: int = 400,
    long_nodes: int = 10_000,
    long_batch: int = 64,
    long_lanes: int = 1,
    seconds: float = 2.0,
    repetitions: int = 5,
    on_progress: OnProgress = silent,
) -> Benchmark:
    """Visits per second of `games` searches at once and of one long search, as shares of the net's raw speed.

    The raw speed is that of the net at its best batch, on encoded planes. A search is compared with the mean of the raw
    measurements just before and just after it, so that a machine that slows down slows both. The evaluation cache
    is off, so every visit that does not end the game costs an evaluation. The many searches have batch 1, PUCT to
    the letter; the long one has `long_batch` leaves per evaluation and `long_lanes` evaluations under way.
    """
    many, one = SearchParams(cache=0), SearchParams(cache=0, batch=long_batch, lanes=long_lanes)
    positions = random_positions(games)
    batch = best_batch(evaluator, seconds / 4)
    work = raw_work(evaluator, batch)
    raws = [rate(work, batch, seconds)]

    def measure(positions: Sequence[ChessPosition], params: SearchParams, nodes: int) -> tuple[float, float]:
        """Visits per second, and the same as a share of the net's raw speed."""
        speed = search_rate(evaluator, positions, params, nodes)
        raws.append(rate(work, batch, seconds))
        return speed, speed / statistics.fmean(raws[-2:])

    subjects = {
        f"{games} games of {nodes} visits": partial(measure, positions, many, nodes),
        f"one game of {long_nodes} visits": partial(measure, positions[:1], one, long_nodes),
    }
    found = interleaved(subjects, repetitions, on_progress)
    rows = [Row(f"raw net, batch {batch}", "positions/s", tuple(raws))]
    for (name, values), goal in zip(found.items(), (MANY_SHARE, ONE_SHARE), strict=True):
        speeds, shares = zip(*values, strict=True)
        rows += [Row(name, "visits/s", speeds), Row("  share of raw", "", shares, goal)]
    conditions = {
        "net": evaluator.name,
        "cache": "off",
        "many games": "batch 1",
        "one game": f"batch {long_batch}, lanes {long_lanes}",
    }
    return Benchmark("Search with a net", conditions, rows)


def best_batch(evaluator: Evaluator, seconds: float, rounds: int = 3) -> int:
    """The batch with the highest median speed, each tried for `seconds` in each of the rounds."""
    works = {batch: raw_work(evaluator, batch) for batch in RAW_BATCHES}
    rates: dict[int, list[float]] = {batch: [] for batch in works}
    for _ in range(rounds):
        for batch, work in works.items():
            rates[batch].append(rate(work, batch, seconds))
    return max(rates, key=lambda batch: statistics.median(rates[batch]))


def search_rate(evaluator: Evaluator, positions: Sequence[ChessPosition], params: SearchParams, nodes: int) -> float:
    """Visits per second of a forest with one tree per position."""
    trees = Trees([evaluator], params)
    start = time.perf_counter()
    found = wait(trees.searches(positions, nodes))
    return sum(summary.n for summary in found) / (time.perf_counter() - start)
