"""The server of `foible web`: one process, one event loop, one WebSocket for each page; and the check who may connect.

It listens at once. The code that answers questions needs most of foible and of the packages that it uses, and is
imported in a thread while the browser loads the page.
"""

import asyncio
import errno
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketClose

from foible.errors import ConfigError

if TYPE_CHECKING:
    from foible.interfaces.web.page import Page
    from foible.interfaces.web.shared import Shared


HTTP_PORT = 80
"""The port that browsers leave out of addresses."""
FORBIDDEN_CLOSE = 1008
"""The close code of RFC 6455 for a violation of policy."""

HEADERS = {
    # The page loads nothing from other servers, runs no inline scripts, and cannot be framed by another page.
    "content-security-policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Whether a server that listens at a host can be reached only from this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class RequestGuard:
    """Middleware that refuses requests that do not come from a page of this server.

    A web page from another server can make a browser connect to the loopback address, but cannot hide its origin; one
    whose name was bound to that address (DNS rebinding) sends its own name as host. While the server listens on the
    loopback address alone, it accepts only the names of that address as host; otherwise it cannot know its own names,
    and requires the token.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str], token: str | None) -> None:
        """`hosts`: the hosts that the server answers to, as requests name them; where there is a `token`, which
        requests must then have, it answers to any host.
        """
        self._app = app
        self._hosts, self._token = hosts, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await WebSocketClose(FORBIDDEN_CLOSE)(scope, receive, send)
        else:
            await refusal(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._token is None and host not in self._hosts:
            return PlainTextResponse(f"this server is {' or '.join(sorted(self._hosts))}\n", 421)
        if origin is None and scope["type"] == "websocket":
            return PlainTextResponse("a WebSocket is for pages, which name their origin\n", 403)
        if origin is not None and origin.partition("://")[2] != host:
            return PlainTextResponse("pages of other servers are not answered\n", 403)
        return None if self._token is None else self._ask_token(scope, headers, self._token)

    def _ask_token(self, scope: Scope, headers: Headers, token: str) -> Response | None:
        # Other servers of this machine may have set cookies, too, which `http.cookies` refuses where they are odd.
        shown = cookie_parser(headers.get("cookie", "")).get(_cookie(scope), "")
        if secrets.compare_digest(shown.encode(), token.encode()):
            return None
        (asked,) = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[:1]
        if scope["type"] == "http" and secrets.compare_digest(asked.encode(), token.encode()):
            # The token moves from the address into a cookie: addresses are copied, stored in the history, and visible.
            response = RedirectResponse(scope["path"], 303)
            response.set_cookie(_cookie(scope), token, httponly=True, samesite="strict")
            return response
        return PlainTextResponse("open the address that foible web printed: it ends with ?token=…\n", 403)


def _cookie(scope: Scope) -> str:
    """The name of the cookie that holds the token: browsers send the cookies of one port to the others, too."""
    _, port = scope["server"]
    return f"foible-{port}"


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sent


PAGE = Path(__file__).parent / "page"
"""The folder of the page, which Vite builds from web/."""
MESSAGE_BYTES = 10 << 20
"""The largest size of a message: one with games that are pasted to prepare against their player."""
THREADS = 64
"""The number of threads for work that waits: for files, for downloads, for nets to be opened."""
GOODBYE_SECONDS = 1
"""The seconds that open pages have to close their connections when the server ends."""


class _Opening:
    """Opens what all pages share when the server starts, and closes it when the server ends."""

    def __init__(self, open_shared: "Callable[[], Shared]", on_failure: Callable[[BaseException], None]) -> None:
        self._open_shared, self._on_failure = open_shared, on_failure

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        # Enough threads that downloads and slow files do not keep other work waiting.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "foible-web"))
        self._shared = asyncio.ensure_future(asyncio.to_thread(self._open_shared))
        self._page = asyncio.ensure_future(self._import_page())
        beside = [asyncio.ensure_future(self._warm()), asyncio.ensure_future(self._tell_failure())]
        yield
        for task in beside:
            task.cancel()
        await asyncio.wait([self._shared, self._page])
        if self._shared.exception() is None:
            self._shared.result().close()

    async def _import_page(self) -> "type[Page]":
        # Imported after `_shared` is there, while `_warm` opens its nets: the first answer to a page waits for both.
        await asyncio.shield(self._shared)
        return await asyncio.to_thread(_page_class)

    async def _warm(self) -> None:
        await asyncio.wait([self._shared])
        if self._shared.exception() is None:
            await self._shared.result().warm()

    async def _tell_failure(self) -> None:
        try:
            await asyncio.gather(asyncio.shield(self._shared), asyncio.shield(self._page))
        except Exception as error:  # reported to whoever started the server
            self._on_failure(error)

    async def page(self, websocket: WebSocket) -> None:
        """Serve a page on its WebSocket, once what all pages share is open."""
        await websocket.accept()
        await asyncio.wait([self._shared, self._page])
        if self._shared.exception() is None and self._page.exception() is None:
            await self._page.result()(websocket, self._shared.result()).serve()


def _page_class() -> "type[Page]":
    from foible.interfaces.web.page import Page  # noqa: PLC0415  imported in a thread, see the docstring of the module

    return Page


def application(opening: _Opening, *, hosts: frozenset[str], token: str | None = None) -> Starlette:
    """The server as an ASGI application.

    :param hosts: the hosts, as requests name them, that it answers to where no token is required.
    """
    routes: list[BaseRoute] = [WebSocketRoute("/ask", opening.page), Mount("/", StaticFiles(directory=PAGE, html=True))]
    guard = Middleware(RequestGuard, hosts=hosts, token=token)
    return Starlette(routes=routes, middleware=[guard], lifespan=opening.lifespan)


def listen(host: str, port: int) -> socket.socket:
    """Listen at an address.

    :raises ConfigError: the address is in use, or is not one of this machine.
    """
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        # Python adds the address to the system's words.
        why = (error.strerror or str(error)).partition(" (while ")[0]
        advice = "; --port 0 takes one that is free" if error.errno == errno.EADDRINUSE else ""
        raise ConfigError(f"cannot listen on {host} port {port}: {why}{advice}") from None


def name_of(host: str) -> str:
    """The host part of the URL for an address that a server listens on; the machine's name where it listens on all.

    >>> name_of("127.0.0.1"), name_of("::1")
    ('127.0.0.1', '[::1]')
    """
    if ip_address(host).is_unspecified:
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def hosts_at(host: str, port: int) -> frozenset[str]:
    """The hosts, as requests name them, of a server that listens at an address: with the port, but for that of HTTP.

    >>> sorted(hosts_at("127.0.0.1", 8420)), sorted(hosts_at("127.0.0.1", 80))
    (['127.0.0.1:8420', 'localhost:8420'], ['127.0.0.1', '127.0.0.1:80', 'localhost', 'localhost:80'])
    """
    names = {name_of(host), *(["localhost"] if is_loopback(host) else [])}
    return frozenset({f"{name}:{port}" for name in names} | (names if port == HTTP_PORT else set()))


def server(
    open_shared: "Callable[[], Shared]",
    listening: socket.socket,
    *,
    token: str | None = None,
    on_ready: Callable[[str], None],
) -> uvicorn.Server:
    """The server for a socket: its `run([listening])` serves until it is interrupted.

    :param open_shared: called in a thread once the server listens. Where it fails the server ends, and `run` raises the
        same exception.
    :param on_ready: called with the address to open, once the page is served.
    """
    host, port = listening.getsockname()[:2]
    address = f"http://{name_of(host)}:{port}/" + (f"?token={token}" if token else "")
    return _Server(open_shared, hosts=hosts_at(host, port), token=token, on_ready=lambda: on_ready(address))


class _Server(uvicorn.Server):
    def __init__(
        self,
        open_shared: "Callable[[], Shared]",
        *,
        hosts: frozenset[str],
        token: str | None,
        on_ready: Callable[[], None],
    ) -> None:
        opening = _Opening(open_shared, self._fail)
        config = uvicorn.Config(
            application(opening, hosts=hosts, token=token),
            log_level="warning",
            ws="websockets-sansio",
            ws_max_size=MESSAGE_BYTES,
            timeout_graceful_shutdown=GOODBYE_SECONDS,
            server_header=False,
        )
        super().__init__(config)
        self._on_ready = on_ready
        self._failure: BaseException | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        # Connections of pages that were not closed in time, and those that browsers have made meanwhile.
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        super().run(sockets)
        if self._failure is not None:
            raise self._failure

    def _fail(self, failure: BaseException) -> None:
        self._failure, self.should_exit = failure, True
