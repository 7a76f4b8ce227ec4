"""Downloads a file once into the cache: with a part beside it that a later try goes on with, a check of its length and
sha256, a progress bar, and an atomic rename at the end.

`urllib` suffices (one GET, redirects, a timeout per read) and saves a dependency; connection pools and HTTP/2, which an
HTTP library would add, are of no use for a single file.
"""

import hashlib
import http.client
import os
import re
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from email.message import Message
from functools import cache
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

from foible.errors import NetFileError
from foible.mistakes import visible
from foible.nets.connections import Connections
from foible.runs.files import put_in_place, write_atomically
from foible.runs.folder import taking_turns

_CHUNK: Final = 1 << 16
_VALIDATOR: Final = re.compile(r"[ -~]{1,200}")


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
    deadline: float = 120.0,
    on_bytes: Callable[[int], None] | None = None,
    stopped: threading.Event | None = None,
) -> Path:
    """Download a file to `target` unless it is there already, and return its path.

    What came before a download broke off stays beside the target, where the server can go on from there and tells its
    versions of the file apart; the next call asks only for the rest. Only a whole file with the right checksum takes
    the place of `target`. Of several processes that fetch the same file one does so, and the others wait for it.

    `timeout` is the longest silence of the server in seconds, `deadline` the longest time until its answer begins, in
    seconds, with connections, redirects and headers. A download that goes on may last as long as it needs.

    `on_bytes` is called again and again with the number of bytes that are there so far, in place of a progress bar on
    the terminal; an exception from it that is no `OSError` ends the download.

    `stopped` ends the download soon after it is set, from any thread, even where the server is silent.

    :raises NetFileError: the server cannot be reached, is silent, or sends another file, of which nothing is kept; or
        the URL is neither https nor of this machine; or the download was stopped, or the file cannot be written.
    """
    if _is_here(remote, target):
        return target
    watch = _Watch(stopped or threading.Event(), time.monotonic() + deadline, f"no answer within {deadline:g} s")
    part = _Part(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with nullcontext(on_bytes) if on_bytes else _bar(remote) as tell:

            def wait() -> None:
                watch.end = time.monotonic() + deadline
                watch.check(remote)
                tell(part.size())

            with taking_turns(target.with_name(f"{target.name}.lock"), wait):
                if not _is_here(remote, target):
                    _download(remote, part, timeout, watch, tell)
                    _check(remote, part)
                    put_in_place(part.path, target)
                    part.drop()
    except OSError as error:
        raise NetFileError(f"{target}: cannot be written: {error.strerror or error}") from None
    return target


def _is_here(remote: Remote, target: Path) -> bool:
    return target.is_file() and file_sha256(target) == remote.sha256


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


@dataclass(slots=True)
class _Watch:
    """Until when a download waits for its server."""

    stopped: threading.Event
    end: float
    """The time by `time.monotonic` at which the server has been silent for too long."""
    late: str
    """What is said then."""

    def over(self) -> bool:
        return self.stopped.is_set() or time.monotonic() > self.end

    def check(self, remote: Remote) -> None:
        if self.stopped.is_set():
            raise NetFileError(f"{remote.url}: the download was stopped")
        if self.over():
            raise NetFileError(f"{remote.url}: {self.late}")


class _Part:
    """What is there of a file that is being downloaded, in a file beside it.

    A second file holds the validator of the server's file (its entity tag, or when it was last changed). It is written
    before the first byte and deleted after the last, so a part with a validator belongs to it.
    """

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(f"{target.name}.part")
        self._validator = target.with_name(f"{target.name}.part.validator")

    def size(self) -> int:
        """The number of bytes that are there."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def validator(self) -> str:
        """The validator of the part; empty where the rest of it cannot be asked for."""
        try:
            text = self._validator.read_text("latin-1")
        except FileNotFoundError:
            return ""
        return text if _VALIDATOR.fullmatch(text) else ""

    def begin(self, validator: str) -> None:
        """Forget what was there."""
        self.drop()
        if validator:
            write_atomically(self._validator, validator)

    def drop(self) -> None:
        """Delete what is there."""
        self._validator.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


def _download(remote: Remote, part: _Part, timeout: float, watch: _Watch, tell: Callable[[int], None]) -> None:
    """Bring the part to the expected size; where that fails, leave it for the next try if it can go on from there."""
    try:
        if not part.validator() or part.size() > remote.size:
            part.drop()
        if part.size() < remote.size:
            _receive(remote, part, timeout, watch, tell)
    except NetFileError as error:
        if not part.validator() or not (size := part.size()):
            raise
        kept = f"{size} of {remote.size} bytes are kept, and the next try goes on from there"
        raise NetFileError(f"{error}; {kept}") from None
    finally:
        if part.size() < remote.size and not part.validator():
            part.drop()


def _receive(remote: Remote, part: _Part, timeout: float, watch: _Watch, tell: Callable[[int], None]) -> None:
    with Connections(watch.over) as connections, ExitStack() as opened:
        done = part.size()
        with _naming(remote, timeout, watch):
            headers = {"Range": f"bytes={done}-", "If-Range": part.validator()} if done else {}
            request = urllib.request.Request(remote.url, headers=headers)
            try:
                response = opened.enter_context(connections.opener().open(request, timeout=timeout))
            except urllib.error.HTTPError as error:
                if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                    part.drop()  # the server's file is shorter by now
                raise
        watch.check(remote)
        if response.status != HTTPStatus.PARTIAL_CONTENT:
            part.begin(_validator(response.headers))
            done = 0
        elif not response.headers.get("Content-Range", "").startswith(f"bytes {done}-"):
            part.drop()
            raise NetFileError(f"{remote.url}: sends other bytes than those from {done} on, which were asked for")
        with part.path.open("ab") as file:
            watch.late = f"no answer for {timeout:g} s"
            while True:
                watch.end = time.monotonic() + timeout
                with _naming(remote, timeout, watch):
                    chunk = response.read1(_CHUNK)
                if not chunk:
                    break
                file.write(chunk)
                done += len(chunk)
                if done > remote.size:
                    part.drop()
                    raise NetFileError(f"{remote.url}: sends more than the expected {remote.size} bytes")
                tell(done)
                watch.check(remote)
            file.flush()
            os.fsync(file.fileno())
    if done < remote.size:
        watch.check(remote)
        raise NetFileError(f"{remote.url}: ended after {done} of {remote.size} bytes")


@contextmanager
def _naming(remote: Remote, timeout: float, watch: _Watch) -> Iterator[None]:
    """Let each error of the network in this block name the URL and the reason."""
    try:
        yield
    except urllib.error.HTTPError as error:
        error.close()
        raise NetFileError(f"{remote.url}: the server answers {error.code} {visible(error.reason)}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        watch.check(remote)
        if isinstance(getattr(error, "reason", error), TimeoutError):
            raise NetFileError(f"{remote.url}: no answer for {timeout:g} s") from None
        raise NetFileError(f"{remote.url}: cannot be fetched: {failure(error)}") from None


def _validator(headers: Message) -> str:
    """The validator of an answer with which the rest of its file can be asked for; empty where there is none.

    A weak entity tag is no validator of bytes (RFC 9110, section 13.1.5). The time of the last change may miss changes
    within a second, which the checksum detects.
    """
    if "bytes" not in headers.get("Accept-Ranges", "").lower():
        return ""
    tag = headers.get("ETag", "")
    found = headers.get("Last-Modified", "") if not tag or tag.startswith("W/") else tag
    return found if _VALIDATOR.fullmatch(found) else ""


def _check(remote: Remote, part: _Part) -> None:
    if (sha256 := file_sha256(part.path)) != remote.sha256:
        part.drop()
        raise NetFileError(f"{remote.url}: has sha256 {sha256}, expected {remote.sha256}")


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
