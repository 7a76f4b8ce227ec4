"""Who may talk to the server: pages of this server alone, and from elsewhere only who has the token."""

import secrets
from http.cookies import SimpleCookie
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

COOKIE = "foible"
FORBIDDEN_CLOSE = 1008
"""The code of RFC 6455: a message that violates a policy."""

HEADERS = {
    # The page loads nothing from elsewhere, runs no code that stands in its text, and is shown inside no other page.
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
    """Whether only programs on this machine reach what listens at a host."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Refuses what does not come from a page of this server.

    A web page from elsewhere can make a browser connect to the loopback address, but cannot hide its origin; one whose
    name was bound to that address (DNS rebinding) asks under its own name. Listening on the loopback address alone the
    server answers to the names of that address; elsewhere it cannot know its names, and wants the token.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str], token: str | None) -> None:
        """`hosts`: names with ports that the server answers to; any, if there is a token that must be shown."""
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
        if origin is not None and urlsplit(origin).netloc != host:
            return PlainTextResponse("pages of other servers are not answered\n", 403)
        return None if self._token is None else self._ask_token(scope, headers, self._token)

    def _ask_token(self, scope: Scope, headers: Headers, token: str) -> Response | None:
        shown = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        if shown is not None and secrets.compare_digest(shown.value.encode(), token.encode()):
            return None
        (asked,) = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[:1]
        if scope["type"] == "http" and secrets.compare_digest(asked.encode(), token.encode()):
            # From the address into a cookie: an address is copied, kept and shown.
            response = RedirectResponse(scope["path"], 303)
            response.set_cookie(COOKIE, token, httponly=True, samesite="strict")
            return response
        return PlainTextResponse("open the address that foible web printed: it ends with ?token=…\n", 403)


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sent
