"""An answer of a site, read piece by piece: unpacked, limited, and known to be whole."""

import http.client
import threading
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from foible.errors import SiteError
from foible.nets.download import failure
from foible.runs.files import Closing

SILENCE: Final = 60.0
"""Seconds: the longest silence, while connecting or between two pieces of an answer."""
MOST_BYTES: Final = 1 << 28
"""The size of one answer, unpacked: ten times the longest that the sites are known to give."""
LONGEST_LINE: Final = 1 << 20
"""Bytes: a game takes some 2000."""

_CHUNK: Final = 1 << 16


class Stopped(Exception):  # noqa: N818 - nothing is wrong
    """Somebody asked to stop."""


class Interruption(Exception):  # noqa: N818 - an error only after several of them
    """An answer that did not come, or not to its end: another try may bring it."""

    def __init__(self, reason: str, pause: float | None = None) -> None:
        """`pause`: seconds that the site wants to be left alone; `None` where it says nothing."""
        super().__init__(reason)
        self.pause = pause


class Answer(Closing):
    """An answer that is read once, from its beginning to its end."""

    def __init__(self, response: Any, title: str, stopped: threading.Event) -> None:
        """`response`: what urllib gives."""
        self.status: int = response.status
        self.headers: Mapping[str, str] = response.headers
        self._response, self._title, self._stopped = response, title, stopped

    def close(self) -> None:
        self._response.close()

    def read(self) -> bytes:
        """All of it. Errors as `chunks`."""
        return b"".join(self.chunks())

    def lines(self) -> Iterator[bytes]:
        """Lines that are not empty, each as soon as it is there, and only if it is whole. Errors as `chunks`.

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
        """Unpacked, as they come.

        :raises Interruption: it breaks off, or is silent.
        :raises SiteError: it has no end, or is packed in another way than was asked for.
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
        # `http.client` tells of a missing end only where the answer comes in chunks.
        if self._response.length or (unpacker and size and not unpacker.eof):
            raise Interruption(f"{self._title} broke off before the end")

    def _next(self) -> bytes:
        if self._stopped.is_set():
            raise Stopped
        try:
            data: bytes = self._response.read1(_CHUNK)
        except TimeoutError:
            raise Interruption(f"{self._title} was silent for {SILENCE:g} s") from None
        except (OSError, http.client.HTTPException) as error:
            raise Interruption(f"{self._title} broke off: {failure(error)}") from None
        return data
