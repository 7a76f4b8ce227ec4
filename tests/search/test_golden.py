"""The search against lc0's own trees (`docs/methods/search.md`).

What remains different is explained by lc0's arithmetic: priors rounded to 11 bits, approximate exp and log. Where two
moves have the same rounded prior lc0 orders them arbitrarily.
"""

import json
from collections import defaultdict
from dataclasses import dataclass

import pytest

from foible._core import ChessPosition, Forest, Seat
from foible.nets import open_net
from foible.search.params import SearchParams
from tests.search.synthetic import grow
from tests.shared_data import shared

BASE = SearchParams(policy_temperature=1.0)
OPTIONS = {
    "base": BASE,
    "nosticky": SearchParams(policy_temperature=1.0, two_fold_draws=False, sticky_endgames=False),
    "alt": SearchParams(
        cpuct=3.0,
        cpuct_base=5000,
        cpuct_factor=2.0,
        fpu_value=0.2,
        root_cpuct=2.5,
        root_cpuct_base=20000,
        root_cpuct_factor=1.0,
        root_fpu="absolute",
        root_fpu_value=0.5,
        policy_temperature=1.359,
        draw_score=-0.15,
    ),
}


@dataclass(frozen=True)
class Comparison:
    nodes: int
    identical: bool
    distance: float
    same_best: bool
    q_error: float


@pytest.fixture(scope="module")
def comparisons() -> list[Comparison]:
    groups = defaultdict(list)
    for line in shared("golden/lc0_search.jsonl").read_text().splitlines():
        tree = json.loads(line)
        groups[tree["cfg"], tree["net"]].append(tree)
    nets = {name: open_net(str(shared(f"nets/{name}.pb.gz"))) for _, name in groups}
    found = []
    for (options, net), trees in groups.items():
        # One forest for all sizes: the small trees are the beginnings of the large ones, whose evaluations it caches.
        forest = Forest(OPTIONS[options], Seat(), Seat())
        numbers = [forest.add(ChessPosition(t.get("fen"), t["moves"]), t["nodes"]) for t in trees]
        grow(forest, [nets[net]], 128)
        for number, tree in zip(numbers, trees, strict=True):
            root, nodes = forest.summary(number), tree["nodes"]
            assert root.n == nodes
            visits = {move.move: move.n for move in root.moves if move.n}
            golden = tree["N"]
            moved = sum(abs(visits.get(move, 0) - golden.get(move, 0)) for move in visits.keys() | golden.keys())
            found.append(
                Comparison(
                    nodes=nodes,
                    identical=visits == golden,
                    distance=moved / 2 / max(1, nodes - 1),
                    same_best=root.moves[0].move == tree["best"],
                    q_error=abs(root.q - tree["root"]["q"]),
                )
            )
    return found


def test_small_trees_are_lc0s_visit_for_visit(comparisons: list[Comparison]) -> None:
    small = [c for c in comparisons if c.nodes <= 50]
    assert sum(c.identical for c in small) / len(small) >= 0.95


@pytest.mark.parametrize(("nodes", "limit"), [(200, 0.01), (800, 0.02)])
def test_large_trees_spread_their_visits_as_lc0s(comparisons: list[Comparison], nodes: int, limit: float) -> None:
    large = [c for c in comparisons if c.nodes == nodes]
    distance = sum(c.distance for c in large) / len(large)
    print(f"{nodes} nodes: mean distance {distance:.4f}, identical {sum(c.identical for c in large)}/{len(large)}")
    assert distance <= limit
    assert sum(c.same_best for c in large) / len(large) >= 0.95
    assert max(c.q_error for c in large) < 0.01
