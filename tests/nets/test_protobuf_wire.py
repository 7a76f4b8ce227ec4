import pytest

from foible.errors import NetFileError
from foible.nets.protobuf_wire import read_message
from tests.nets.synthetic import number, payload, real


def test_fields_are_found_by_number_and_the_last_one_counts() -> None:
    data = number(1, 300) + payload(2, b"abc") + real(3, -1.5) + number(1, 7)
    message = read_message(memoryview(data), "thing")
    assert message.integer(1) == 7
    assert bytes(message.bytes(2)) == b"abc"
    assert message.float32(3) == -1.5
    assert (message.integer(9), bytes(message.bytes(9)), message.message(9, "x")) == (0, b"", None)


def test_repeated_messages_keep_their_order() -> None:
    data = payload(2, number(1, 5)) + payload(2, number(1, 6))
    assert [part.integer(1) for part in read_message(memoryview(data), "thing").messages(2, "part")] == [5, 6]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x08", "thing: ends inside a number"),
        (b"\x08" + b"\xff" * 11, "thing: a number longer than ten bytes"),
        (b"\x12\x05abc", "thing: field 2 claims 5 bytes where 3 are left"),
        (b"\x12" + b"\xff" * 9 + b"\x01", "claims 18446744073709551615 bytes where 0 are left"),
        (b"\x0d\x01\x02", "thing: field 1 claims 4 bytes where 2 are left"),
        (b"\x0b", "thing: wire type 3"),
    ],
)
def test_damaged_messages_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(NetFileError, match=reason):
        read_message(memoryview(data), "thing")


def test_a_field_of_another_kind_is_refused() -> None:
    message = read_message(memoryview(number(1, 1) + payload(2, b"x")), "thing")
    with pytest.raises(NetFileError, match="field 1 holds a number where bytes belong"):
        message.bytes(1)
    with pytest.raises(NetFileError, match="field 2 holds bytes where a number belongs"):
        message.integer(2)
    with pytest.raises(NetFileError, match="field 1 holds a number where a message belongs"):
        message.messages(1, "part")
