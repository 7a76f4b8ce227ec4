"""The server of `foible web`: one process, one event loop, one WebSocket a page."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from foible.errors import ConfigError
from foible.interfaces.web.guard import Guard, is_loopback
from foible.interfaces.web.house import House
from foible.interfaces.web.page import Page

PAGE = Path(__file__).parent / "page"
"""What Vite made of web/."""
MESSAGE_BYTES = 10 << 20
"""The longest message: games that are pasted to prepare by."""
THREADS = 64
"""That wait for files, downloads and nets that are opened."""
GOODBYE_SECONDS = 1
"""How long open pages have when the server ends."""


def application(house: House, *, hosts: frozenset[str], token: str | None = None) -> Starlette:
    """The server as ASGI knows it.

    :param hosts: names with ports that it answers to where no token is wanted.
    """

    async def page(websocket: WebSocket) -> None:
        await Page(websocket, house).serve()

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        # Downloads and files that are waited for must not keep the others from a thread.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "foible-web"))
        warming = asyncio.ensure_future(house.warm())
        yield
        warming.cancel()
        house.close()

    routes: list[BaseRoute] = [WebSocketRoute("/ask", page), Mount("/", StaticFiles(directory=PAGE, html=True))]
    guard = Middleware(Guard, hosts=hosts, token=token)
    return Starlette(routes=routes, middleware=[guard], lifespan=lifespan)


def listen(host: str, port: int) -> socket.socket:
    """:raises ConfigError: the address is taken, or is none of this machine."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        why = error.strerror or str(error)
        raise ConfigError(f"cannot listen on {host} port {port}: {why}; --port 0 takes one that is free") from None


def server(
    house: House, listening: socket.socket, *, token: str | None = None, on_ready: Callable[[str], None]
) -> uvicorn.Server:
    """What serves at a socket: `run([listening])` does, until it is interrupted.

    :param on_ready: told the address to open, once pages are answered.
    """
    host, port = listening.getsockname()[:2]
    named = f"[{host}]" if ":" in host else host
    hosts = {f"{named}:{port}", *([f"localhost:{port}"] if is_loopback(host) else [])}
    config = uvicorn.Config(
        application(house, hosts=frozenset(hosts), token=token),
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=MESSAGE_BYTES,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
        server_header=False,
    )
    address = f"http://{named}:{port}/" + (f"?token={token}" if token else "")
    return _Server(config, lambda: on_ready(address))


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()
