"""The search tree alone: the built-in evaluator costs next to nothing, so this is what gather and scatter take."""

import time
from dataclasses import replace

from foible._core import ChessPosition, Forest
from foible.interfaces.bench.result import Benchmark, Row
from foible.nets.material import Material
from foible.search.params import SearchParams, seats

POSITIONS = {
    "opening": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "middlegame": "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "endgame": "8/5pk1/6p1/1p5p/1P2P2P/5PK1/r7/2R5 w - - 0 40",
}
VISITS_PER_SECOND = 500_000
CONTEMPT_VISITS = 28
"""What the author of search-contempt suggests for queen odds (search-contempt §3)."""
TREES = 20
"""Trees per measurement: one alone takes some 20 ms."""


def bench_tree(visits: int = 10_000, batch: int = 64, repetitions: int = 7) -> Benchmark:
    """Visits per second of one tree on one thread, evaluator included, and the memory that it takes.

    `batch`: leaves of the tree under way at once.
    """
    params = SearchParams(batch=batch, cache=0)
    contempt = replace(params, contempt_visits=CONTEMPT_VISITS)
    speeds: dict[str, list[float]] = {name: [] for name in POSITIONS}
    shares: dict[str, list[float]] = {name: [] for name in POSITIONS}
    sizes: dict[str, tuple[int, int, int]] = {}
    for _ in range(repetitions):
        for name, fen in POSITIONS.items():
            grown = [grow(ChessPosition(fen), params, visits) for _ in range(TREES)]
            sizes[name] = grown[-1][1]
            speeds[name].append(TREES * visits / sum(seconds for seconds, _ in grown))
            frozen = sum(grow(ChessPosition(fen), contempt, visits)[0] for _ in range(TREES))
            shares[name].append(TREES * visits / frozen / speeds[name][-1])
    rows = []
    for name, (nodes, edges, size) in sizes.items():
        rows += [
            Row(name, "visits/s", tuple(speeds[name]), VISITS_PER_SECOND),
            Row(f"  with contempt {CONTEMPT_VISITS}", "of that", tuple(shares[name])),
            Row("  a node", "bytes", (size / nodes,)),
            Row("  an edge", "bytes", (size / edges,)),
            Row("  edges a node", "", (edges / nodes,)),
        ]
    conditions = {
        "evaluator": Material().name,
        "visits": visits,
        "leaves of the tree per evaluation": batch,
        "threads": 1,
        "cache": "off",
    }
    return Benchmark("Search tree alone", conditions, rows)


def grow(position: ChessPosition, params: SearchParams, visits: int) -> tuple[float, tuple[int, int, int]]:
    """Seconds for one tree, and its nodes, edges and bytes. No second thread: nothing overlaps."""
    forest, net = Forest(params, *seats(params)), Material()
    forest.add(position, visits)
    start = time.perf_counter()
    while forest.growing:
        request = forest.gather(params.batch)
        (batch,) = request.batches
        if batch is not None:
            found = net.evaluate(batch)
            forest.scatter(request, [(found.logits, found.wdl, found.moves_left, found.margins)])
        else:
            forest.scatter(request, [None])
    return time.perf_counter() - start, forest.size
