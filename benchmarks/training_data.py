"""From PGN text to packed batches on one thread: foible beside python-chess with numpy, in the same run.

    python -m benchmarks.training_data FILE.pgn.xz [--games 200] [--repetitions 5]

Both read the games, replay them and write bit boards and values of every position's planes once, foible in batches of
1024 as it trains, shuffled over all games, and in the order of the games. The input is unpacked beforehand. Before
anything is measured the two are compared plane by plane. Rates are positions per second of processor time.
"""

import argparse
import io
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import get_args

import chess.pgn
import numpy as np
from numpy.typing import NDArray

from benchmarks.plain_planes import ENCODERS, Planes, Replay
from foible._core import Corpus
from foible.games.packed import open_packed
from foible.interfaces.bench.result import Benchmark, Row, number
from foible.nets.encoding import Encoding

BATCH = 1024
TARGET = 200_000
"""Positions per second."""


def bench_training_data(pgn: bytes, repetitions: int) -> Benchmark:
    """Repetitions alternate between all, so that a slower machine slows all."""
    positions = 0
    for encoding in get_args(Encoding):
        positions = check(pgn, encoding)
    rates: dict[tuple[Encoding, str], list[float]] = {}
    for _ in range(repetitions):
        for encoding in get_args(Encoding):
            ways: dict[str, Callable[[], object]] = {
                "python-chess": partial(python_chess, pgn, encoding),
                "shuffled": partial(foible, pgn, encoding, shuffled=True),
                "in order": partial(foible, pgn, encoding, shuffled=False),
            }
            for way, work in ways.items():
                rates.setdefault((encoding, way), []).append(positions / seconds(work))
    rows = []
    for (net, way), found in rates.items():
        theirs = rates[net, "python-chess"]
        rows.append(Row(f"{net}, {way}", "positions/s", tuple(found), None if found is theirs else TARGET))
        if found is not theirs:
            rows.append(Row("  python-chess = 1", "", tuple(a / b for a, b in zip(found, theirs, strict=True))))
    conditions = {"positions": positions, "size in MB": round(len(pgn) / 1e6, 3), "threads": 1}
    return Benchmark("PGN to packed batches", conditions, rows)


def foible(pgn: bytes, encoding: Encoding, *, shuffled: bool) -> None:
    corpus = Corpus()
    corpus.read(io.BytesIO(pgn))
    rows = np.arange(corpus.offsets[-1])
    if shuffled:
        rows = np.random.default_rng(0).permutation(rows)
    for start in range(0, len(rows), BATCH):
        corpus.encode(rows[start : start + BATCH], encoding=encoding)


def python_chess(pgn: bytes, encoding: Encoding) -> list[Planes]:
    """Batches of packed planes."""
    text, encode, batches, batch = io.StringIO(pgn.decode()), ENCODERS[encoding], [], []
    while game := chess.pgn.read_game(text):
        replay = Replay(game.board())
        for move in game.mainline_moves():
            replay.look()
            batch.append(encode(replay))
            replay.board.push(move)
            if len(batch) == BATCH:
                batches.append(packed(batch))
                batch.clear()
    return [*batches, packed(batch)] if batch else batches


def packed(batch: list[Planes]) -> Planes:
    return np.stack([masks for masks, _ in batch]), np.stack([values for _, values in batch])


def check(pgn: bytes, encoding: Encoding) -> int:
    """Whether both write the same planes; how many positions there are."""
    corpus = Corpus()
    corpus.read(io.BytesIO(pgn))
    ours = corpus.encode(np.arange(corpus.offsets[-1]), encoding=encoding)
    masks, values = (np.concatenate(parts) for parts in zip(*python_chess(pgn, encoding), strict=True))
    same: NDArray[np.bool_] = (ours.masks == masks) & ((masks == 0) | (ours.values == values))
    if not same.all():
        row, plane = np.argwhere(~same)[0]
        raise SystemExit(f"{encoding}: plane {plane} of position {row} is not the same")
    return len(masks)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--repetitions", type=int, default=5)
    given = parser.parse_args()
    start = b"[Event "
    games = open_packed(given.file).read().split(start)[1 : given.games + 1]
    found = bench_training_data(b"".join(start + game for game in games), given.repetitions)
    print(found.title, dict(found.conditions))
    for row in found.rows:
        spread = f"{number(min(row.values))} – {number(max(row.values))}"
        target = {True: f"≥ {number(TARGET)} met", False: f"≥ {number(TARGET)} missed", None: ""}[row.met]
        print(f"{row.name:24} {number(row.median):>10} {row.unit} ({spread}) {target}")


if __name__ == "__main__":
    main()
