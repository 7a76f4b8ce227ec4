"""How soon `foible web` answers: its first page, moves, bars, explanations; and many pages at once.

    python benchmarks/web.py [--pages 50] [--moves 4] [--judge JUDGE]

The server runs as users run it, in a folder of its own. Times are what a page waits, from its question to the reply.
"""

import argparse
import asyncio
import itertools
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
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
        laid, _ = await answering.first("new_game", setup=setup)
        asked = 0.0
        async for view in watching.replies("watch_game", id=laid["id"]):
            if view["termination"]:
                break
            if not view["wanted"]:
                continue
            if asked:
                waits.append(time.perf_counter() - asked)
            if len(waits) == moves:
                break
            asked = time.perf_counter()
            await answering.first("answer_game", id=laid["id"], ply=view["ply"], text=dice.choice(view["choices"]))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--moves", type=int, default=4)
    parser.add_argument("--judge", default=None)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        judge = ["--judge", asked.judge] if asked.judge else []
        command = [sys.executable, "-c", "from foible.interfaces.cli import main; main()", "web"]
        began = time.perf_counter()
        server = subprocess.Popen(
            [*command, "--no-browser", "--port", "0", "--games", folder, *judge], stderr=subprocess.PIPE, text=True
        )
        try:
            assert server.stderr is not None
            address = server.stderr.readline().split()[3]
            with urlopen(address) as first:
                first.read()
            print(f"first page after {time.perf_counter() - began:.2f} s")
            asyncio.run(measure(int(address.rstrip("/").rpartition(":")[2]), asked.pages, asked.moves))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
