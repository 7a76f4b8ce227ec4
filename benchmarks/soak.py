"""Whether memory stays flat while games are played for hours: many short ones in a single process.

    python benchmarks/soak.py [KIND …] [--minutes M]

Each kind is one process, all run at the same time. Its resident memory is read every two seconds; the slope is that of
the straight line through what was read after the first quarter, by which time caches and allocators have filled. Needs
the folder /proc of Linux.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

MATCH = """
framework = "standard"
games = 1000000
seed = 1
max_plies = 60
concurrency = 8
threads = 1
[focal]
kind = "net_search"
net = "material"
nodes = 8
[alter]
kind = "net_policy"
net = "material"
temperature = 1.0
"""
SELFPLAY = """
net = "material"
games = 1000000
nodes = 8
concurrency = 8
max_plies = 60
threads = 1
[search]
temperature = 1.0
[openings]
random_plies = 2
"""
GO_MATCH = """
focal = ["strong"]
opponents = ["weak"]
games = 1000000
size = 5
komi = 2.5
seed = 1
openings = { plies = 2 }
[players]
strong = { kind = "net", net = "material", visits = 8 }
weak = { kind = "net", net = "material", visits = 2 }
"""
BETWEEN = 2.0
"""Seconds between two looks at a process."""
PLIES = 60
"""Of a game that the engine is asked to play."""


@dataclass
class Watched:
    """A process that plays, and what was seen of it."""

    name: str
    process: subprocess.Popen[str]
    games: Callable[[], int]
    """How many have ended."""
    seen: list[tuple[int, float]] = field(default_factory=list)
    """Games and resident MiB."""

    def look(self) -> None:
        """:raises SystemExit: it has ended."""
        if self.process.poll() is not None:
            raise SystemExit(f"{self.name}: ended with {self.process.returncode}")
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text("utf-8").split()[1])
        self.seen.append((self.games(), pages * 4096 / 2**20))

    def told(self) -> str:
        games, memory = np.array(self.seen).T
        after = len(games) // 4
        slope = np.polyfit(games[after:], memory[after:], 1)[0] if games[-1] > games[after] else float("nan")
        return (
            f"{self.name}: {games[-1]:.0f} games; {memory[after]:.0f} MiB after {games[after]:.0f} of them, "
            f"{memory[-1]:.0f} MiB at the end, {1024 * slope:.2f} KiB a game"
        )


def lines_in(folder: Path, pattern: str, beginning: bytes) -> Callable[[], int]:
    """How many lines of the files begin so; what was counted once is not read again."""
    read: dict[Path, int] = {}
    found = 0

    def count() -> int:
        nonlocal found
        for path in folder.rglob(pattern):
            with path.open("rb") as file:
                file.seek(read.get(path, 0))
                whole, newline, _ = file.read().rpartition(b"\n")
            read[path] = read.get(path, 0) + len(whole + newline)
            found += sum(line.startswith(beginning) for line in whole.splitlines())
        return found

    return count


def started(words: list[str], *, stdin: int | None = None, stdout: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    program = [sys.executable, "-c", f"from foible.interfaces.cli import run; run({words!r})"]
    return subprocess.Popen(program, text=True, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)


def run_of(name: str, words: list[str], config: str, pattern: str, beginning: bytes, folder: Path) -> Watched:
    """A command that leaves a run folder."""
    path = folder / "config.toml"
    path.write_text(config, "utf-8")
    process = started([*words, str(path), "--out", str(folder / "run")])
    return Watched(name, process, lines_in(folder / "run", pattern, beginning))


def engine(folder: Path) -> Watched:
    """The engine that chess programs run, asked for both sides' moves of one game after the other."""
    process = started(["uci"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    ended = 0

    def play() -> None:
        nonlocal ended
        chance = random.Random(1)
        assert process.stdin is not None
        assert process.stdout is not None
        print("setoption name Net value material", file=process.stdin)
        while True:
            moves: list[str] = []
            print("ucinewgame", file=process.stdin)
            while len(moves) < PLIES and moves[-1:] != ["0000"]:
                line = f"position startpos moves {' '.join(moves)}" if moves else "position startpos"
                print(f"{line}\ngo nodes {chance.randint(2, 200)}", file=process.stdin, flush=True)
                while not (said := process.stdout.readline()).startswith("bestmove"):
                    if not said:
                        return
                moves.append(said.split()[1])
            ended += 1

    threading.Thread(target=play, daemon=True).start()
    return Watched("engine", process, lambda: ended)


KINDS: dict[str, Callable[[Path], Watched]] = {
    "match": lambda folder: run_of("match", ["match"], MATCH, "games.pgn", b"[Event ", folder),
    "self-play": lambda folder: run_of("self-play", ["selfplay"], SELFPLAY, "*.pgn", b"[Event ", folder),
    "go match": lambda folder: run_of("go match", ["go", "match"], GO_MATCH, "*.sgf", b"(;", folder),
    "engine": engine,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; all when absent")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--json", type=Path, help="a file for what was seen")
    arguments = parser.parse_args()
    if unknown := set(arguments.kinds) - set(KINDS):
        parser.error(f"no kind of run is called {', '.join(sorted(unknown))}")
    until = time.monotonic() + 60 * arguments.minutes
    with ExitStack() as held:
        watched = []
        for name in arguments.kinds or KINDS:
            one = KINDS[name](Path(held.enter_context(tempfile.TemporaryDirectory())))
            held.callback(one.process.wait)
            held.callback(one.process.kill)
            watched.append(one)
        while time.monotonic() < until:
            time.sleep(BETWEEN)
            for one in watched:
                one.look()
        for one in watched:
            print(one.told())
        if arguments.json:
            arguments.json.write_text(json.dumps({one.name: one.seen for one in watched}), "utf-8")


if __name__ == "__main__":
    main()
