"""HTTP connections that end when they are told to, whatever they are waiting for."""

import http.client
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

from foible.runs.files import Closing

THIS_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""The hosts that are asked without encryption."""

_LOOK_SECONDS: Final = 0.1
"""How often connections look whether they are to end."""


class Connections(Closing):
    """The connections of one request; redirects need several.

    `urllib` waits for a connection, for its encryption, for headers and for pieces of the answer, and only timeouts end
    these waits; a server that sends one byte now and then never meets one. So a thread shuts the sockets down.
    Only the look-up of a host's address is waited for in any case.
    """

    def __init__(self, over: Callable[[], bool]) -> None:
        """`over`: whether the connections are to end; whoever waits for them then gets an error, or data that end
        too early.
        """
        self._over = over
        self._handles: list[socket.socket] = []
        """A second handle of each socket, which stays valid when `ssl` takes the socket over or `urllib` closes it."""
        self._closed = threading.Event()
        self._watch = threading.Thread(target=self._shut_down_when_over, daemon=True)
        self._watch.start()

    def close(self) -> None:
        self._closed.set()
        self._watch.join()
        for handle in self._handles:
            handle.close()

    def opener(self, *handlers: urllib.request.BaseHandler) -> urllib.request.OpenerDirector:
        """What opens URLs by these connections, with `handlers` beside the usual ones.

        A URL must be https, a file, or http on this machine; others are refused with `URLError`, also where a redirect
        leads to them.
        """

        def watched(kind: type[http.client.HTTPConnection]) -> Callable[..., http.client.HTTPConnection]:
            def connection(*host: Any, **options: Any) -> http.client.HTTPConnection:
                made = kind(*host, **options)
                made._create_connection = self._connect  # type: ignore[attr-defined] # the only way to see it waiting
                return made

            return connection

        class Http(urllib.request.HTTPHandler):
            def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
                return self.do_open(watched(http.client.HTTPConnection), req)

        class Https(urllib.request.HTTPSHandler):
            def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
                return self.do_open(watched(http.client.HTTPSConnection), req)

        return urllib.request.build_opener(_Encrypted, Http, Https, *handlers)

    def _connect(self, address: tuple[str, int], timeout: float, _source: None = None) -> socket.socket:
        """As `socket.create_connection`, but the socket can be shut down while it is connecting."""
        failure = OSError(f"{address[0]} has no address")
        for family, kind, protocol, _, where in socket.getaddrinfo(*address, type=socket.SOCK_STREAM):
            try:
                connected = socket.socket(family, kind, protocol)
            except OSError as error:
                failure = error
                continue
            try:
                self._handles.append(connected.dup())
                connected.settimeout(timeout)
                connected.connect(where)
            except OSError as error:
                failure = error
                connected.close()
            except BaseException:
                connected.close()
                raise
            else:
                return connected
        raise failure

    def _shut_down_when_over(self) -> None:
        while not self._closed.wait(_LOOK_SECONDS):
            if self._over():
                for handle in tuple(self._handles):
                    with suppress(OSError):  # not connected yet, or not any more; a wait ends all the same
                        handle.shutdown(socket.SHUT_RDWR)


class _Encrypted(urllib.request.BaseHandler):
    """Sees each request before it is sent, and each that a redirect leads to."""

    def default_open(self, req: urllib.request.Request) -> None:
        url = urlsplit(req.full_url)
        # What a server elsewhere leads to is not on this machine, whatever it is called.
        here = {url.hostname, urlsplit(f"//{req.origin_req_host}").hostname} <= THIS_MACHINE
        if url.scheme not in {"https", "file"} and not (url.scheme == "http" and here):
            address = f"{url.scheme}://{url.hostname}" if url.hostname else f"{url.scheme}:"
            raise urllib.error.URLError(f"{address} is not encrypted; expected https")
