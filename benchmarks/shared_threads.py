"""Whole matches whose nets begin a second call with few positions, so that two calls share the threads of the
processor, against one call after the other: evaluations/s by turns within one match.

    python benchmarks/shared_threads.py [stt-tree stt-exp hb-tree hb-exp] [--games 64] [--precision f32] [--turns 15]
"""

import argparse
import math
import statistics
import threading
import time
from typing import Final, get_args
from unittest.mock import patch

from foible._core import Batch
from foible.interfaces.bench.match import Subject, long_match
from foible.nets import runtimes
from foible.nets.choices import Precision
from foible.nets.evaluator import Evaluation, least_beside
from foible.nets.runtimes import CHUNK, RuntimeNet
from foible.nets.shelf import NetShelf, Runtimes
from foible.search.batcher import Batcher

TURN: Final = 1.0
"""The seconds of a turn."""
SETTLING: Final = 0.25
"""The seconds at the beginning of a turn that do not count."""
WARM: Final = 4.0
"""The seconds before the first turn, in which the games come to differ."""
KINDS: Final = (CHUNK, runtimes._LEAST_BESIDE)
"""The positions for each thread from which on a second call begins: one call after the other, and as foible has it."""


def rates(preset: str, games: int, precision: Precision, turns: int) -> list[tuple[float, ...]]:
    """Evaluations/s of both kinds in each turn of a match, which ends when the turns have been played."""
    evaluate = RuntimeNet.evaluate
    evaluated: list[int] = []
    found: list[list[float]] = [[], []]

    def counted(net: RuntimeNet, batch: Batch) -> Evaluation:
        evaluated.append(len(batch))
        return evaluate(net, batch)

    def change() -> None:
        time.sleep(WARM)
        for _ in range(turns):
            for kind, least in enumerate(KINDS):
                runtimes._LEAST_BESIDE = least
                time.sleep(SETTLING)
                begin, calls = time.perf_counter(), len(evaluated)
                time.sleep(TURN - SETTLING)
                found[kind].append(sum(evaluated[calls:]) / (time.perf_counter() - begin))

    match = Subject(long_match(preset, nodes=10), games, WARM + turns * len(KINDS) * TURN)
    with patch.object(RuntimeNet, "evaluate", counted), patch.object(runtimes, "_LEAST_BESIDE", KINDS[0]):
        changing = threading.Thread(target=change)
        changing.start()
        match.play(NetShelf(Runtimes("auto", precision)))
        changing.join()
    return list(zip(*found, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("presets", nargs="*", default=["stt-tree", "stt-exp", "hb-tree", "hb-exp"])
    parser.add_argument("--games", type=int, default=64, help="games in progress at once")
    parser.add_argument("--precision", choices=get_args(Precision), default="f32")
    parser.add_argument("--turns", type=int, default=15, help="turns of each kind")
    options = parser.parse_args()
    # A batcher, which may live longer than a turn, keeps what it was once told: here it is to ask each time.
    asked = property(lambda batcher: least_beside(batcher.evaluator), lambda batcher, told: None)
    patch.object(Batcher, "least_beside", asked, create=True).start()
    print(f"{'':9}  {'in turn':>8}  {'shared':>8}   ratio ± its standard error")
    for preset in options.presets:
        found = rates(preset, options.games, options.precision, options.turns)
        in_turn, shared = (statistics.median(each) for each in zip(*found, strict=True))
        ratios = [math.log(new / old) for old, new in found]
        mean, error = math.exp(statistics.fmean(ratios)), statistics.stdev(ratios) / math.sqrt(len(ratios))
        print(f"{preset:9}  {in_turn:8.0f}  {shared:8.0f}   {mean:.2f} ± {mean * error:.2f}", flush=True)


if __name__ == "__main__":
    main()
