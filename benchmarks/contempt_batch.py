"""Whether what search-contempt finds depends on how many leaves of one tree are evaluated at once.

    python benchmarks/contempt_batch.py [--net maia-1900] [--nodes 1000] [--positions 24] [--runs 16] [--json FILE]

Each position of the balanced book is searched with every batch, by several seeds. For a limit and a batch the table
gives, as means over positions: the change of the root's value against batch 1, the share of root visits that went
elsewhere, both after averaging over the seeds, the same two by chance alone (two halves of batch 1's seeds,
over √2 since all the seeds together vary less by that), and how often the seeds chose the move that most seeds choose
with batch 1. Plain PUCT stands beside.
"""

import argparse
import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition, RootSummary
from foible.arena.openings import find_openings, read_openings
from foible.interfaces.cli.output import print_table
from foible.loop import together, wait
from foible.nets import Evaluator
from foible.nets.shelf import NetShelf, Runtimes
from foible.search.params import SearchParams
from foible.search.trees import Trees

LIMITS = (None, 5, 28, 100)
BATCHES = (1, 4, 16, 64)


def searches(
    evaluator: Evaluator, params: SearchParams, position: ChessPosition, nodes: int, runs: int
) -> list[RootSummary]:
    """The same search by several seeds; without contempt there is no chance and one is enough."""
    trees = Trees([evaluator], params)
    seeds = range(runs if params.contempt_visits else 1)
    return wait(together(trees.search(position, nodes, seed=seed) for seed in seeds))


def shares(found: list[RootSummary]) -> NDArray[np.float64]:
    """`[runs, moves]`: shares of the root's visits, moves by name."""
    visits = [[move.n for move in sorted(summary.moves, key=lambda move: move.move)] for summary in found]
    counts = np.array(visits, dtype=np.float64)
    parts: NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
    return parts


def distance(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return float(np.abs(a.mean(axis=0) - b.mean(axis=0)).sum() / 2)


def compare(found: list[RootSummary], base: list[RootSummary]) -> tuple[float, float, float]:
    """Change of value, share of visits moved, share of seeds that choose the usual move of `base`."""
    change = abs(float(np.mean([s.q for s in found]) - np.mean([s.q for s in base])))
    usual = Counter(summary.moves[0].move for summary in base).most_common(1)[0][0]
    agree = float(np.mean([summary.moves[0].move == usual for summary in found]))
    return change, distance(shares(found), shares(base)), agree


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", default="maia-1900")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--positions", type=int, default=24)
    parser.add_argument("--runs", type=int, default=16)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    evaluator = NetShelf(Runtimes("auto", "bf16")).evaluator(options.net)
    book = read_openings(find_openings("balanced"))
    positions = [opening.position() for opening in book[:: max(1, len(book) // options.positions)]][: options.positions]
    rows = []
    for limit in LIMITS:
        params = SearchParams(contempt_visits=limit, cache=1_000_000)
        base = [searches(evaluator, params, position, options.nodes, options.runs) for position in positions]
        chance = [compare(found[::2], found[1::2]) for found in base if limit]
        for batch in BATCHES[1:]:
            batched = replace(params, batch=batch)
            found = [searches(evaluator, batched, position, options.nodes, options.runs) for position in positions]
            means = np.mean([compare(f, b) for f, b in zip(found, base, strict=True)], axis=0)
            by_chance = np.mean(chance, axis=0) / math.sqrt(2) if chance else np.zeros(3)
            agree = np.mean([compare(b, b)[2] for b in base])
            rows.append(
                {
                    "limit": limit or "off",
                    "batch": batch,
                    "value changes by": round(float(means[0]), 4),
                    "by chance": round(float(by_chance[0]), 4),
                    "visits moved": round(float(means[1]), 4),
                    "moved by chance": round(float(by_chance[1]), 4),
                    "usual move": round(float(means[2]), 3),
                    "with batch 1": round(float(agree), 3),
                }
            )
            print(rows[-1], flush=True)
    title = f"{evaluator.name}, {options.nodes} visits, {len(positions)} positions, {options.runs} seeds"
    print_table(title, list(rows[0]), [[str(value) for value in row.values()] for row in rows])
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
