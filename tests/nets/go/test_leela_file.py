import gzip
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible.errors import ConfigError, NetFileError
from foible.nets.go.leela_file import read_weights
from foible.nets.go.leela_write import serialise_weights, write_weights
from foible.nets.go.net import GoWeights
from tests.nets.go.arrays import arrays_of, weights_of
from tests.nets.go.naive import EXTRA_LINES, Recipe, lines_of, text_of

HEADS = list(EXTRA_LINES)
SMALL = Recipe(size=3, blocks=1, filters=2, head="lz", hidden=3)
TEXT = text_of(lines_of(SMALL))
LINES = TEXT.split(b"\n")


def read(folder: Path, content: bytes, name: str = "net.txt") -> GoWeights:
    (folder / name).write_bytes(content)
    return read_weights(folder / name)


def changed(line: int, content: bytes) -> bytes:
    """The small net with another line, counted from 1."""
    return b"\n".join([*LINES[: line - 1], content, *LINES[line:]])


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("planes", [17, 18])
def test_a_file_says_what_its_net_is(head: str, planes: int) -> None:
    recipe = Recipe(head=head, planes=planes, size=4)
    net = weights_of(text_of(lines_of(recipe)))
    assert (net.size, net.planes, net.filters, len(net.blocks)) == (4, planes, 3, 2)
    assert net.value.kind == head
    assert net.policy.weights.shape == (2, 3, 1, 1)
    assert net.policy_dense.weights.shape == (17, 32)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("size", [1, 2, 7])
def test_what_is_written_is_read_again_bit_by_bit(head: str, size: int, tmp_path: Path) -> None:
    text = text_of(lines_of(Recipe(head=head, size=size)))
    net = read(tmp_path, text)
    for name in ("out.txt", "out.txt.gz"):
        write_weights(net, tmp_path / name)
        again = read_weights(tmp_path / name)
        assert arrays_of(again) == arrays_of(net)
    assert gzip.decompress((tmp_path / "out.txt.gz").read_bytes()) == (tmp_path / "out.txt").read_bytes()


@given(st.lists(st.floats(width=32, min_value=-(2.0**90), max_value=2.0**90), min_size=4, max_size=4), st.data())
def test_every_float32_survives_the_text(numbers: list[float], data: st.DataObject) -> None:
    lines = lines_of(SMALL)
    lines[0].flat[:4] = numbers
    lines[1][:] = numbers[:2]
    lines[3][:] = data.draw(st.lists(st.floats(width=32, min_value=0, max_value=1e6), min_size=2, max_size=2))
    first = weights_of(text_of(lines))
    again = weights_of(serialise_weights(first))
    assert np.array_equal(first.input.weights.ravel()[:4].view(np.uint32), np.array(numbers, "<f4").view(np.uint32))
    assert first.input.norm is not None
    assert again.input.norm is not None
    for name in ("means", "variances", "betas"):
        one, other = getattr(first.input.norm, name), getattr(again.input.norm, name)
        assert np.array_equal(one.view(np.uint32), other.view(np.uint32)), name


def test_two_outputs_of_one_layer_are_alpha_and_beta() -> None:
    lines = lines_of(Recipe(head="t"))
    joined = [*lines[:-4], np.concatenate([lines[-4], lines[-2]]), np.concatenate([lines[-3], lines[-1]])]
    assert arrays_of(weights_of(text_of(joined))) == arrays_of(weights_of(text_of(lines)))
    with pytest.raises(NetFileError, match="line 36: 2 more lines after two outputs of the value, expected 0 in all"):
        weights_of(text_of([*joined, *lines[-2:]]))


def test_a_last_newline_and_those_of_windows_change_nothing() -> None:
    for text in (TEXT + b"\n", TEXT.replace(b"\n", b"\r\n")):
        assert arrays_of(weights_of(text)) == arrays_of(weights_of(TEXT))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "line 1: '', expected the version of a weights file of Leela Zero, 1"),
        (b"\n1 2", "line 1: '', expected the version"),
        (b"hello\n", "line 1: 'hello', expected the version"),
        (b"<!DOCTYPE html>\n<p>", "a page in HTML, not a net"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS, not the net itself"),
        (changed(1, b"2"), "line 1: a weights file of version 2; foible reads version 1"),
        (changed(1, b"49"), "line 1: a weights file of version 49"),
        (b"1", "line 2: the file ends, expected the weights of the input convolution"),
        (b"1\n1 2 3", "line 3: the file ends, expected the biases of the input convolution"),
        (changed(2, b"1 2 3"), "line 2: 3 numbers, expected 324 (weights of the input convolution with 2 channels and"),
        (changed(3, b""), "line 3: 0 numbers make 0 channels, expected 1 to 512"),
        (changed(3, b" 1" * 600), "line 3: 600 numbers make 600 channels, expected 1 to 512"),
        (changed(4, b"1 2 3"), "line 4: 3 numbers, expected 2 (means of the input convolution)"),
        (changed(5, b"1 -0.3"), "line 5: a variance of -0.3, expected none below 0 (input convolution)"),
        (changed(10, b"1"), "line 10: 1 numbers, expected 36 (weights of the convolution 2 of block 1)"),
        (changed(11, b"1"), "line 11: 1 numbers, expected 2 (biases of the convolution 2 of block 1)"),
        (changed(14, b"1 2 3"), "line 14: 3 numbers, expected 2 (weights of the policy's convolution with 2 channels"),
        (
            changed(18, b"1 2"),
            "line 18: 2 numbers, expected 180 (weights of the policy's dense layer, 18 numbers to 10)",
        ),
        (
            changed(19, b"1 2 3 4"),
            "line 19: 4 numbers, expected one for each point of a board of at most 19×19 and one",
        ),
        (changed(19, b" 1" * 401), "line 19: 401 numbers, expected one for each point of a board of at most 19×19"),
        (changed(20, b"1 2 3"), "line 20: 3 numbers, expected 2 (weights of the value's convolution with 2 channels"),
        (
            changed(24, b"1 2 3"),
            "line 24: 3 numbers, expected 54 (weights of the value's hidden layer, 18 numbers to 3)",
        ),
        (changed(25, b" 1" * 5000), "line 25: 5000 numbers make 5000 outputs, expected 1 to 4096"),
        (changed(26, b"1 2"), "line 26: 2 numbers, expected 3 (weights of the value's last layer, 3 numbers to 1)"),
        (changed(27, b"1 2 3"), "line 27: 3 numbers make 3 outputs, expected 1 to 2"),
        (TEXT + b"\n1", "line 28: 1 more lines after the value, expected 0, 2, 4, 8 in all"),
        (TEXT + b"\n1" * 9, "line 28: more than 8 more lines after the value, expected 0, 2, 4, 8 in all"),
        (changed(4, b"1 nan"), "line 4: 'nan' is no number"),
        (changed(4, b"inf 1"), "line 4: 'inf' is no number"),
        (changed(4, b"1 2_0"), "line 4: '2_0' is no number"),
        (changed(4, b"1 2,0"), "line 4: '2,0' is no number"),
        (changed(4, b"1 \xff"), "line 4: 'ÿ' is no number"),
        (changed(4, b"1 1e999"), "line 4: '1e999' is no weight, expected at most 1e+30"),
        (changed(4, b"-1e31 1"), "line 4: '-1e31' is no weight"),
        (gzip.compress(TEXT, mtime=0)[:-9], "cut off: the gzip stream ends early"),
        (gzip.compress(TEXT, mtime=0)[:100] + bytes(100), "damaged gzip stream: "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_damaged_files_are_refused_with_name_line_and_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(NetFileError, match=re.escape(f"net.txt: {reason}")) as caught:
        read(tmp_path, content)
    assert str(caught.value).startswith(f"{tmp_path}")
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NetFileError, match=r"absent.txt: no such file"):
        read_weights(tmp_path / "absent.txt")
    with pytest.raises(NetFileError, match="not a file"):
        read_weights(tmp_path)


def test_files_that_expand_beyond_measure_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bomb.txt.gz").write_bytes(gzip.compress(b"1\n" + b"0 " * 1_000_000))
    with pytest.raises(NetFileError, match=r"bomb.txt.gz: expands beyond 1 MiB"):
        read_weights(tmp_path / "bomb.txt.gz", max_bytes=1 << 20)
    with pytest.raises(NetFileError, match="line 806: more than 100 blocks"):
        read(tmp_path, b"1\n" + b" 1" * 162 + b"\n1\n1\n1" + b"\n1 1 1 1 1 1 1 1 1\n1\n1\n1" * 203)


def test_unfit_weights_and_names_are_not_written(tmp_path: Path) -> None:
    net = read(tmp_path, TEXT)
    with pytest.raises(ConfigError, match=r"net.pb.gz: nets for Go are written as .txt.gz or .txt"):
        write_weights(net, tmp_path / "net.pb.gz")
    net.policy_dense.weights[3, 2] = np.nan
    with pytest.raises(ConfigError, match=r"other.txt: the net has weights that are not finite numbers; it is not"):
        write_weights(net, tmp_path / "other.txt")
    assert not (tmp_path / "other.txt").exists()


@st.composite
def damaged_texts(draw: st.DrawFn) -> bytes:
    """Texts of nets of every kind with one damage each."""
    lines = text_of(lines_of(Recipe(size=2, blocks=1, filters=2, head=draw(st.sampled_from(HEADS)), hidden=3))).split(
        b"\n"
    )
    chosen = draw(st.integers(0, len(lines) - 1))
    before, line, after = lines[:chosen], lines[chosen], lines[chosen + 1 :]
    words = line.split()
    word = draw(st.integers(0, len(words) - 1))
    match draw(st.sampled_from(["drop", "double", "lose", "add", "spoil"])):
        case "drop":
            now = []
        case "double":
            now = [line, line]
        case "lose":
            now = [b" ".join(words[:word] + words[word + 1 :])]
        case "add":
            now = [line + b" 1"]
        case _:
            words[word] = draw(st.sampled_from([b"nan", b"1e", b"-", b"0x1", b"1e40", b"\xff"]))
            now = [b" ".join(words)]
    return b"\n".join([*before, *now, *after])


@given(damaged_texts())
def test_any_damage_gives_one_line(damaged: bytes) -> None:
    with pytest.raises(NetFileError) as caught:
        weights_of(damaged)
    assert str(caught.value).startswith("line ")
    assert "\n" not in str(caught.value)


@given(st.integers(0, len(TEXT) - len(LINES[-1]) - 1))
def test_a_file_that_is_cut_before_its_last_line_is_refused(length: int) -> None:
    with pytest.raises(NetFileError, match="line "):
        weights_of(TEXT[:length])


@given(st.integers(0, 10**9), st.integers(1, 255), st.booleans())
def test_damage_to_a_gzipped_file_is_noticed_or_harmless(place: int, change: int, cut: bool) -> None:
    whole = bytearray(gzip.compress(TEXT, mtime=0))
    place %= len(whole)
    whole[place] ^= change
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.txt.gz"
        path.write_bytes(whole[:place] if cut else whole)
        found = net_or_message(path)
    if isinstance(found, str):
        assert found.startswith(f"{path}: ")
        assert "\n" not in found
    else:
        assert not cut
        assert arrays_of(found) == arrays_of(weights_of(TEXT))


def net_or_message(path: Path) -> GoWeights | str:
    try:
        return read_weights(path)
    except NetFileError as error:
        return str(error)
