"""How long commands take to start: processor time and time by the clock until the first line that tells something.

    python benchmarks/starts.py [--times 7]

`foible explain` shows its first table on a terminal, so it is given one. Programs are run by turns.
"""

import argparse
import os
import pty
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence

FOIBLE = (sys.executable, "-m", "foible")
UCI = (sys.executable, "-m", "foible.interfaces.uci")
EXPLAIN = (*FOIBLE, "explain", "startpos", "--moves", "e4 e5 Nf3 Nc6 Bc4")
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(process: int) -> float:
    """Those of a process and of the children that it has waited for."""
    with open(f"/proc/{process}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / TICKS


def until(command: Sequence[str], wanted: str, told: str = "") -> tuple[float, float]:
    """Seconds of the processor and of the clock from the start of a command to a line that it prints on its terminal.

    :param wanted: a pattern in that line. :param told: what is typed at once.
    """
    begun = time.perf_counter()
    process, terminal = pty.fork()
    if not process:
        os.execv(command[0], list(command))
    os.write(terminal, told.encode())
    seen = b""
    while not re.search(wanted.encode(), seen):
        seen += os.read(terminal, 1 << 16)
    found = processor_seconds(process), time.perf_counter() - begun
    os.kill(process, 9)
    os.close(terminal)
    os.waitpid(process, 0)
    return found


def whole(command: Sequence[str]) -> tuple[float, float]:
    """Seconds of the processor and of the clock that a command takes in all."""
    before, begun = os.times(), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, time.perf_counter() - begun


STARTS: Mapping[str, Callable[[], tuple[float, float]]] = {
    "python, which does nothing": lambda: whole([sys.executable, "-c", "pass"]),
    "foible --help": lambda: whole([*FOIBLE, "--help"]),
    "foible eval --help": lambda: whole([*FOIBLE, "eval", "--help"]),
    "foible-uci to uciok": lambda: until(UCI, "uciok", "uci\n"),
    "foible-uci to readyok": lambda: until(UCI, "readyok", "isready\n"),
    "foible explain to its first table": lambda: until(EXPLAIN, "Soundest"),
    "foible explain --judge master@100": lambda: until([*EXPLAIN, "--judge", "master@100"], "Soundest"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=7)
    times = parser.parse_args().times
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in STARTS}
    for _ in range(times):
        for name, start in STARTS.items():
            found[name].append(start())
    print(f"{'':36}  processor s             clock s                 ({times} times each)")
    for name, seconds in found.items():
        cells = (
            f"{statistics.median(one):5.2f} ({min(one):.2f} – {max(one):.2f})" for one in zip(*seconds, strict=True)
        )
        print(f"{name:36}  " + "    ".join(cells))


if __name__ == "__main__":
    main()
