"""The torch runtime: evaluations and search visits per second, and what share of the device they use.

    python benchmarks/torch_nets.py [--device cpu|cuda] [--precision f32|bf16] [--chunk N] [--threads N] [--json]

For residual nets with random weights, 64 × 6 and 128 × 10, and for 1, 64 and 1024 games. Everything is measured in one
run, in turns. A net's arithmetic is counted as its multiplications and additions in convolutions and dense layers; the
device's is what it does in the product of two large square matrices of the same precision.
"""

import argparse
import json
import time
from dataclasses import dataclass
from typing import get_args

import torch
from rich.console import Console
from rich.table import Table
from torch import nn

from foible._core import Batch
from foible.games.chess import random_positions
from foible.interfaces.bench.nets import rate
from foible.interfaces.bench.result import number
from foible.interfaces.bench.search import search_rate
from foible.nets.choices import Precision
from foible.nets.modules import SeResNet, build
from foible.nets.torch_net import Device, TorchNet
from foible.search.params import SearchParams

NETS = {"64x6": SeResNet(), "128x10": SeResNet(filters=128, blocks=10, squeeze=16)}
GAMES = (1, 64, 1024)
SIDE = {"cpu": 2048, "cuda": 8192}
"""Of the matrices."""
ONE_GAME = SearchParams(cache=0, batch=64, lanes=2)
MANY_GAMES = SearchParams(cache=0)


@dataclass(frozen=True)
class Measured:
    """One net with one number of games."""

    net: str
    games: int
    evaluations: float
    """Per second, in batches of as many positions as there are games, at most 512; 64 for one game."""
    visits: float
    """Per second of searches, the cache being off."""
    visits_of_evaluations: float
    matrix_flops: float
    """Per second, of the device."""
    evaluations_of_device: float
    """Share of its arithmetic that the evaluations do."""
    visits_of_device: float


def main() -> None:
    arguments = parse()
    device, precision = arguments.device, arguments.precision
    torch.set_num_threads(arguments.threads)
    found = []
    for name, config in NETS.items():
        torch.manual_seed(0)
        net = build(config)
        flops = operations(net)
        evaluator = TorchNet(net, name, precision, device=device, chunk=arguments.chunk)
        for games in GAMES:
            found.append(measure(name, evaluator, flops, games, arguments.seconds))
            if not arguments.json:
                Console(stderr=True).print(f"{name}, {games} games: done", highlight=False)
    if arguments.json:
        print(json.dumps([vars(one) for one in found], indent=1))
    else:
        show(found, f"{device_name(device)}, {precision}, batch {evaluator.batch_size}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=get_args(Device), default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--precision", choices=get_args(Precision), default="bf16")
    parser.add_argument("--chunk", type=int)
    parser.add_argument("--threads", type=int, default=1, help="of the processor")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def measure(name: str, evaluator: TorchNet, flops: int, games: int, seconds: float) -> Measured:
    """The matrix product is measured before and after, evaluations before and after the search."""
    positions = random_positions(games)
    size = 64 if games == 1 else min(games, 512)
    batch = Batch(random_positions(size))
    matrices = [matrix_flops(evaluator, seconds / 2)]
    evaluations = [rate(lambda: evaluator.evaluate(batch), size, seconds)]
    nodes = max(2, int(evaluations[0] * seconds / games))
    params = ONE_GAME if games == 1 else MANY_GAMES
    visits = search_rate(evaluator, positions, params, nodes)
    evaluations.append(rate(lambda: evaluator.evaluate(batch), size, seconds))
    matrices.append(matrix_flops(evaluator, seconds / 2))
    per_second, device = sum(evaluations) / 2, sum(matrices) / 2
    return Measured(
        net=name,
        games=games,
        evaluations=per_second,
        visits=visits,
        visits_of_evaluations=visits / per_second,
        matrix_flops=device,
        evaluations_of_device=per_second * flops / device,
        visits_of_device=visits * flops / device,
    )


def operations(net: nn.Module) -> int:
    """Multiplications and additions for one position; every convolution keeps the 64 squares."""
    convolutions = sum(64 * m.weight.numel() for m in net.modules() if isinstance(m, nn.Conv2d))
    return 2 * (convolutions + sum(m.weight.numel() for m in net.modules() if isinstance(m, nn.Linear)))


def matrix_flops(evaluator: TorchNet, seconds: float) -> float:
    """Operations per second in the product of two matrices of the evaluator's precision on its device."""
    side = SIDE[evaluator.device]
    dtype = torch.bfloat16 if evaluator.precision == "bf16" else torch.float32
    one, other = (torch.randn(side, side, device=evaluator.device, dtype=dtype) for _ in range(2))

    def products() -> None:
        for _ in range(4):
            torch.mm(one, other)
        if evaluator.device == "cuda":
            torch.cuda.synchronize()

    products()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        products()
        count += 4
    return 2 * side**3 * count / (time.perf_counter() - start)


def device_name(device: Device) -> str:
    threads = f"processor, {torch.get_num_threads()} threads"
    return torch.cuda.get_device_name() if device == "cuda" else threads


def show(found: list[Measured], title: str) -> None:
    table = Table("net", "games", title=title)
    for column in ("evals/s", "visits/s", "of evals", "evals of device", "visits of device", "device Tflop/s"):
        table.add_column(column, justify="right")
    for one in found:
        shares = (one.visits_of_evaluations, one.evaluations_of_device, one.visits_of_device)
        rates = number(one.evaluations), number(one.visits)
        table.add_row(one.net, str(one.games), *rates, *(f"{x:.1%}" for x in shares), f"{one.matrix_flops / 1e12:.3g}")
    Console().print(table)


if __name__ == "__main__":
    main()
