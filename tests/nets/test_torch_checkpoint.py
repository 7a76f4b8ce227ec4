"""Checkpoints are read without PyTorch, and what is no checkpoint, or a hostile one, is refused in one line."""

import io
import pickle
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible.errors import NetFileError
from foible.nets.choices import Ratings
from foible.nets.maia_file import read_checkpoint
from foible.nets.tensor_pickle import Storage, Tensor, read_pickle
from foible.nets.torch_checkpoint import is_checkpoint, open_checkpoint
from tests.nets import maia_nets
from tests.nets.maia_nets import archive, checkpoint, dictionary, number, several, tensor, text

VALUES = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([1.5], np.float32)}
GOOD = checkpoint(maia_nets.maia3())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "net.pt"


def refused(path: Path, data: bytes, *names: str) -> str:
    """What is said when tensors of these names are asked for."""
    path.write_bytes(data)

    def read() -> None:
        with open_checkpoint(path) as weights:
            for name in names:
                weights.array(name, 2, 3)

    with pytest.raises(NetFileError) as error:
        read()
    assert "\n" not in str(error.value)
    return str(error.value)


def in_one_line(read: Callable[[], object]) -> bool:
    """Whether it works, or says in one line why not."""
    try:
        read()
    except NetFileError as error:
        return "\n" not in str(error)
    return True


@pytest.mark.parametrize("inside", ["model_state_dict", None])
@pytest.mark.parametrize("prefix", ["", "module."])
def test_tensors_are_read_by_name(path: Path, inside: str | None, prefix: str) -> None:
    path.write_bytes(checkpoint({prefix + name: values for name, values in VALUES.items()}, inside=inside))
    with open_checkpoint(path) as weights:
        assert "a" in weights
        assert weights.shape("a", 2) == (2, 3)
        np.testing.assert_array_equal(weights.array("a", 2, 3), VALUES["a"])
        np.testing.assert_array_equal(weights.array("b", 1), VALUES["b"])


def test_what_pytorch_itself_writes_is_read(path: Path) -> None:
    torch = pytest.importorskip("torch")
    turned = torch.arange(6.0).reshape(3, 2).T
    state = OrderedDict(a=turned, half=turned.half(), bfloat=turned.bfloat16(), double=turned.double())
    beside = {
        "optimizer_state_dict": {"state": {0: {"step": torch.tensor(3)}}, "param_groups": [{"lr": 1e-4, "x": None}]}
    }
    torch.save({"model_state_dict": state, "accumulated_samples": 12345678901, **beside}, path)
    with open_checkpoint(path) as weights:
        for name in state:
            np.testing.assert_array_equal(weights.array(name, 2, 3), [[0, 2, 4], [1, 3, 5]])


def test_tensors_of_an_optimiser_are_not_read(path: Path) -> None:
    gone = dictionary({"exp_avg": tensor("7", (2, 3), (3, 1), 6)})
    here = dictionary({"a": tensor("0", (2, 3), (3, 1), 6)})
    path.write_bytes(
        archive(dictionary({"optimizer_state_dict": gone, "model_state_dict": here}), {"0": VALUES["a"].tobytes()})
    )
    with open_checkpoint(path) as weights:
        np.testing.assert_array_equal(weights.array("a", 2, 3), VALUES["a"])


class Foreign:
    def __reduce__(self) -> tuple[object, ...]:
        return print, ("run",)


@pytest.mark.parametrize("protocol", [0, 1, 2, 4, 5])
def test_a_foreign_pickle_is_refused_and_nothing_of_it_is_run(
    path: Path, protocol: int, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pickle.dumps({"model_state_dict": {"a": Foreign()}}, protocol)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("net/data.pkl", data)
    said = refused(path, out.getvalue())
    assert ("asks for" in said and "print" in said) if protocol == 2 else "uses " in said or "asks for" in said
    assert not capsys.readouterr().out


@pytest.mark.parametrize("name", ["os\nsystem", "builtins\neval", "torch\nload", "torch.nn.modules.linear\nLinear"])
def test_classes_and_functions_that_are_no_tensors_are_named(path: Path, name: str) -> None:
    pickled = dictionary({"a": b"c" + name.encode() + b"\n(" + text("true") + b"tR"})
    dotted = name.replace("\n", ".")
    assert refused(path, archive(pickled, {})) == (
        f"its pickle asks for {dotted!r}, which no checkpoint of weights needs; nothing of it was run"
    )


@pytest.mark.parametrize(
    ("pickled", "said"),
    [
        (b"", "its pickle is damaged"),
        (b"}", "has no tensor a"),
        (b"]", "holds no weights by name"),
        (b"K\x01K\x02", "its pickle is damaged"),
        (b"h\x05", "its pickle is damaged"),
        (b"u", "its pickle is damaged: pop from empty list"),
        (b"\x86", "its pickle is damaged: ends early"),
        (b"}(" + b"(t" + b"K\x01u", "its pickle is damaged: a key that is neither text nor number"),
        (b"}2", "its pickle uses DUP"),
        (b"ctorch\nFloatStorage\n)R", "its pickle is damaged: makes something else than a tensor"),
        (b"ccollections\nOrderedDict\n(]tR", "its pickle is damaged: makes something else"),
        (text("x") + b"Q", "its pickle is damaged: not a storage"),
        (dictionary({"a": b"N"}), "has no tensor a"),
        (dictionary({"a": tensor("1", (2, 3), (3, 1), 6)}), "damaged: has no entry net/data/1"),
        (dictionary({"a": tensor("0", (2, 3), (3, 1), 7)}), "its entry net/data/0 has 24 bytes, expected 28"),
        (dictionary({"a": tensor("0", (2, 3), (3, 1), 6, offset=1)}), "a: reaches beyond its 6 numbers"),
        (dictionary({"a": tensor("0", (2, 3), (4, 1), 6)}), "a: reaches beyond its 6 numbers"),
        (dictionary({"a": tensor("0", (2, 3), (-3, 1), 6)}), "its pickle is damaged: not a tensor"),
        (dictionary({"a": tensor("0", (10**9, 10**9), (0, 0), 6)}), r"a: has shape [1000000000, 1000000000], expected"),
        (dictionary({"a": tensor("0", (6,), (1,), 6)}), "a: has shape [6], expected [2, 3]"),
    ],
)
def test_a_damaged_pickle_is_told(path: Path, pickled: bytes, said: str) -> None:
    assert said in refused(path, archive(pickled, {"0": VALUES["a"].tobytes()}), "a")


def test_a_step_that_is_never_taken_may_be_of_any_size(path: Path) -> None:
    huge = b"\x8a\x0a" + (2**70).to_bytes(10, "little")
    strides = several(huge, number(1))
    pickled = tensor("0", (1, 6), (6, 1), 6).replace(several(number(6), number(1)), strides)
    assert strides in pickled
    path.write_bytes(archive(dictionary({"a": pickled}), {"0": VALUES["a"].tobytes()}))
    with open_checkpoint(path) as weights:
        np.testing.assert_array_equal(weights.array("a", 1, 6), VALUES["a"].reshape(1, 6))


def test_a_view_larger_than_its_numbers_is_not_made(path: Path) -> None:
    data = archive(dictionary({"a": tensor("0", (2, 3), (0, 0), 1)}), {"0": b"\x00" * 4})
    assert refused(path, data, "a") == "a: reaches beyond its 1 numbers"


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_refused_by_name(path: Path, value: float) -> None:
    assert refused(path, checkpoint({"a": np.full((2, 3), value, np.float32)}), "a") == (
        "a: holds numbers that are not finite"
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not a checkpoint of PyTorch, which is a zip archive"),
        (b"\n<!DOCTYPE html><html><head>Google Drive - Virus scan warning", "a page in HTML, not a net"),
        (b"<HTML>", "a page in HTML, not a net"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:ba14208b\nsize 20968049\n", "a pointer of Git LFS"),
        (b"\x80\x02\x8a\nl\xfc\x9c\x46", "as PyTorch before 1.6 wrote it? Save it anew"),
        (GOOD[:-100], "cut off or damaged"),
        (GOOD[:1000], "cut off or damaged"),
        (GOOD[:4], "cut off or damaged"),
    ],
)
def test_what_is_no_checkpoint_is_told(path: Path, data: bytes, said: str) -> None:
    assert said in refused(path, data)


def test_an_archive_without_a_pickle_is_no_checkpoint(path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("hello.txt", "hello")
    assert "expected one that holds a data.pkl" in refused(path, out.getvalue())


def test_packed_entries_are_refused(path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("net/data.pkl", b"\x80\x02" + b"N" * 10**6 + b".")
    assert refused(path, out.getvalue()) == "its entry net/data.pkl is packed or encrypted; expected it plain"


def test_a_file_that_is_not_there_is_told(path: Path) -> None:
    with pytest.raises(NetFileError, match=r"cannot be read: No such file"), open_checkpoint(path):
        pass


def test_a_checkpoint_is_known_whatever_it_is_called(tmp_path: Path) -> None:
    for name in ("net", "net.bin", "net.onnx", "net.pb.gz"):
        (tmp_path / name).write_bytes(GOOD)
        assert is_checkpoint(tmp_path / name)
    (tmp_path / "other.bin").write_bytes(b"\x1f\x8b")
    assert not is_checkpoint(tmp_path / "other.bin")
    assert is_checkpoint(tmp_path / "absent.pt")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_changing_bytes_anywhere_gives_a_net_or_one_clear_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.pt"
    changed = bytearray(GOOD)
    # Half of them in the pickle, of which every byte means something.
    start = GOOD.index(b"\x80\x02")
    for _ in range(data.draw(st.integers(1, 4))):
        anywhere = st.integers(0, len(GOOD) - 1)
        place = data.draw(st.one_of(anywhere, st.integers(start, start + 3000)))
        changed[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.just(len(GOOD)), st.integers(0, len(GOOD))))
    path.write_bytes(changed[:cut])
    assert in_one_line(lambda: read_checkpoint(path, Ratings(1500), "net"))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_pickle_of_tensors_or_one_clear_error(data: bytes) -> None:
    assert in_one_line(lambda: read_pickle(b"\x80\x02" + data))


def test_tensors_in_a_pickle_are_described() -> None:
    found = read_pickle(b"\x80\x02" + tensor("0", (2, 3), (3, 1), 6) + b".")
    assert found == Tensor(Storage("FloatStorage", "0", 6), 0, (2, 3), (3, 1))
    long = b"\x80\x02" + b"\x8a" + struct.pack("B", 5) + (12345678901).to_bytes(5, "little") + b"."
    assert read_pickle(long) == 12345678901
