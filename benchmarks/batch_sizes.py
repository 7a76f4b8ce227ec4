"""The speed of a net whose calls have changing sizes, as those of matches have, with and without keeping a size that is
a little too large (`foible.nets.graph_workers.BatchSizes`).

    python benchmarks/batch_sizes.py [--net maia-1900] [--precision bf16] [--repetitions 15]
"""

import argparse
import statistics
import time
from collections.abc import Sequence
from typing import get_args
from unittest.mock import patch

import numpy as np

from foible.nets import open_net
from foible.nets.choices import Precision
from foible.nets.evaluator import Floats
from foible.nets.graph_workers import BatchSizes
from foible.nets.runtimes import RuntimeNet

RANGES = ((4, 12), (18, 32), (30, 50), (112, 128))
"""The sizes of the calls: the smallest and the largest of each range."""
CALLS = 12
"""The calls in each repetition."""


class Changing(BatchSizes):
    """Sizes that are never kept."""

    def __init__(self, at_least: int, spare: int, workers: int) -> None:
        super().__init__(at_least, 0, workers)


def seconds(net: RuntimeNet, sizes: Sequence[int], planes: Floats) -> float:
    """The time of calls of these sizes."""
    begin = time.perf_counter()
    for size in sizes:
        net.evaluate_planes(planes[:size])
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--net", default="maia-1900", help="name or path of a net for chess")
    parser.add_argument("--precision", choices=get_args(Precision), default="bf16")
    parser.add_argument("--repetitions", type=int, default=15, help="how often each range is measured")
    options = parser.parse_args()
    net, precision, repetitions = options.net, options.precision, options.repetitions
    keeping = opened(net, precision)
    with patch("foible.nets.graph_workers.BatchSizes", Changing):
        changing = opened(net, precision)
    rng, largest = np.random.default_rng(1), RANGES[-1][-1]
    planes = np.array(rng.integers(0, 2, (largest, keeping.model.planes, 8, 8)), np.float32)
    print(f"{keeping.name}: the speed with kept sizes, where that without is 1: median (lowest to highest)")
    for low, high in RANGES:
        ratios = []
        for _ in range(repetitions):
            sizes = [int(size) for size in rng.integers(low, high + 1, CALLS)]
            ratios.append(seconds(changing, sizes, planes) / seconds(keeping, sizes, planes))
        print(
            f"{low:>4} to {high:>3} positions: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        )


def opened(name: str, precision: Precision) -> RuntimeNet:
    net = open_net(name, runtime="openvino", precision=precision)
    assert isinstance(net, RuntimeNet), f"{name}: expected one net of a file"
    return net


if __name__ == "__main__":
    main()
