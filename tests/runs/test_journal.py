"""Files of JSON lines that only grow."""

import errno
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from foible.errors import GameFileError
from foible.runs.journal import LOOKS, FollowedFile, Journal, JsonLines, read_journal, settled
from foible.runs.ledger import LEDGER
from tests.damage import Damage, damages, is_found


class Item(msgspec.Struct, frozen=True):
    number: int
    text: str = ""


def test_what_was_appended_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path, Item) as journal:
        assert journal.items == []
        journal.append([Item(1), Item(2, "ä\n")])
        journal.append([])
        journal.append([Item(3)])
        assert path.read_bytes().count(b"\n") == 3
    with Journal(path, Item) as journal:
        assert journal.items == [Item(1), Item(2, "ä\n"), Item(3)]


@given(st.integers(0, 140))
def test_a_kill_costs_at_most_the_line_half_written(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.mktemp("journal") / "j.jsonl"
    items = [Item(number, "x" * number) for number in range(3)]
    with Journal(path, Item) as journal:
        journal.append(items)
    data = path.read_bytes()[:cut]
    path.write_bytes(data)
    (path.parent / "finished.json").unlink()  # which is written behind the last line
    whole = data.count(b"\n")
    with Journal(path, Item) as journal:
        assert journal.items == items[:whole]
        journal.append([Item(9)])
    with Journal(path, Item) as journal:
        assert journal.items == [*items[:whole], Item(9)]


@pytest.mark.parametrize("line", [b"{}", b"[]", b"nonsense", b'{"number": "one"}', b""])
def test_a_line_that_is_none_is_named(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"number": 1}\n' + line + b"\n")
    with pytest.raises(GameFileError, match=r"j\.jsonl, line 2: cannot be read"):
        Journal(path, Item)


def test_of_what_a_full_disk_does_not_take_nothing_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path, Item) as journal:
        journal.append([Item(1)])
        before, sync = path.read_bytes(), os.fsync

        def full(handle: int) -> None:
            monkeypatch.setattr(os, "fsync", sync)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left on device") as error:
            journal.append([Item(2)])
        assert error.value.filename == str(path)
        assert path.read_bytes() == before
        journal.append([Item(3)])
    assert read_journal(path, Item) == [Item(1), Item(3)]


def test_what_cannot_be_counted_does_not_count(tmp_path: Path) -> None:
    path, in_the_way = tmp_path / "j.jsonl", tmp_path / f".{LEDGER}.new"
    with Journal(path, Item) as journal:
        journal.append([Item(1)])
        in_the_way.mkdir()
        with pytest.raises(OSError, match=LEDGER):
            journal.append([Item(2)])
        in_the_way.rmdir()
        assert journal.items == [Item(1)]
        journal.append([Item(2)])
        assert read_journal(path, Item) == journal.items == [Item(1), Item(2)]


def test_after_a_failed_rewrite_all_is_as_it_was(tmp_path: Path) -> None:
    path, in_the_way = tmp_path / "j.jsonl", tmp_path / ".j.jsonl.new"
    with Journal(path, Item) as journal:
        journal.append([Item(1), Item(2)])
        in_the_way.mkdir()
        with pytest.raises(OSError, match=r"j\.jsonl"):
            journal.rewrite([Item(1)])
        in_the_way.rmdir()
        journal.append([Item(3)])
    assert read_journal(path, Item) == [Item(1), Item(2), Item(3)]


def test_a_line_of_an_earlier_version_has_no_checksum(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"number":1}\n')
    with Journal(path, Item) as journal:
        journal.append([Item(2)])
    assert path.read_bytes().count(b"checksum") == 1
    assert read_journal(path, Item) == [Item(1), Item(2)]


@settings(max_examples=120, deadline=None)
@given(damage=damages(("j.jsonl", LEDGER)))
def test_no_damage_makes_other_lines(tmp_path_factory: pytest.TempPathFactory, damage: Damage) -> None:
    run, folder = tmp_path_factory.mktemp("whole"), tmp_path_factory.mktemp("damaged") / "run"
    with Journal(run / "j.jsonl", Item) as journal:
        journal.append([Item(number, "x" * number) for number in range(3)])
    is_found(run, folder, damage, lambda place: read_journal(place / "j.jsonl", Item))


def test_what_another_process_writes_is_read_up_to_the_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    assert read_journal(path, Item) == []
    path.write_bytes(b'{"number":1}\n{"number":2}\n{"numb')
    assert read_journal(path, Item) == [Item(1), Item(2)]
    assert path.stat().st_size == 32  # untouched
    path.write_bytes(b'{"number":1}\n{"numb\n')
    with pytest.raises(GameFileError, match=r"j\.jsonl, line 2: cannot be read"):
        read_journal(path, Item)


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
    monkeypatch.setattr("foible.runs.journal.BETWEEN_LOOKS", 0)
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
