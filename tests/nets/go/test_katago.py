"""Nets of KataGo are described by the head of their file, and not run."""

import gzip
from pathlib import Path

import pytest

from foible.errors import ConfigError, NetFileError
from foible.nets import describe_net, export_net, open_net
from tests.shared_data import shared

OLD = b"g170-b6c96-s1-d2\n8\n22\n19\ntrunk\n6\n96\n96\n64\n32\n32\nconv1\n5\n5\n22\n96\n1\n1\n@BIN@\xec\xbe\xbc\xbe"
FACTORS = b"20.0 20.0 20.0 20.0 40.0 0.25 150.0\n"
HUMAN = (
    b"b18c384nbt-humanv0 15 22 19 "
    + FACTORS
    + b"1 0 0 0 0 0 0 0 trunk 18 384 192 192 64 64 0 0 0 0 0 0 conv1 @BIN@\x00"
)
NEW = HUMAN.replace(b"humanv0", b"s9").replace(b"\n1 0", b"\n0 0")


def written(folder: Path, data: bytes) -> str:
    path = folder / "net.bin.gz"
    path.write_bytes(gzip.compress(data))
    return str(path)


@pytest.mark.parametrize(("data", "sizes"), [(OLD, (6, 96, 22)), (NEW, (18, 384, 22)), (HUMAN, (18, 384, 22))])
def test_what_the_file_says_is_described(tmp_path: Path, data: bytes, sizes: tuple[int, int, int]) -> None:
    found = describe_net(written(tmp_path, data))
    assert (found.format, found.game) == ("katago", "go")
    assert (found.blocks, found.filters, found.planes) == sizes
    said = "\n".join(found.notes or ())
    assert data.split()[0].decode() in said
    assert "foible does not know" in (found.not_opened or "")
    assert ("-human-model FILE" in said and "humanSLProfile" in said) == (data is HUMAN)
    plain = tmp_path / "net.bin"
    plain.write_bytes(data)
    assert describe_net(str(plain)).notes == found.notes


def test_it_is_not_run_and_says_why(tmp_path: Path) -> None:
    name = written(tmp_path, HUMAN)
    with pytest.raises(NetFileError, match=f"^{name}: a net of KataGo, .*; expected weights of Leela Zero or SAI"):
        open_net(name)
    with pytest.raises(NetFileError, match="a net of KataGo"):
        export_net(name, tmp_path / "out.onnx")
    with pytest.raises(ConfigError, match=r"net\.bin\.gz:1500: a net of KataGo is told no rating here"):
        open_net(f"{name}:1500")


@pytest.mark.parametrize(
    "data", [b"", b"name", b"name 8 22 19 tronk 6 96", b"name x 22 19 trunk 6 96", NEW[:60], b"\x00" * 99]
)
def test_what_is_no_net_of_katago_is_told(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(NetFileError, match="not a net of KataGo; expected its name"):
        describe_net(written(tmp_path, data))


def test_a_file_that_is_cut_off_or_a_page_is_told(tmp_path: Path) -> None:
    path = Path(written(tmp_path, OLD))
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(NetFileError, match=r"net\.bin\.gz: cut off or damaged"):
        describe_net(str(path))
    path.write_bytes(b"<!doctype html>")
    with pytest.raises(NetFileError, match=r"net\.bin\.gz: a page in HTML"):
        describe_net(str(path))


def test_a_real_one_is_described() -> None:
    path = shared("nets/katago-g170-b6c96-s175395328-d26788732.bin.gz")
    found = describe_net(str(path))
    assert (found.blocks, found.filters, found.planes) == (6, 96, 22)
    assert (found.notes or ("",))[0] == "g170-b6c96-s175395328-d26788732, version 8, 22 planes and 19 numbers"
