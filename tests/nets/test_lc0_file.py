import contextlib
import gzip
import struct
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible.errors import NetFileError
from foible.nets.lc0_file import parse_lc0, read_lc0
from foible.nets.lc0_onnx import to_onnx
from tests.nets.synthetic import (
    Recipe,
    assemble,
    network_format,
    number,
    payload,
    real,
    synthesise,
    varint,
)

TINY = Recipe(filters=2, blocks=1, squeeze=2)
TINY_DATA = synthesise(TINY).data
MAGIC = varint(1 << 3 | 5) + struct.pack("<I", 0x1C0)


def layer(*values: float) -> bytes:
    """A layer whose weights name their own encoding, FLOAT32."""
    return payload(3, struct.pack(f"<{len(values)}f", *values)) + number(4, 4)


def test_plain_and_gzipped_files_read_alike(tmp_path: Path) -> None:
    (tmp_path / "net.pb").write_bytes(TINY_DATA)
    (tmp_path / "net.pb.gz").write_bytes(gzip.compress(TINY_DATA))
    plain, zipped = read_lc0(tmp_path / "net.pb"), read_lc0(tmp_path / "net.pb.gz")
    np.testing.assert_array_equal(plain.input.weights, zipped.input.weights)
    assert to_onnx(plain).SerializeToString() == to_onnx(zipped).SerializeToString()


def test_a_net_says_what_it_is() -> None:
    net = parse_lc0(synthesise(Recipe(filters=16, blocks=3, mish=True, moves_left=True)).data)
    assert (net.filters, len(net.blocks), net.activation, net.wdl) == (16, 3, "mish", True)
    assert net.moves_left is not None
    assert (net.encoding, net.training_steps) == ("LINEAR16", 1234)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not an lc0 weights file: starts with nothing"),
        (b"2\n1 2 3", "not an lc0 weights file"),
        (gzip.compress(b"hello world", mtime=0), "not an lc0 weights file"),
        (gzip.compress(TINY_DATA, mtime=0)[:-200], "cut off: the gzip stream ends early"),
        (
            gzip.compress(TINY_DATA, mtime=0)[:40] + bytes(200) + gzip.compress(TINY_DATA, mtime=0)[240:],
            "damaged gzip stream",
        ),
        (TINY_DATA[:-5], "net: field 10 claims"),
        (MAGIC, "holds no weights"),
    ],
)
def test_damaged_files_are_refused_with_name_and_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "some.pb.gz"
    path.write_bytes(content)
    with pytest.raises(NetFileError, match=reason) as caught:
        read_lc0(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NetFileError, match="no such file"):
        read_lc0(tmp_path / "absent.pb.gz")
    with pytest.raises(NetFileError, match="not a file"):
        read_lc0(tmp_path)


@pytest.mark.parametrize(
    ("extra", "formats", "reason"),
    [
        (b"", number(3, 6) + number(4, 3) + number(5, 2), "embedding is missing"),
        (b"", number(3, 7) + number(4, 3) + number(5, 2), "embedding is missing"),
        (b"", number(3, 134) + number(4, 3) + number(5, 2), "embedding is missing"),
        (b"", number(3, 5), "NETWORK_ONNX"),
        (b"", number(3, 99), "unknown kind 99"),
        (payload(27, b""), network_format(TINY), "convolution policy behind an attention body"),
        (payload(45, b""), network_format(TINY), "has no policy head 'vanilla'; it has none"),
        (b"", number(3, 4) + number(4, 3) + number(5, 2), "policy embedding is missing"),
        (b"", number(3, 4) + number(4, 9), "unknown policy format 9"),
        (b"", number(3, 4) + number(4, 2) + number(5, 3), "unsupported value format 3"),
        (b"", network_format(TINY) + number(6, 7), "unknown moves-left format 7"),
        (b"", network_format(TINY) + number(6, 1), "moves-left convolution is missing"),
        (b"", network_format(TINY) + number(7, 2), "unknown default activation 2"),
        (b"", number(1, 77), "unknown format 77"),
    ],
)
def test_nets_of_other_families_are_refused_by_name(extra: bytes, formats: bytes, reason: str) -> None:
    with pytest.raises(NetFileError, match=reason):
        parse_lc0(assemble(synthesise(TINY).weights + extra, formats))


def test_missing_layers_are_named() -> None:
    with pytest.raises(NetFileError, match="input convolution is missing"):
        parse_lc0(assemble(b"", network_format(TINY)))
    with pytest.raises(NetFileError, match="input convolution has neither biases nor batch norm"):
        parse_lc0(assemble(payload(1, b""), network_format(TINY)))


def test_sizes_that_contradict_each_other_are_named() -> None:
    conv = payload(1, layer(1, 2, 3)) + payload(2, layer(0.5, 0.5))
    with pytest.raises(NetFileError, match="input convolution weights: 3 numbers, expected 2016"):
        parse_lc0(assemble(payload(1, conv), network_format(TINY)))


def test_weights_that_are_not_finite_are_refused() -> None:
    conv = payload(1, layer(*[1.0] * 2016)) + payload(2, layer(0.5, float("inf")))
    with pytest.raises(NetFileError, match="input convolution biases: holds numbers that are not finite"):
        parse_lc0(assemble(payload(1, conv), network_format(TINY)))
    endless = payload(2, real(1, float("-inf")) + real(2, float("inf")) + payload(3, bytes(4)))
    with pytest.raises(NetFileError, match="input convolution biases: holds numbers that are not finite"):
        parse_lc0(assemble(payload(1, payload(1, layer(*[1.0] * 2016)) + endless), network_format(TINY)))
    wide = payload(1, real(1, -3e38) + real(2, float("nan")) + payload(3, bytes(4)))
    with pytest.raises(NetFileError, match="not finite"):
        parse_lc0(assemble(payload(1, payload(2, wide[2:])), network_format(TINY)))


def test_negative_variances_are_refused() -> None:
    conv = payload(1, layer(*[1.0] * 1008)) + payload(3, layer(0)) + payload(4, layer(-1))
    with pytest.raises(NetFileError, match="input convolution: negative variance"):
        parse_lc0(assemble(payload(1, conv), network_format(TINY)))


def test_unknown_encodings_are_refused() -> None:
    with pytest.raises(NetFileError, match="unknown weights encoding 9"):
        parse_lc0(assemble(b"", network_format(TINY), encoding=9))
    biases = payload(3, bytes(4)) + number(4, 9)
    with pytest.raises(NetFileError, match="weights encoding 9, expected one of LINEAR16"):
        parse_lc0(assemble(payload(1, payload(2, biases)), network_format(TINY)))
    with pytest.raises(NetFileError, match="weights encoding 0, expected one of LINEAR16"):
        parse_lc0(assemble(payload(1, payload(2, payload(3, bytes(4)) + number(4, 0))), network_format(TINY)))


@pytest.mark.parametrize("encoding", [0, 1, 2, 4])
def test_layers_that_name_no_encoding_are_linear16_whatever_the_file_says(encoding: int) -> None:
    written = synthesise(TINY)
    net = parse_lc0(assemble(written.weights, network_format(TINY), encoding=encoding))
    np.testing.assert_allclose(net.input.weights, written.convs["input"][0], rtol=1e-6)


def test_a_gzip_bomb_is_refused_early(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pb.gz"
    with gzip.open(path, "wb") as file:
        file.write(MAGIC + varint(10 << 3 | 2) + varint(1 << 28))
        for _ in range(256):
            file.write(bytes(1 << 20))
    start = time.perf_counter()
    tracemalloc.start()
    with pytest.raises(NetFileError, match=r"expands beyond [78]\d MiB"):
        read_lc0(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300 << 20
    assert time.perf_counter() - start < 10


def test_a_gzip_bomb_that_is_no_net_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pb.gz"
    path.write_bytes(gzip.compress(bytes(64 << 20)))
    with pytest.raises(NetFileError, match="not an lc0 weights file: starts with 0000000000"):
        read_lc0(path)


def test_the_cap_can_be_lowered(tmp_path: Path) -> None:
    path = tmp_path / "net.pb"
    path.write_bytes(MAGIC + bytes(4 << 20))
    with pytest.raises(NetFileError, match="expands beyond 1 MiB"):
        read_lc0(path, max_bytes=1 << 20)


def test_a_message_of_countless_fields_is_refused() -> None:
    with pytest.raises(NetFileError, match="more than 10000 fields"):
        parse_lc0(MAGIC + number(20, 1) * 100_000)


def survive(data: bytes) -> None:
    """The only error is `NetFileError`; what is read can be used; it does not take long."""
    start = time.perf_counter()
    said = ""
    try:
        to_onnx(parse_lc0(data))
    except NetFileError as error:
        said = str(error)
    assert "\n" not in said
    assert time.perf_counter() - start < 2


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(TINY_DATA)))
def test_cutting_a_file_off_anywhere_gives_one_clear_error(length: int) -> None:
    survive(TINY_DATA[:length])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(TINY_DATA) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_changing_bytes_anywhere_gives_a_net_or_one_clear_error(changes: list[tuple[int, int]]) -> None:
    data = bytearray(TINY_DATA)
    for position, byte in changes:
        data[position] = byte
    survive(bytes(data))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 400), st.binary(max_size=12))
def test_changing_the_head_of_the_file_gives_a_net_or_one_clear_error(position: int, chunk: bytes) -> None:
    survive(TINY_DATA[:position] + chunk + TINY_DATA[position + len(chunk) :])


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_behind_the_magic_number_are_survived(tail: bytes) -> None:
    survive(MAGIC + tail)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), st.binary(min_size=1, max_size=4), st.booleans())
def test_damaging_a_gzipped_file_gives_a_net_or_one_clear_error(place: int, chunk: bytes, cut: bool) -> None:
    zipped = gzip.compress(TINY_DATA, 1, mtime=0)
    place %= len(zipped)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.pb.gz"
        path.write_bytes(zipped[:place] + chunk + (b"" if cut else zipped[place + len(chunk) :]))
        start = time.perf_counter()
        with contextlib.suppress(NetFileError):
            to_onnx(read_lc0(path))
        assert time.perf_counter() - start < 2
