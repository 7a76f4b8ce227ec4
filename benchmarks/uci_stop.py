"""How soon the UCI engine answers `stop` and `isready` during search, and how many nodes it searches a second.

    python benchmarks/uci_stop.py [NET …] [--stops N] [--seconds S] [--busy N]

The engine runs as GUIs run it, behind pipes. Each search goes on for a random time up to `--seconds` before it is
stopped; the latency is from writing `stop` to having read `bestmove`. `--busy` processes that do nothing but count
keep so many processors from it.
"""

import argparse
import random
import re
import statistics
import subprocess
import sys
import time
from typing import IO

POSITIONS = (
    "startpos",
    "fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQ1RK1 w - - 0 8",
    "fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "fen 6k1/5ppp/8/8/8/8/R7/R5K1 w - - 0 1",
)


def talk(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    """The pipes to and from an engine."""
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def latency(process: subprocess.Popen[str], command: str, answer: str) -> tuple[float, list[str]]:
    """Seconds from a command to the line that begins with `answer`, and the lines up to it."""
    to, back = talk(process)
    start = time.perf_counter()
    print(command, file=to, flush=True)
    lines = [back.readline()]
    while not lines[-1].startswith(answer):
        if not lines[-1]:
            raise SystemExit("the engine has gone")
        lines.append(back.readline())
    return time.perf_counter() - start, lines


def measure(net: str, stops: int, seconds: float, rng: random.Random) -> None:
    """Stop many searches with one net and print what was found."""
    command = [sys.executable, "-m", "foible.interfaces.uci"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    to, _ = talk(process)
    # Without the cache the searches, which come back to the same positions, all have the net to wait for.
    print(f"setoption name Net value {net}\nsetoption name Cache value 0", file=to)
    start, _ = latency(process, "isready", "readyok")
    stop_ms, ready_ms, rates = [], [], []
    for number in range(stops):
        latency(process, "ucinewgame\nisready", "readyok")
        print(f"position {POSITIONS[number % len(POSITIONS)]}\ngo infinite", file=to, flush=True)
        time.sleep(rng.uniform(0.02, seconds))
        ready_ms.append(1000 * latency(process, "isready", "readyok")[0])
        waited, lines = latency(process, "stop", "bestmove")
        stop_ms.append(1000 * waited)
        rate = re.search(r" nps (\d+)", lines[-2])
        rates.append(int(rate[1]) if rate else 0)
    print("quit", file=to, flush=True)
    process.wait(20)
    print(
        f"{net}: {stops} stops, median {statistics.median(stop_ms):.1f} ms, longest {max(stop_ms):.1f} ms; "
        f"isready during search median {statistics.median(ready_ms):.1f} ms, longest {max(ready_ms):.1f} ms; "
        f"nodes/s median {statistics.median(rates):.0f} ({min(rates)} to {max(rates)}); start {start:.2f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("nets", nargs="*", default=["material"], help="names or paths of nets")
    parser.add_argument("--stops", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1.0, help="longest time before a stop")
    parser.add_argument("--busy", type=int, default=0, help="processes that compete for the processors")
    arguments = parser.parse_args()
    counting = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(counting) for _ in range(arguments.busy)]
    try:
        for net in arguments.nets:
            measure(net, arguments.stops, arguments.seconds, random.Random(1))
    finally:
        for process in busy:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
