"""Whether a position's numbers depend on its batch in PyTorch, and what it costs that in foible they do not.

    python benchmarks/torch_bits.py [--device cpu|cuda] [--largest N] [--seconds S] [--json]

PyTorch may choose another kernel for another number of positions, and kernels add in different orders. So `TorchNet`
computes chunks of one size, and fills up the last one. Residual nets with random weights, 64 × 6 and 128 × 10, evaluate
the same positions in batches of several sizes: once in calls of just that size, once in filled chunks. Both ways replay
CUDA graphs where there is CUDA. Compared are the logits of the legal moves and the probabilities of win, draw and loss.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Final, get_args

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

from foible._core import Batch, ChessPosition
from foible.games.chess import random_positions
from foible.interfaces.bench.nets import rate
from foible.interfaces.bench.result import number
from foible.nets.choices import Precision
from foible.nets.modules import SeResNet, build
from foible.nets.torch_net import Device, TorchNet

NETS: Final = {"64x6": SeResNet(), "128x10": SeResNet(filters=128, blocks=10, squeeze=16)}
SIZES: Final = (1, 2, 3, 5, 8, 16, 31, 32, 64, 100, 128, 200, 256, 512, 1024)
"""The batches that are compared, as far as they are not larger than asked for."""
Numbers = np.ndarray[tuple[int], np.dtype[np.float32]]


@dataclass(frozen=True)
class Compared:
    """One net and precision, in batches of one size."""

    net: str
    precision: Precision
    size: int
    other_bits: float
    """The share of positions whose numbers are not, bit by bit, those that they have in a full chunk, where each call
    has just `size` positions.
    """
    farthest: float
    """The largest difference of a probability of win, draw or loss there."""
    other_bits_filled: float
    """The share of positions with other bits where chunks are filled up; `TorchNet` is to make it zero."""
    just: float
    """Positions per second in calls of just `size` positions."""
    filled: float
    """Positions per second in batches of `size` positions, in filled chunks."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=get_args(Device), default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--largest", type=int, default=1024 if torch.cuda.is_available() else 32, help="batch")
    parser.add_argument("--seconds", type=float, default=0.3, help="of each measurement")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    precisions: tuple[Precision, ...] = ("f32", "bf16")
    sizes = [size for size in SIZES if size <= arguments.largest]
    subjects = [(net, precision, size) for net in NETS for precision in precisions for size in sizes]
    progress = track(subjects, "comparing", console=Console(stderr=True))
    found = [compare(*subject, sizes[-1], arguments) for subject in progress]
    if arguments.json:
        print(json.dumps([asdict(one) for one in found], indent=1))
    else:
        show(found)


def compare(name: str, precision: Precision, size: int, largest: int, arguments: argparse.Namespace) -> Compared:
    """Compare one net in batches of one size, on as many positions as the largest batch has."""
    positions = random_positions(largest, seed=1)
    just, filled = opened(name, precision, arguments.device, size), opened(name, precision, arguments.device, None)
    reference = numbers(filled, positions, largest)
    alone, chunks = numbers(just, positions, size), numbers(filled, positions, size)
    batch = Batch(positions[:size])
    return Compared(
        name,
        precision,
        size,
        differing(alone, reference),
        max(float(np.abs(one[-3:] - other[-3:]).max()) for one, other in zip(alone, reference, strict=True)),
        differing(chunks, reference),
        rate(partial(just.evaluate, batch), size, arguments.seconds),
        rate(partial(filled.evaluate, batch), size, arguments.seconds),
    )


def opened(name: str, precision: Precision, device: Device, chunk: int | None) -> TorchNet:
    """The net with random weights that are always the same, computing chunks of that size; `None`: its own choice."""
    torch.manual_seed(0)
    return TorchNet(build(NETS[name]), name, precision, device=device, chunk=chunk)


def numbers(net: TorchNet, positions: Sequence[ChessPosition], size: int) -> list[Numbers]:
    """What a net says of each position, in batches of one size: the logits of its moves, then win, draw and loss."""
    found: list[Numbers] = []
    for start in range(0, len(positions), size):
        batch = Batch(positions[start : start + size])
        evaluation, offsets = net.evaluate(batch), batch.offsets
        for row in range(len(batch)):
            logits = evaluation.logits[offsets[row] : offsets[row + 1]]
            found.append(np.concatenate([logits, evaluation.wdl[row]]))
    return found


def differing(some: Sequence[Numbers], others: Sequence[Numbers]) -> float:
    """The share of positions with other bits."""
    return float(np.mean([not np.array_equal(one, other) for one, other in zip(some, others, strict=True)]))


def show(found: Sequence[Compared]) -> None:
    table = Table("net", "precision", title="Positions with other bits than in a full chunk")
    for column in (
        "batch",
        "calls of just that size",
        "largest difference",
        "filled chunks",
        "just, pos./s",
        "filled, pos./s",
    ):
        table.add_column(column, justify="right")
    for one in found:
        shares = f"{one.other_bits:.1%}", f"{one.farthest:.2g}", f"{one.other_bits_filled:.1%}"
        table.add_row(one.net, one.precision, str(one.size), *shares, number(one.just), number(one.filled))
    Console().print(table)


if __name__ == "__main__":
    main()
