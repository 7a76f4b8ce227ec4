"""Files of JSON lines that only grow."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.errors import GameFileError
from foible.journal import Journal, read_journal


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


@given(st.integers(0, 60))
def test_a_kill_costs_at_most_the_line_half_written(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.mktemp("journal") / "j.jsonl"
    items = [Item(number, "x" * number) for number in range(3)]
    with Journal(path, Item) as journal:
        journal.append(items)
    data = path.read_bytes()[:cut]
    path.write_bytes(data)
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


def test_what_another_process_writes_is_read_up_to_the_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    assert read_journal(path, Item) == []
    path.write_bytes(b'{"number":1}\n{"number":2}\n{"numb')
    assert read_journal(path, Item) == [Item(1), Item(2)]
    assert path.stat().st_size == 32  # untouched
    path.write_bytes(b'{"number":1}\n{"numb\n')
    with pytest.raises(GameFileError, match=r"j\.jsonl, line 2: cannot be read"):
        read_journal(path, Item)
