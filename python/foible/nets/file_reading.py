"""What all readers of net files share: files are unpacked within bounds, what is no net at all is told as such, and
errors name the file.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from foible.errors import NetFileError

MAX_BYTES: Final = 1 << 30
"""The largest file of weights or of a model that is read by default, in bytes when uncompressed. The largest residual
nets have some 0.4 GB.
"""
_GZIP_MAGIC: Final = b"\x1f\x8b"
_SURE, _EXPANSION = 64 << 20, 64
"""A gzipped file may always expand to 64 MiB; beyond that, it is no net if it expands more than 64-fold. Weights shrink
only by a factor of 1 to 3.
"""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """A context manager that prefixes the messages of `NetFileError`s with the path of the file."""
    try:
        yield
    except NetFileError as error:
        raise NetFileError(f"{path}: {error}") from None


@contextmanager
def unpacked(path: Path, max_bytes: int = MAX_BYTES) -> Iterator[tuple[IO[bytes] | gzip.GzipFile, int]]:
    """A context manager that gives the content of a file, gzipped or not, as a stream; and the number of bytes beyond
    which that content can be no net's (`check_expansion`), at most `max_bytes`.

    :raises NetFileError: the file is missing, cannot be read, or is cut off or damaged where the block reads it; the
        message does not name the file.
    """
    if not path.is_file():
        raise NetFileError("no such file" if not path.exists() else "not a file")
    try:
        with path.open("rb") as file:
            if not _is_gzip(file):
                yield file, max_bytes
                return
            with gzip.GzipFile(fileobj=file) as stream:
                yield stream, min(max_bytes, _SURE + path.stat().st_size * _EXPANSION)
    except EOFError:
        raise NetFileError("cut off: the gzip stream ends early") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise NetFileError(f"damaged gzip stream: {error}") from None
    except OSError as error:
        raise NetFileError(f"cannot be read: {error.strerror}") from None


def check_expansion(count: int, limit: int) -> None:
    """:raises NetFileError: more than `limit` bytes were read; both numbers as in `unpacked`."""
    if count > limit:
        raise NetFileError(f"expands beyond {limit >> 20} MiB, which no weights file of this size does")


def first_bytes(path: Path, count: int) -> bytes:
    """The first `count` bytes of a file's content, gzipped or not.

    :raises OSError: the file cannot be read, or does not go on as gzip.
    :raises EOFError: the gzip stream ends before.
    :raises zlib.error: the gzip stream is damaged.
    """
    with path.open("rb") as file:
        return gzip.GzipFile(fileobj=file).read(count) if _is_gzip(file) else file.read(count)


def _is_gzip(file: IO[bytes]) -> bool:
    """Whether an open file, which stays at its start, is gzipped."""
    zipped = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    file.seek(0)
    return zipped


def check_is_no_stand_in(head: bytes | bytearray) -> None:
    """Check that a file is not what servers sometimes send in place of a net: a web page, or a pointer of Git LFS.
    `head`: the first bytes of the file.

    :raises NetFileError: the file is one of these.
    """
    start = bytes(head[:512]).lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        raise NetFileError("a page in HTML, not a net: the page of the download was saved; expected the file itself")
    if start.startswith(b"version https://git-lfs"):
        raise NetFileError("a pointer of Git LFS, not the net itself; expected what `git lfs pull` puts in its place")
