"""Make an attuned net in a process that is killed again and again, each time at another point of the run.

Arguments: a folder with nothing in it. Run by a test. The processes are forked from one that has imported everything
and done nothing, so that each begins at once.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch

from foible.training.attune.config import AttuneConfig
from foible.training.attune.run import attune
from tests.training.attune.made_up import config

KILLS: dict[str, Callable[[Path], bool]] = {
    "while games are played": lambda run: _size(run / "games" / "games.pgn") > 0,
    "when the games are divided": lambda run: (run / "split.json").exists(),
    "while the net is tuned": lambda run: (run / "net" / "checkpoints" / "last.pt").exists(),
    "when the net is tuned": lambda run: (run / "net" / "result.json").exists(),
    "while the test is played": lambda run: _size(run / "test" / "games.pgn") > 0,
}


def main(folder: Path) -> None:
    torch.optim.SGD([torch.zeros(1)])  # Imports what is slow, once for all processes.
    asked = config(folder, steps=120, batch=8)
    _wait(_start(asked, folder / "alone"))
    for point, reached in KILLS.items():
        process = _start(asked, folder / "killed")
        while not reached(folder / "killed") and not _over(folder / "killed"):
            time.sleep(0.001)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        print(f"killed {point}{', but it was over' if _over(folder / 'killed') else ''}")
    _wait(_start(asked, folder / "killed"))


def _start(asked: AttuneConfig, run: Path) -> int:
    process = os.fork()
    if process:
        return process
    torch.set_num_threads(1)
    attune(asked, run)
    os._exit(0)


def _wait(process: int) -> None:
    if os.waitpid(process, 0)[1]:
        sys.exit("a run failed")


def _over(run: Path) -> bool:
    return (run / "report.json").exists()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


if __name__ == "__main__":
    main(Path(sys.argv[1]))
