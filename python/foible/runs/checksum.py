"""Checksums that records carry, so that damage is found: CRC-32, which no flipped bit and no burst of 32 escapes."""

import re
import zlib
from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from foible.errors import GameFileError

T = TypeVar("T")

MEMBER: Final = re.compile(rb',?\s*"checksum": ?"([0-9a-f]{8})"\s*\}\s*\Z')
LINE: Final = re.compile(rb"\nchecksum ([0-9a-f]{8})\n\Z")
LONGEST: Final = 64
"""Bytes in which a checksum at the end of something is to be found."""


def checksum(data: bytes) -> str:
    """Eight hexadecimal digits.

    >>> checksum(b"foible")
    '8de0bbc3'
    """
    return f"{zlib.crc32(data):08x}"


def seal(text: bytes) -> bytes:
    """A JSON object with a checksum as its last member, on a line of its own where the others have one.

    >>> seal(b'{"game":1}')
    b'{"game":1,"checksum":"80f17a19"}'
    """
    body = text.rstrip()[:-1].rstrip()
    comma, mark = b"" if body == b"{" else b",", checksum(body).encode()
    if b"\n" in body:
        return b'%s%s\n  "checksum": "%s"\n}\n' % (body, comma, mark)
    return b'%s%s"checksum":"%s"}' % (body, comma, mark)


def unseal(text: bytes) -> bytes:
    """The object without its checksum; one of an earlier version, which has none, as it is.

    :raises GameFileError: it is not what it was when it was sealed.
    """
    return _checked(text, MEMBER, b"}")


def read_sealed(text: bytes, decode: Callable[[bytes], T]) -> T:
    """What a sealed object means, by msgspec's `decode` of its kind.

    :raises GameFileError: it is damaged, or none of this kind.
    """
    try:
        return decode(unseal(text))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise GameFileError(str(error)) from None


def seal_file(data: bytes) -> bytes:
    """The content of a file whose readers pass over what stands behind its end, with a checksum there."""
    return b"%s\nchecksum %s\n" % (data, checksum(data).encode())


def unseal_file(data: bytes) -> bytes:
    """As `unseal`, of what `seal_file` gave."""
    return _checked(data, LINE, b"")


def _checked(data: bytes, mark: re.Pattern[bytes], end: bytes) -> bytes:
    found = mark.search(data, max(0, len(data) - LONGEST))
    if found is None:
        return data
    body, noted = data[: found.start()], found[1].decode()
    if (now := checksum(body)) != noted:
        raise GameFileError(f"damaged: its checksum is {now}, not {noted}")
    return body + end
