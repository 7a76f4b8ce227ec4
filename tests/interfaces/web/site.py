"""A server that runs in a thread, and pages that talk to it."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from foible.interfaces.web.cast import Cast, read_cast
from foible.interfaces.web.decks import Decks
from foible.interfaces.web.protocol import PageQuestion
from foible.interfaces.web.server import listen, server
from foible.interfaces.web.shared import Shared
from foible.judges.spec import JudgeSpec, NetJudgeSpec
from foible.nets.shelf import NetShelf

JUDGE = NetJudgeSpec(net="master")
WAIT_SECONDS = 120


class RefusedError(Exception):
    """A question was not answered."""


@dataclass(frozen=True)
class Got:
    """An answer by HTTP."""

    status: int
    headers: Message
    body: bytes


class Site:
    """A server at a port of this machine."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.host = f"127.0.0.1:{port}"

    def get(self, path: str, **headers: str) -> Got:
        """What is answered to a request."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=WAIT_SECONDS)) as connection:
            connection.putrequest("GET", path, skip_host=True)
            for name, value in {"Host": self.host, **headers}.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return Got(answer.status, answer.headers, answer.read())

    @contextmanager
    def page(self, origin: str | None = None, **headers: str) -> Iterator["Talk"]:
        """A page of this server, or of another origin."""
        named = Origin(origin or f"http://{self.host}")
        with connect(f"ws://{self.host}/ask", origin=named, additional_headers=headers) as socket:
            yield Talk(socket)

    def ask(self, kind: str, **fields: Any) -> list[Any]:
        """All replies to a question of a page of its own."""
        with self.page() as talk:
            return talk.ask(kind, **fields)


class Talk:
    """The WebSocket of a page."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self._last = 0

    def send(self, message: Any) -> None:
        self.socket.send(message if isinstance(message, str | bytes) else json.dumps(message))

    def receive(self) -> Any:
        return json.loads(self.socket.recv(timeout=WAIT_SECONDS))

    def begin(self, kind: str, **fields: Any) -> int:
        """Ask without waiting; the number of the question."""
        self._last += 1
        self.send({"do": "ask", "id": self._last, "question": {"kind": kind, **fields}})
        return self._last

    def replies(self, number: int) -> Iterator[Any]:
        """What is replied to one question, when nothing else is asked.

        :raises RefusedError: with the message.
        """
        while True:
            message = self.receive()
            if message.get("id") != number:
                raise AssertionError(f"not about question {number}: {message}")
            if message["is"] == "failed":
                raise RefusedError(message["error"])
            if message["is"] == "done":
                return
            yield message["reply"]

    def ask(self, kind: str, **fields: Any) -> list[Any]:
        """All replies to a question."""
        return list(self.replies(self.begin(kind, **fields)))


@contextmanager
def serving(
    folder: Path,
    *,
    judge: JudgeSpec = JUDGE,
    cast: Cast | None = None,
    token: str | None = None,
    port: int = 0,
    openings: Sequence[Path] = (),
) -> Iterator[Site]:
    """A server with folders of its own."""

    def open_shared() -> Shared:
        return Shared(
            NetShelf(),
            judge,
            cast=cast or read_cast(),
            runs=folder / "runs",
            games=folder / "games",
            decks=Decks(folder / "puzzles"),
            openings=openings,
        )

    listening = listen("127.0.0.1", port)
    ready = threading.Event()
    running = server(open_shared, listening, token=token, on_ready=lambda address: ready.set())
    thread = threading.Thread(target=lambda: asyncio.run(running.serve([listening])))
    thread.start()
    try:
        assert ready.wait(WAIT_SECONDS)
        yield Site(listening.getsockname()[1])
    finally:
        running.should_exit = True
        thread.join(WAIT_SECONDS)


@contextmanager
def held_back(kind: type[PageQuestion], which: Callable[[Any], bool] = lambda asked: True) -> Iterator[None]:
    """Of a server in this process: such questions are answered when the block ends."""
    answer, let_go = kind.answer, threading.Event()

    async def waiting(self: Any, shared: Shared) -> AsyncGenerator[Any, None]:
        while which(self) and not let_go.is_set():
            await asyncio.sleep(0.01)
        async for reply in answer(self, shared):
            yield reply

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, "answer", waiting)
        try:
            yield
        finally:
            let_go.set()
