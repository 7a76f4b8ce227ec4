"""Files appear whole or not at all, whatever happens meanwhile; what was sealed is found out where it was changed."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from foible.errors import GameFileError
from foible.runs.files import replace_file, replacing, seal, seal_file, unseal, unseal_file, write_atomically


@pytest.mark.parametrize("write", [write_atomically, replace_file])
def test_a_file_that_cannot_be_finished_leaves_the_old_one_and_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path, bytes], None]
) -> None:
    path = tmp_path / "report.json"
    write_atomically(path, "old")

    def fail(_handle: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write(path, b"new, half")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_seen_of_a_file_before_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    with replacing(path) as stream:
        stream.write(b"one")
        stream.flush()
        assert not path.exists()
    assert path.read_bytes() == b"one"


def test_writers_that_share_a_file_do_not_share_a_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, sync = tmp_path / "new folder" / "cache.json", os.fsync

    def another_writes_meanwhile(handle: int) -> None:
        monkeypatch.setattr(os, "fsync", sync)
        replace_file(path, b"theirs")
        sync(handle)

    monkeypatch.setattr(os, "fsync", another_writes_meanwhile)
    replace_file(path, b"ours")
    assert path.read_bytes() == b"ours"
    assert list(path.parent.iterdir()) == [path]


def test_an_impossible_place_is_named_without_the_draft(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"'[^']*nowhere/report\.json'"):
        write_atomically(tmp_path / "nowhere" / "report.json", "")
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match=r"'[^']*file/report\.json'"):
        write_atomically(tmp_path / "file" / "report.json", "")
    with pytest.raises(OSError, match=r"too long: '[^']*/x{255}'"):
        write_atomically(tmp_path / ("x" * 255), "")


@pytest.mark.parametrize("write", [write_atomically, replace_file])
def test_a_link_stays_and_its_file_is_written(tmp_path: Path, write: Callable[[Path, bytes], None]) -> None:
    there, link = tmp_path / "there" / "x.json", tmp_path / "link.json"
    there.parent.mkdir()
    link.symlink_to(Path("there") / "x.json")
    for content in (b"new", b"newer"):
        write(link, content)
        assert link.is_symlink()
        assert there.read_bytes() == content
    assert sorted(tmp_path.iterdir()) == [link, there.parent]
    assert list(there.parent.iterdir()) == [there]


@pytest.mark.parametrize("write", [write_atomically, replace_file])
def test_what_is_no_file_is_not_replaced(tmp_path: Path, write: Callable[[Path, bytes], None]) -> None:
    folder, link, pipe = (tmp_path / name for name in ("folder", "link", "pipe"))
    folder.mkdir()
    link.symlink_to(folder)
    os.mkfifo(pipe)
    before = sorted(tmp_path.rglob("*"))
    for path, what in ((folder, "folder"), (link, "folder"), (pipe, "device or pipe")):
        with pytest.raises(OSError, match=f"^{path} is a {what}; expected a file$"):
            write(path, b"new")
    assert sorted(tmp_path.rglob("*")) == before
    assert link.is_symlink()


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as error:
        write_atomically(tmp_path / "report.json", "new")
    assert error.value.filename == str(tmp_path / "report.json")
    assert not list(tmp_path.iterdir())


objects = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3)


@given(objects, st.sampled_from([None, 2]))
def test_a_sealed_object_is_one_with_one_member_more(found: dict[str, object], indent: int | None) -> None:
    sealed = seal(json.dumps(found, indent=indent).encode())
    assert json.loads(unseal(sealed)) == found
    assert json.loads(sealed) == {**found, "checksum": json.loads(sealed)["checksum"]}
    assert unseal(json.dumps(found).encode()) == json.dumps(found).encode()


@given(st.binary(max_size=50), st.data())
def test_a_file_that_was_changed_is_found_out(content: bytes, data: st.DataObject) -> None:
    sealed = seal_file(content)
    assert unseal_file(sealed) == content
    if content:
        place = data.draw(st.integers(0, len(content) - 1))
        with pytest.raises(GameFileError, match="damaged: its checksum is"):
            unseal_file(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :] + sealed[len(content) :])
