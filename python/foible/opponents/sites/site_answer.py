"""The HTTP answer of a site, read piece by piece: decompressed, limited in size, and checked to be complete."""

import http.client
import threading
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from foible.errors import SiteError
from foible.nets.connections import Connections
from foible.nets.download import failure
from foible.runs.files import Closing

SILENCE: Final = 60.0
"""The timeout in seconds, for connecting and between two pieces of an answer."""
MOST_BYTES: Final = 1 << 28
"""The largest size of one answer, decompressed: ten times the longest that the sites are known to give."""
LONGEST_LINE: Final = 1 << 20
"""The largest number of bytes in a line; a game takes some 2000."""

_CHUNK: Final = 1 << 16


class Stopped(Exception):  # noqa: N818 - nothing is wrong
    """Somebody asked to stop."""


class Interruption(Exception):  # noqa: N818 - an error only after several of them
    """An answer did not come, or not completely; another try may succeed."""

    def __init__(self, reason: str, pause: float | None = None) -> None:
        """`pause`: seconds to wait before the next try, where the site asks for fewer requests; else `None`."""
        super().__init__(reason)
        self.pause = pause


class SiteAnswer(Closing):
    """An answer that is read once, from its beginning to its end."""

    def __init__(self, response: Any, title: str, stopped: threading.Event, connections: Connections) -> None:
        """`response`: an HTTP response of `urllib`, by `connections`, which are closed with it."""
        self.status: int = response.status
        self.headers: Mapping[str, str] = response.headers
        self._response, self._title, self._stopped, self._connections = response, title, stopped, connections

    def close(self) -> None:
        self._response.close()
        self._connections.close()

    def read(self) -> bytes:
        """The whole answer. Errors as `chunks`."""
        return b"".join(self.chunks())

    def lines(self) -> Iterator[bytes]:
        """The lines that are not empty, each as soon as it has come completely. Errors as `chunks`.

        :raises Interruption: the answer ends within a line.
        """
        rest = b""
        for chunk in self.chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > LONGEST_LINE or any(len(line) > LONGEST_LINE for line in lines):
                raise SiteError(f"{self._title} sends a line of more than {LONGEST_LINE >> 10} KiB, which is no game")
            yield from filter(None, map(bytes.strip, lines))
        if rest.strip():
            raise Interruption(f"{self._title} broke off within a game")

    def chunks(self) -> Iterator[bytes]:
        """The decompressed pieces of the answer, as they come.

        :raises Interruption: the answer breaks off, is damaged, or pauses for too long.
        :raises SiteError: the answer is too long, or is compressed in another way than was asked for.
        :raises Stopped: somebody asked to stop.
        """
        packing = self.headers.get("Content-Encoding", "identity").strip().lower()
        if packing not in {"identity", "gzip", ""}:
            raise SiteError(f"{self._title} sends Content-Encoding {packing}; expected gzip or none")
        unpacker = zlib.decompressobj(wbits=31) if packing == "gzip" else None
        size = 0
        while data := self._next():
            if unpacker:
                try:
                    data = unpacker.decompress(data)
                except zlib.error as error:
                    raise Interruption(f"{self._title} sends damaged data ({error})") from None
            size += len(data)
            if size > MOST_BYTES:
                raise SiteError(f"{self._title} sends more than {MOST_BYTES >> 20} MiB without an end")
            yield data
        # `http.client` itself reports a missing end only for answers in chunked encoding.
        if self._response.length or (unpacker and size and not unpacker.eof):
            raise Interruption(f"{self._title} broke off before the end")

    def _next(self) -> bytes:
        if self._stopped.is_set():
            raise Stopped
        try:
            data: bytes = self._response.read1(_CHUNK)
        except (OSError, http.client.HTTPException) as error:
            if self._stopped.is_set():
                raise Stopped from None
            if isinstance(error, TimeoutError):
                raise Interruption(f"{self._title} was silent for {SILENCE:g} s") from None
            raise Interruption(f"{self._title} broke off: {failure(error)}") from None
        if not data and self._stopped.is_set():  # perhaps it ended for that reason alone
            raise Stopped
        return data
