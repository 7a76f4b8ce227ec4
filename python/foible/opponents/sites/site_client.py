"""A considerate HTTP client for one site: one request after the other, and pauses where the site asks for them.

`urllib` suffices, as in `nets/download.py`: an HTTP library would add parallel connections, which the sites forbid.
"""

import http.client
import json
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from typing import IO, Final, NoReturn, TypeVar
from urllib.parse import urlencode, urlsplit

from foible._core import __version__
from foible.errors import ConfigError, SiteError
from foible.nets.connections import THIS_MACHINE, Connections
from foible.nets.download import failure
from foible.opponents.sites.site_answer import SILENCE, Interruption, SiteAnswer, Stopped

REFUSED_PAUSE: Final = 60.0
"""The least seconds to wait after the answer that there were too many requests (429); both sites ask for a minute."""
LONGEST_PAUSE: Final = 600.0
"""The longest pause in seconds; where a site asks for a longer one, the fetch ends with an error."""
BROKEN_PAUSES: Final = (5.0, 10.0, 20.0)
"""Seconds before the second, third and fourth try where a server fails, falls silent or breaks off."""

_ERROR_BYTES: Final = 1 << 16
"""The number of bytes that are read of the body of an error answer."""
_PIECES: Final = 8
"""The number of pieces that are read of a page in HTML."""
_QUOTED: Final = 200
"""The number of characters of a site's text or URL that an error message quotes at most."""
_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The system's time and waiting, which tests replace."""

    now: Callable[[], float] = time.time
    """Seconds since 1970."""
    wait: Callable[[threading.Event, float], bool] = threading.Event.wait
    """Waits for an event, at most for a number of seconds; returns whether the event is set."""


class NotFound(SiteError):  # noqa: N818 - the caller decides whether it is one
    """The site does not have what was asked for (404, 410)."""


class SiteClient:
    """Asks one site, and gives up only where asking again is of no use."""

    def __init__(
        self,
        title: str,
        base: str,
        *,
        token: str | None = None,
        contact: str | None = None,
        hints: Mapping[int, str] | None = None,
        clock: SystemClock,
        stopped: threading.Event,
    ) -> None:
        """`base`: the URL to which paths are appended. `token`: the access token, sent to that host alone. `contact`: a
        person whom the site may contact, named in the `User-Agent`. `hints`: by HTTP status, what the user can do about
        an error.

        :raises ConfigError: `base` is no URL, or not encrypted and not of this machine.
        """
        self.title, self.clock = title, clock
        self._base = base.rstrip("/")
        self._token = token
        self._agent = f"foible/{__version__} ({contact or 'a chess player preparing for a game'})"
        self._hints = hints or {}
        self._stopped = stopped
        host = _origin(base)
        if host[0] != "https" and host[1] not in THIS_MACHINE:
            raise ConfigError(f"{base}: is not encrypted; expected https")
        self._host = host

    def insist(self, ask: Callable[[], T], progress: Callable[[], object], tell: Callable[[str], None]) -> T:
        """The result of `ask`, which is called again after a pause where it is interrupted.

        `progress`: gives how far the work has come; where that has changed, tries are counted anew. `tell`: a callback
        that gets the reason for each wait.

        :raises SiteError: the site refuses twice, or fails four times, without progress; or wants too long a pause.
        :raises Stopped: somebody asked to stop.
        """
        refusals = failures = 0
        reached = progress()
        while True:
            try:
                return ask()
            except Interruption as error:
                if progress() != reached:
                    refusals, failures, reached = 0, 0, progress()
                if error.pause is None:
                    if failures == len(BROKEN_PAUSES):
                        raise SiteError(f"{error}, {failures + 1} times") from None
                    pause = BROKEN_PAUSES[failures]
                    failures += 1
                else:
                    pause = error.pause
                    if refusals or pause > LONGEST_PAUSE:
                        raise SiteError(f"{error}; try again later") from None
                    refusals += 1
                reason = str(error)
            tell(f"{reason}: waiting {pause:.0f} s")
            if self.clock.wait(self._stopped, pause):
                raise Stopped

    def ask(
        self, path: str, query: Mapping[str, object] | None = None, *, accept: str, headers: Mapping[str, str] = {}
    ) -> "SiteAnswer":
        """Send one request; the caller closes the answer.

        :raises NotFound: the site does not have what was asked for.
        :raises SiteError: the site refuses, cannot be reached, or sends a page in HTML.
        :raises Interruption: the site asks to wait, fails, or does not answer.
        :raises Stopped: somebody asked to stop.
        """
        if self._stopped.is_set():
            raise Stopped
        url = self._base + path + (f"?{urlencode(query)}" if query else "")
        request = urllib.request.Request(url, headers={"Accept": accept, "Accept-Encoding": "gzip", **headers})
        request.add_header("User-Agent", self._agent)
        if self._token:
            # Not sent again after a redirect. The opener refuses redirects to other hosts anyway: a second safeguard.
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        with ExitStack() as opened:
            connections = opened.enter_context(Connections(self._stopped.is_set))
            answer = opened.enter_context(self._open(connections, request))
            if answer.headers.get("Content-Type", "").startswith("text/html"):
                said = self.quoted(b"".join(islice(answer.chunks(), _PIECES)))
                raise SiteError(f"{self.title} sends a page in HTML, not games{said}")
            opened.pop_all()
        return answer

    def _open(self, connections: Connections, request: urllib.request.Request) -> "SiteAnswer":
        try:
            response = connections.opener(_SameHost(self.title, self._host)).open(request, timeout=SILENCE)
        except urllib.error.HTTPError as error:
            if error.code != 304:  # "not modified"
                with error:
                    self._refuse(error)
            response = error
        except (OSError, http.client.HTTPException) as error:
            if self._stopped.is_set():
                raise Stopped from None
            if isinstance(getattr(error, "reason", error), TimeoutError):
                raise Interruption(f"{self.title} did not answer for {SILENCE:g} s") from None
            if isinstance(error, urllib.error.URLError):
                raise SiteError(f"{self.title} cannot be reached at {self._base}: {failure(error)}") from None
            raise Interruption(f"{self.title} broke off: {failure(error)}") from None
        return SiteAnswer(response, self.title, self._stopped, connections)

    def _refuse(self, error: urllib.error.HTTPError) -> NoReturn:
        """Raise the error that an answer other than the expected one means, as `ask` documents."""
        try:
            said = self.quoted(error.read(_ERROR_BYTES))
        except (OSError, http.client.HTTPException):
            said = ""
        if self._stopped.is_set():
            raise Stopped
        if error.code == 429:
            asked = error.headers.get("Retry-After", "").strip()
            pause = max(REFUSED_PAUSE, float(asked) if asked.isascii() and asked.isdigit() else 0)
            raise Interruption(f"{self.title} asks for fewer requests (429{said})", pause)
        text = f"{self.title} answers {error.code}{said}"
        if error.code >= 500:
            raise Interruption(text)
        if hint := self._hints.get(error.code):
            text += f"; {hint}"
        raise (NotFound if error.code in {404, 410} else SiteError)(text)

    def quoted(self, body: bytes) -> str:
        """The text of an unexpected body for an error message, as `: text`: the message in JSON, the title of a page in
        HTML, else the beginning of the text. Empty where there is no text.
        """
        text = body.decode(errors="replace")
        if found := _TITLE.search(text):
            text = found[1]
        try:
            members = json.loads(text)
        except (ValueError, RecursionError):
            members = None
        if isinstance(members, dict):
            text = str(members.get("error") or members.get("message") or "")
        if self._token:
            text = text.replace(self._token, "…")
        text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return f": {text[:_QUOTED]}{'…' if len(text) > _QUOTED else ''}" if text else ""


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows redirects of a site, but not to another host, whose answer would not be the site's."""

    def __init__(self, title: str, host: tuple[str, str, int | None]) -> None:
        self._title, self._host = title, host

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if _origin(newurl) != self._host:
            fp.close()
            raise SiteError(
                f"{self._title} leads to another host ({code} to {newurl[:_QUOTED]}), which is not followed"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _origin(url: str) -> tuple[str, str, int | None]:
    """The scheme, host and port of a URL.

    :raises ConfigError: `url` is no URL for HTTP.
    """
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname, parts.port
    except ValueError:
        scheme, host, port = "", "", None
    if scheme not in {"http", "https"} or not host:
        raise ConfigError(f"{url}: expected a URL such as https://example.org")
    return scheme, host, port
