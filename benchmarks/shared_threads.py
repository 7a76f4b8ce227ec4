"""Whole matches whose nets begin a second call with few positions, so that two calls share the threads of the
processor, against one call after the other: evaluations/s by turns within one match.

    python benchmarks/shared_threads.py [stt-tree stt-exp hb-tree hb-exp] [--games 64] [--precision f32] [--turns 15]
        [--least 64 6]
"""

import argparse
import math
import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, get_args
from unittest.mock import patch

from foible._core import Batch
from foible.interfaces.bench.match import Subject, long_match
from foible.nets import runtimes
from foible.nets.choices import Precision
from foible.nets.evaluator import Evaluation, least_beside
from foible.nets.runtimes import CHUNK, RuntimeNet
from foible.nets.shelf import NetShelf, Runtimes
from foible.search.batcher import Batcher, Usage

TURN: Final = 1.0
"""The seconds of a turn."""
SETTLING: Final = 0.25
"""The seconds at the beginning of a turn that do not count."""
WARM: Final = 4.0
"""The seconds before the first turn, in which the games come to differ."""


@dataclass(slots=True)
class Kind:
    """The turns in which a second call began with so many positions for each thread."""

    least: int
    rates: list[float] = field(default_factory=list)
    """The evaluations/s of each turn."""
    usage: Usage = field(default_factory=Usage)


def by_turns(preset: str, games: int, precision: Precision, turns: int, leasts: Sequence[int]) -> list[Kind]:
    """The kinds in turn, in a match that ends when all turns have been played."""
    evaluate = RuntimeNet.evaluate
    sizes: list[int] = []
    kinds = [Kind(least) for least in leasts]
    least_of = {precision: leasts[0]}

    def counted(net: RuntimeNet, batch: Batch) -> Evaluation:
        sizes.append(len(batch))
        return evaluate(net, batch)

    def change() -> None:
        time.sleep(WARM)
        for _ in range(turns):
            for kind in kinds:
                least_of[precision] = kind.least
                time.sleep(SETTLING)
                begin, calls = time.perf_counter(), len(sizes)
                time.sleep(TURN - SETTLING)
                kind.rates.append(sum(sizes[calls:]) / (time.perf_counter() - begin))
                kind.usage.sizes.update(sizes[calls:])

    match = Subject(long_match(preset, nodes=10), games, WARM + turns * len(kinds) * TURN)
    with patch.object(RuntimeNet, "evaluate", counted), patch.object(runtimes, "_LEAST_BESIDE", least_of):
        changing = threading.Thread(target=change)
        changing.start()
        match.play(NetShelf(Runtimes("auto", precision)))
        changing.join()
    return kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("presets", nargs="*", default=["stt-tree", "stt-exp", "hb-tree", "hb-exp"])
    parser.add_argument("--games", type=int, default=64, help="games in progress at once")
    parser.add_argument("--precision", choices=get_args(Precision), default="f32")
    parser.add_argument("--turns", type=int, default=15, help="turns of each kind")
    parser.add_argument(
        "--least",
        type=int,
        nargs="+",
        help="positions for each thread from which on a second call begins; by default one call after the other, and "
        "what foible begins with",
    )
    options = parser.parse_args()
    leasts = options.least or (CHUNK, runtimes._LEAST_BESIDE[options.precision])
    # A batcher, which may live longer than a turn, keeps what it was once told: here it is to ask each time.
    asked = property(lambda batcher: least_beside(batcher.evaluator), lambda batcher, told: None)
    patch.object(Batcher, "least_beside", asked, create=True).start()
    print(f"{'':9}  {'least':>5}  {'evaluations/s':>13}  {'median batch':>12}  ratio to the first ± its standard error")
    for preset in options.presets:
        first, *others = by_turns(preset, options.games, options.precision, options.turns, leasts)
        for kind in (first, *others):
            ratios = [math.log(new / old) for old, new in zip(first.rates, kind.rates, strict=True)]
            mean, error = math.exp(statistics.fmean(ratios)), statistics.stdev(ratios) / math.sqrt(len(ratios))
            ratio = "" if kind is first else f"{mean:.2f} ± {mean * error:.2f}"
            rate = statistics.median(kind.rates)
            print(f"{preset:9}  {kind.least:5}  {rate:13.0f}  {kind.usage.median_batch:12}  {ratio}", flush=True)


if __name__ == "__main__":
    main()
