"""Connections to servers that fall silent in any place."""

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from foible.nets.connections import Connections

Behaviour = Callable[[socket.socket], str]
"""Makes a bound socket one that falls silent; returns the scheme of the URL to ask."""

OPEN: list[socket.socket] = []
"""What a test leaves to be closed at its end."""


def connecting(server: socket.socket) -> str:
    """The queue of connections that wait to be accepted is full."""
    server.listen(0)
    for _ in range(9):
        waiting = socket.socket()
        waiting.settimeout(0.2)
        OPEN.append(waiting)
        try:
            waiting.connect(server.getsockname())
        except TimeoutError:
            return "http"
    pytest.skip("this system's queue has no end")


def saying(*said: bytes) -> Callable[[socket.socket], None]:
    def answer(server: socket.socket) -> None:
        connection, _ = server.accept()
        OPEN.append(connection)
        for piece in said:
            connection.sendall(piece)

    return answer


def encryption(server: socket.socket) -> str:
    return answering(server, "https")


def headers(server: socket.socket) -> str:
    return answering(server, "http", b"HTTP/1.1 200 OK\r\nX-Long: ")


def body(server: socket.socket) -> str:
    return answering(server, "http", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")


def redirection(server: socket.socket) -> str:
    return answering(server, "http", b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")


def answering(server: socket.socket, scheme: str, said: bytes = b"") -> str:
    server.listen(9)
    threading.Thread(target=saying(said), args=(server,), daemon=True).start()
    return scheme


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        yield listening
    while OPEN:
        OPEN.pop().close()


@pytest.mark.parametrize("silence", [connecting, encryption, headers, body, redirection])
def test_waiting_ends_soon_after_it_is_told_to(
    server: socket.socket, silence: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    scheme = silence(server)
    threads = threading.active_count()
    stopped = threading.Event()
    timer = threading.Timer(0.3, stopped.set)
    timer.start()
    begun = time.monotonic()
    url = f"{scheme}://127.0.0.1:{server.getsockname()[1]}/"
    with (
        suppress(OSError, http.client.HTTPException),
        Connections(stopped.is_set) as connections,
        connections.opener().open(url, timeout=300) as response,
    ):
        assert not response.read()
    assert stopped.is_set()
    assert time.monotonic() - begun < 100
    timer.join()
    assert threading.active_count() <= threads


def test_nothing_is_left_open(server: socket.socket) -> None:
    server.listen(1)
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
    threading.Thread(target=saying(answer), args=(server,), daemon=True).start()
    url = f"http://127.0.0.1:{server.getsockname()[1]}/"
    with Connections(lambda: False) as connections, connections.opener().open(url, timeout=30) as response:
        assert response.read() == b"abc"
    (connection,) = OPEN
    connection.settimeout(30)
    while connection.recv(1 << 16):
        pass
