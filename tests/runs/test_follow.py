"""Files that others write, looked at again and again."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.errors import GameFileError
from foible.runs.follow import LOOKS, FollowedFile, settled
from foible.runs.journal import JsonLines


class Item(msgspec.Struct, frozen=True):
    number: int
    text: str = ""


FORM = JsonLines(Item)


@given(st.lists(st.integers(0, 40), max_size=12), st.data())
def test_whatever_is_appended_in_whatever_pieces_is_read_once(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], data: st.DataObject
) -> None:
    items = [Item(number, "x" * length) for number, length in enumerate(lengths)]
    text = b"".join(map(FORM.write, items))
    path = tmp_path_factory.mktemp("follow") / "f.jsonl"
    file = FollowedFile(path, FORM)
    assert file.read() == []
    at = 0
    while at < len(text):
        at = data.draw(st.integers(at + 1, len(text)))
        path.write_bytes(b"")  # the same file, written anew from its beginning
        with path.open("r+b") as stream:
            stream.write(text[:at])
        assert file.read() == items[: text[:at].count(b"\n")]


def test_a_file_that_is_cut_back_and_grows_otherwise_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(b"".join(map(FORM.write, [Item(1), Item(2), Item(3)])))
    file = FollowedFile(path, FORM)
    assert len(file.read()) == 3
    path.write_bytes(b"".join(map(FORM.write, [Item(1), Item(5), Item(6), Item(7)])))
    assert file.read() == [Item(1), Item(5), Item(6), Item(7)]
    path.unlink()
    assert file.read() == []


def test_what_was_read_stays_the_same_list_while_nothing_is_added(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(FORM.write(Item(1)))
    file = FollowedFile(path, FORM)
    before = file.read()
    assert file.read() is before
    with path.open("ab") as stream:
        stream.write(FORM.write(Item(2)))
    assert file.read() == [Item(1), Item(2)]
    assert before == [Item(1)]


def test_damage_is_told_with_the_file_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(FORM.write(Item(1)).replace(b'"number":1', b'"number":2'))
    file = FollowedFile(path, FORM)
    for _ in range(2):
        with pytest.raises(GameFileError, match=r"f\.jsonl, line 1: .*damaged"):
            file.read()
    path.write_bytes(FORM.write(Item(1)))
    assert file.read() == [Item(1)]


@pytest.mark.parametrize("error", [GameFileError("not yet"), FileNotFoundError("not yet")])
def test_what_does_not_fit_together_is_looked_at_again(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foible.runs.follow.BETWEEN_LOOKS", 0)
    looks = 0

    def read() -> str:
        nonlocal looks
        looks += 1
        if looks < LOOKS:
            raise error
        return "settled"

    assert settled(read) == "settled"
    looks = -100
    with pytest.raises(type(error)):
        settled(read)
    assert looks == LOOKS - 100
