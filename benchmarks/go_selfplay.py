"""How fast Go nets play themselves: games, searched visits and evaluations a second, and how busy the net is.

    python -m benchmarks.go_selfplay [--size 7] [--blocks 3] [--filters 128] [--visits 250] [--games 64] [--runs 3]

Each run plays with an untrained net of this shape, whose games are as long as games get, in f32 and, where the
processor has it, in bf16, in turn; the last line is their ratio with its spread over the runs.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from foible.errors import ConfigError
from foible.nets.catalogue import open_net
from foible.nets.choices import Precision
from foible.nets.go.modules import save_go_net
from foible.nets.go.net import GoNetConfig
from foible.runs.journal import Journal
from foible.selfplay.go.config import GoSelfplayConfig
from foible.selfplay.go.play import GoSelfplay
from foible.selfplay.go.record import GoSelfplayRecord
from foible.training.go.trainer import random_net


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (
        ("size", 7),
        ("blocks", 3),
        ("filters", 128),
        ("visits", 250),
        ("games", 64),
        ("threads", 1),
        ("runs", 3),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        net = Path(folder) / "net.txt.gz"
        save_go_net(random_net(GoNetConfig(size=words.size, blocks=words.blocks, filters=words.filters), 1), net)
        rates: dict[Precision, list[float]] = {"f32": [], "bf16": []}
        print("| precision | games/s | visits/s | evaluations/s | net busy |\n| --- | --- | --- | --- | --- |")
        for run in range(words.runs):
            for precision, found in rates.items():
                try:
                    found.append(measured(net, precision, words, Path(folder) / f"{precision}-{run}.jsonl"))
                except ConfigError as error:
                    print(f"{precision}: {error}")
    if all(rates.values()):
        ratios = [fast / slow for fast, slow in zip(rates["bf16"], rates["f32"], strict=True)]
        print(f"\nbf16 / f32 in evaluations: {statistics.mean(ratios):.2f} ({min(ratios):.2f} … {max(ratios):.2f})")


def measured(net: Path, precision: Precision, words: argparse.Namespace, path: Path) -> float:
    """Play, print a line, give evaluations a second."""
    evaluator = open_net(str(net), precision=precision, threads=words.threads)
    config = GoSelfplayConfig(visits=words.visits, concurrency=words.games)
    with Journal(path, GoSelfplayRecord) as journal:
        selfplay = GoSelfplay(config, evaluator, words.size, words.games, 1, journal)
        begin = time.perf_counter()
        selfplay.play()
        seconds = time.perf_counter() - begin
        visits = words.visits * sum(len(game.plies) for game in journal.items)
    speed = selfplay.speed
    rate = speed.evaluations / seconds
    cells = f"{words.games / seconds:.2f} | {visits / seconds:.0f} | {rate:.0f} | {speed.busy:.0%}"
    print(f"| {precision} | {cells} |", flush=True)
    return rate


if __name__ == "__main__":
    main()
