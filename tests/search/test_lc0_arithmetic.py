"""Where foible's trees differ from lc0's, lc0's arithmetic is the reason.

The twin with lc0's approximate exponential and its priors of 11 stored bits grows lc0's trees visit for visit. What is
left are moves whose rounded priors are equal: lc0 orders them arbitrarily (`docs/methods/search.md`, "Priors").
"""

import json
import math
import struct
from collections.abc import Sequence

import pytest

from foible._core import ChessPosition, Seat
from foible.nets import open_net
from tests import reference_search
from tests.search.test_golden import OPTIONS
from tests.shared_data import shared

DROPPED_BITS = 12
"""Of the 23 mantissa bits of a 32-bit float 11 are stored."""


def approximate_exp(x: float) -> float:
    """2^y as 2^⌊y⌋ times a quadratic in the fraction."""
    y = x / math.log(2)
    fraction = y - math.floor(y)
    return math.ldexp(1 + fraction * (0.6602339 + 0.33976606 * fraction), math.floor(y)) if y > -126 else 0.0


def stored(p: float) -> float:
    """Rounded half up to 11 bits."""
    [bits] = struct.unpack("<I", struct.pack("<f", p))
    rounded = (bits + (1 << DROPPED_BITS - 1)) >> DROPPED_BITS << DROPPED_BITS
    return float(struct.unpack("<f", struct.pack("<I", rounded))[0])


def lc0_softmax(logits: Sequence[float], temperature: float) -> list[float]:
    top = max(logits)
    weights = [approximate_exp((x - top) / temperature) for x in logits]
    return [stored(weight / sum(weights)) for weight in weights]


def test_with_lc0s_arithmetic_small_trees_are_identical_but_for_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = [json.loads(line) for line in shared("golden/lc0_search.jsonl").read_text().splitlines()]
    priors = {(t["cfg"], t["id"]): sorted(t["P"].values(), reverse=True) for t in trees if "P" in t}
    net = open_net(str(shared("nets/maia-1500.pb.gz")), threads=1)
    monkeypatch.setattr(reference_search, "softmax", lc0_softmax)
    different = []
    for tree in trees:
        if tree["nodes"] > 50:
            continue
        position = ChessPosition(tree.get("fen"), tree["moves"])
        search = reference_search.Search(position, OPTIONS[tree["cfg"]], (Seat(), Seat()), [net], 0)
        search.run(tree["nodes"])
        visits = {edge.move: edge.child.n for edge in search.root.edges if edge.child.n}
        if visits != tree["N"]:
            different.append((tree["cfg"], tree["id"]))
    for key in different:
        best, second = priors[key][:2]
        assert best == second, f"{key} differs and its best priors are not equal"
    assert len(different) <= 1
