"""The wire format of protocol buffers: splits the bytes of a message into its fields, and encodes fields as bytes.

Reading is safe on untrusted input: lengths are checked against the buffer before anything is taken from it,
payloads are views (never copies), and the number of fields of one message is bounded, so that work and memory stay
proportional to a well-formed message.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from foible.errors import NetFileError

MAX_FIELDS = 10_000
"""The largest number of fields of one message. The deepest nets have some hundred."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class Message:
    """The fields of one message, by number; `what` names the message in errors. Absent scalar fields read as their
    default.
    """

    what: str
    fields: Mapping[int, list[int | memoryview]]

    def integer(self, number: int, default: int = 0) -> int:
        """A varint or a fixed-width field as an unsigned number; if the field is repeated, the last value counts, as in
        protobuf.
        """
        value = self.fields.get(number, [default])[-1]
        if not isinstance(value, int):
            raise NetFileError(f"{self.what}: field {number} holds bytes where a number belongs")
        return value

    def float32(self, number: int) -> float:
        """A `float` field."""
        bits = self.integer(number)
        if bits > 0xFFFFFFFF:
            raise NetFileError(f"{self.what}: field {number} is wider than a 32-bit float")
        return float(struct.unpack("<f", struct.pack("<I", bits))[0])

    def bytes(self, number: int) -> memoryview:
        """A `bytes` or `string` field; empty when absent."""
        value = self.fields.get(number, [memoryview(b"")])[-1]
        if isinstance(value, int):
            raise NetFileError(f"{self.what}: field {number} holds a number where bytes belong")
        return value

    def message(self, number: int, what: str) -> "Message | None":
        """A nested message, or `None` when absent."""
        return read_message(self.bytes(number), what) if number in self.fields else None

    def messages(self, number: int, what: str) -> "list[Message]":
        """A repeated nested message; errors name each by `what` and its index."""
        messages = []
        for index, value in enumerate(self.fields.get(number, [])):
            if isinstance(value, int):
                raise NetFileError(f"{self.what}: field {number} holds a number where a message belongs")
            messages.append(read_message(value, f"{what} {index}"))
        return messages


def read_message(data: memoryview, what: str, most: int = MAX_FIELDS) -> Message:
    """Split a message into its fields.

    :raises NetFileError: a varint is cut off or too long, a length runs past the end, a wire type does not
        exist, or there are more than `most` fields.
    """
    fields: dict[int, list[int | memoryview]] = {}
    position, count = 0, 0
    while position < len(data):
        key, position = _varint(data, position, what)
        number, wire_type = key >> 3, key & 7
        count += 1
        if count > most:
            raise NetFileError(f"{what}: more than {most} fields")
        value: int | memoryview
        if wire_type == _VARINT:
            value, position = _varint(data, position, what)
        elif wire_type in (_FIXED32, _FIXED64, _BYTES):
            if wire_type == _BYTES:
                length, position = _varint(data, position, what)
            else:
                length = 4 if wire_type == _FIXED32 else 8
            left = len(data) - position
            if length > left:
                raise NetFileError(f"{what}: field {number} claims {length} bytes where {left} are left")
            part = data[position : position + length]
            value = part if wire_type == _BYTES else int.from_bytes(part, "little")
            position += length
        else:
            raise NetFileError(f"{what}: wire type {wire_type} at byte {position}, expected 0, 1, 2 or 5")
        fields.setdefault(number, []).append(value)
    return Message(what, fields)


def _varint(data: memoryview, position: int, what: str) -> tuple[int, int]:
    """Read a varint, an unsigned number of at most ten bytes with seven bits each; returns it and the position after
    it.
    """
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            raise NetFileError(f"{what}: ends inside a number")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise NetFileError(f"{what}: a number longer than ten bytes at byte {position}")


def number_field(number: int, value: int) -> bytes:
    """A varint field of a message."""
    return _encode_varint(number << 3 | _VARINT) + _encode_varint(value)


def float_field(number: int, value: float) -> bytes:
    """A `float` field."""
    return _encode_varint(number << 3 | _FIXED32) + struct.pack("<f", value)


def fixed32_field(number: int, value: int) -> bytes:
    """A `fixed32` field."""
    return _encode_varint(number << 3 | _FIXED32) + struct.pack("<I", value)


def bytes_field(number: int, data: bytes) -> bytes:
    """A `bytes`, `string` or message field."""
    return bytes_head(number, len(data)) + data


def bytes_head(number: int, length: int) -> bytes:
    """The bytes before the content of a `bytes`, `string` or message field: its key and its length."""
    return _encode_varint(number << 3 | _BYTES) + _encode_varint(length)


def _encode_varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
