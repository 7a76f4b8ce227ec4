"""Downloads a file once into the cache: with a check of its length and sha256, a progress bar, and an atomic rename at
the end.

`urllib` suffices (one GET, redirects, a timeout per read) and saves a dependency; connection pools and HTTP/2, which an
HTTP library would add, are of no use for a single file.
"""

import hashlib
import http.client
import os
import sys
import threading
import time
import urllib.error
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

from foible.errors import FoibleError, NetFileError
from foible.mistakes import visible
from foible.nets.connections import Connections
from foible.runs.files import replace_file

_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Remote:
    """A file on the Internet, with its expected size and checksum."""

    url: str
    size: int
    """The size of the file in bytes."""
    sha256: str
    """The checksum of the file, in hexadecimal."""


def cache_folder() -> Path:
    """The user's cache folder for foible: in `XDG_CACHE_HOME` if that is set, otherwise where the platform keeps
    caches. It may not exist yet. That of a user without a home, as in some containers, ends with the process.
    """
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "foible"
    if sys.platform == "win32" and (base := os.environ.get("LOCALAPPDATA")):
        return Path(base) / "foible" / "cache"
    try:
        home = Path.home()
    except RuntimeError:
        return Path(_cache_of_process().name)
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "foible"


@cache
def _cache_of_process() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="foible-")


def fetch(
    remote: Remote,
    target: Path,
    *,
    timeout: float = 30.0,
    deadline: float = 600.0,
    on_bytes: Callable[[int], None] | None = None,
    stopped: threading.Event | None = None,
) -> Path:
    """Download a file to `target` unless it is there already, and return its path.

    Several processes may do so at once: each downloads a copy of its own, and only whole files replace each other.

    `timeout` is the longest silence of the server, `deadline` the longest duration of the download, both in seconds.

    `on_bytes` is called again and again with the number of bytes received so far, in place of a progress bar on the
    terminal; an exception from it ends the download.

    `stopped` ends the download soon after it is set, from any thread, even where the server is silent.

    :raises NetFileError: the server cannot be reached, is silent, or sends another file, of which nothing is kept; or
        the download was stopped, or the file cannot be written.
    """
    if target.is_file() and file_sha256(target) == remote.sha256:
        return target
    try:
        replace_file(target, _download(remote, timeout, deadline, on_bytes, stopped or threading.Event()))
    except OSError as error:
        raise NetFileError(f"{target}: cannot be written: {error.strerror or error}") from None
    return target


def file_sha256(path: Path) -> str:
    """The sha256 of a file, in hexadecimal.

    :raises NetFileError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise NetFileError(f"{path}: cannot be read: {error.strerror}") from None


def failure(error: Exception) -> str:
    """The reason why something could not be downloaded, as the system words it, on one line."""
    cause = getattr(error, "reason", None) or error
    return visible(" ".join(str(getattr(cause, "strerror", None) or cause).split())) or type(cause).__name__


def _download(
    remote: Remote,
    timeout: float,
    deadline: float,
    on_bytes: Callable[[int], None] | None,
    stopped: threading.Event,
) -> bytes:
    end = time.monotonic() + deadline
    data = bytearray()

    def late() -> bool:
        return time.monotonic() > end

    def check() -> None:
        if stopped.is_set():
            raise NetFileError(f"{remote.url}: the download was stopped")
        if late():
            so_far = f"{len(data)} of {remote.size} bytes after {deadline:g} s"
            raise NetFileError(f"{remote.url}: {so_far}, gave up")

    telling = nullcontext(on_bytes) if on_bytes else _bar(remote)
    try:
        with (
            Connections(lambda: stopped.is_set() or late()) as connections,
            connections.opener().open(remote.url, timeout=timeout) as response,
            telling as tell,
        ):
            while chunk := response.read1(_CHUNK):
                data += chunk
                tell(len(data))
                if len(data) > remote.size:
                    raise NetFileError(f"{remote.url}: sends more than the expected {remote.size} bytes")
                check()
    except urllib.error.HTTPError as error:
        error.close()
        raise NetFileError(f"{remote.url}: the server answers {error.code} {visible(error.reason)}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, FoibleError):  # raised by this function itself, or by `on_bytes`
            raise
        check()
        if isinstance(error, TimeoutError):
            raise NetFileError(f"{remote.url}: no answer for {timeout:g} s") from None
        raise NetFileError(f"{remote.url}: cannot be fetched: {failure(error)}") from None
    if len(data) != remote.size:
        check()
        raise NetFileError(f"{remote.url}: ended after {len(data)} of {remote.size} bytes")
    if (found := hashlib.sha256(data).hexdigest()) != remote.sha256:
        raise NetFileError(f"{remote.url}: has sha256 {found}, expected {remote.sha256}")
    return bytes(data)


@contextmanager
def _bar(remote: Remote) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error, so that piped output stays clean; it is not shown if that is no terminal.
    Yields a function that takes the number of bytes received so far.
    """
    console = Console(stderr=True)
    columns = (
        "{task.description}",
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(remote.url.rpartition("/")[2], total=remote.size)
        yield lambda count: progress.update(task, completed=count)
