"""How soon `foible web` answers: its first page, moves, bars, explanations; and many pages at once.

    python benchmarks/web.py [--pages 50] [--moves 4] [--judge JUDGE]
    python benchmarks/web.py --starts 10 [--judge JUDGE]

The server runs as users run it, in a folder of its own. Times are what a page waits, from its question to the reply.
With `--starts` only the start is measured, so many times: seconds from the command to the page and to the first answer,
which the page waits for before anybody can play; and the processor time (user and system) that was spent until then.
"""

import argparse
import asyncio
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

LINE = [
    "e2e4",
    "e7e5",
    "g1f3",
    "b8c6",
    "f1c4",
    "g8f6",
    "d2d3",
    "f8c5",
    "c2c3",
    "d7d6",
    "b1d2",
    "a7a6",
    "c4b3",
    "c5a7",
    "h2h3",
    "e8g8",
]


class Page:
    """One page: it asks, and waits."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)

    async def replies(self, kind: str, **fields: Any) -> AsyncIterator[Any]:
        """What is replied to a question."""
        number = next(self._numbers)
        question = {"kind": kind, **fields}
        await self._socket.send(json.dumps({"do": "ask", "id": number, "question": question}))
        while (message := json.loads(await self._socket.recv()))["is"] == "answer":
            yield message["reply"]
        if message["is"] == "failed":
            raise SystemExit(f"{kind}: {message['error']}")

    async def first(self, kind: str, **fields: Any) -> tuple[Any, float]:
        """The first reply, and after how many seconds it came; the others are waited for."""
        began, first, seconds = time.perf_counter(), None, 0.0
        async for reply in self.replies(kind, **fields):
            if first is None:
                first, seconds = reply, time.perf_counter() - began
        return first, seconds


@asynccontextmanager
async def page(port: int) -> AsyncIterator[Page]:
    """A page of the server."""
    host = f"127.0.0.1:{port}"
    async with connect(f"ws://{host}/ask", origin=Origin(f"http://{host}"), max_size=None) as socket:
        yield Page(socket)


async def play(port: int, moves: int, seed: int = 0, **setup: Any) -> list[float]:
    """A game in which the person moves at random; how long each reply of the others took."""
    waits, dice = [], random.Random(seed)
    async with page(port) as watching, page(port) as answering:
        begun, _ = await answering.first("new_game", setup=setup)
        asked = 0.0
        async for view in watching.replies("watch_game", id=begun["id"]):
            if view["termination"]:
                break
            if not view["wanted"]:
                continue
            if asked:
                waits.append(time.perf_counter() - asked)
            if len(waits) == moves:
                break
            asked = time.perf_counter()
            await answering.first("answer_game", id=begun["id"], ply=view["ply"], text=dice.choice(view["choices"]))
    return waits


def report(what: str, seconds: Sequence[float]) -> None:
    """One line: median and greatest."""
    ordered = sorted(seconds)
    print(f"{what:<42} {1000 * statistics.median(ordered):8.0f} ms   {1000 * ordered[-1]:8.0f} ms   {len(ordered):4}")


async def measure(port: int, pages: int, moves: int) -> None:
    print(f"{'':<42} {'median':>8}      {'greatest':>8}      {'n':>4}")
    async with page(port) as one:
        report("first bars of all", [(await one.first("bars", line={}))[1]])
        found = [(await one.first("bars", line={"moves": LINE[:plies]}))[1] for plies in range(1, len(LINE))]
        report("bars", found)
        lines = [{"moves": LINE[:plies]} for plies in (5, 9, 13)]
        report("explain, first table", [(await one.first("explain", line=line, rating=1500))[1] for line in lines])
    report("a move of a policy, first of all", await play(port, 1, opponent="Club player"))
    report("a move of a policy", await play(port, 20, opponent="Club player"))
    report("a move of 100 visits, one page", await play(port, moves, opponent="Master"))
    before = await load(port)
    began = time.perf_counter()
    games = await asyncio.gather(*(play(port, moves, seed, opponent="Master") for seed in range(1, pages + 1)))
    seconds = time.perf_counter() - began
    report(f"a move of 100 visits, {pages} pages", [wait for waits in games for wait in waits])
    after = await load(port)
    evaluations, batches = (after[key] - before[key] for key in ("evaluations", "batches"))
    print(f"{pages} pages: mean batch {evaluations / batches:.1f}, {evaluations / seconds:.0f} evaluations/s")
    means = [statistics.mean(waits) for waits in games if waits]
    print(f"longest mean wait of a page: {max(means) / statistics.mean(means):.2f} times the mean of all")


async def load(port: int) -> dict[str, int]:
    """What the nets have done, all together."""
    async with page(port) as one:
        found, _ = await one.first("load")
    return {key: sum(net[key] for net in found["nets"]) for key in ("evaluations", "batches")}


@contextmanager
def serving(judge: str | None) -> Iterator[tuple[int, int, float]]:
    """A server: its process, its port, and when it was started."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", "from foible.interfaces.cli import main; main()", "web"]
        settings = ["--no-browser", "--port", "0", "--games", folder, *(["--judge", judge] if judge else [])]
        began = time.perf_counter()
        server = subprocess.Popen([*command, *settings], stderr=subprocess.PIPE, text=True)
        try:
            assert server.stderr is not None
            address = server.stderr.readline().split()[3]
            with urlopen(address) as first:
                first.read()
            yield server.pid, int(address.rstrip("/").rpartition(":")[2]), began
        finally:
            server.terminate()
            server.wait()


def processor_seconds(process: int) -> float:
    """What a process has taken so far, user and system (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def first_answer(port: int) -> None:
    """Who can be played with, which the first page asks."""
    async with page(port) as one:
        await one.first("cast")


def measure_starts(times: int, judge: str | None) -> None:
    waits: dict[str, list[float]] = {}
    for _ in range(times):
        with serving(judge) as (process, port, began):
            for what in ("page", "answer"):
                if what == "answer":
                    asyncio.run(first_answer(port))
                waits.setdefault(f"{what}: seconds after the command", []).append(time.perf_counter() - began)
                waits.setdefault(f"{what}: seconds of processor time", []).append(processor_seconds(process))
    for what, seconds in waits.items():
        print(f"{what:<36} {statistics.median(seconds):6.2f}   {min(seconds):6.2f} – {max(seconds):.2f}   {times}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--moves", type=int, default=4)
    parser.add_argument("--judge", default=None)
    parser.add_argument("--starts", type=int, default=0)
    asked = parser.parse_args()
    if asked.starts:
        measure_starts(asked.starts, asked.judge)
        return
    with serving(asked.judge) as (_, port, began):
        print(f"first page after {time.perf_counter() - began:.2f} s")
        asyncio.run(measure(port, asked.pages, asked.moves))


if __name__ == "__main__":
    main()
