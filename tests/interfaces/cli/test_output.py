"""Tables on narrow terminals."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from rich.console import Console
from rich.table import Table
from rich.text import Text

from foible.interfaces import cli
from foible.interfaces.cli import output
from foible.interfaces.cli.output import Widths, fit
from tests.interfaces.cli.command import Command

COLUMNS = ("opponent", "player", "games", "wins", "win share")
ROWS = [("maia-1100", "maia-1900, contempt 5", 1000, 123, "56.1 ± 1.6 %"), ("random mover", "material", 4, 4, None)]


def printed(width: int, monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, color_system=None)
    monkeypatch.setattr(output, "Console", lambda **_: console)
    output.print_table("Title", COLUMNS, ROWS, left=2, spare=("wins",), **options)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [45, 46, 50, 57, 66, 80])
def test_nothing_is_wider_than_the_terminal_and_no_word_is_broken(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(width, monkeypatch)
    assert max(map(len, lines)) <= width
    for word in ("maia-1100", "maia-1900,", "opponent", "1000", "56.1 ± 1.6 %"):
        assert any(word in line for line in lines), word


def test_what_can_be_spared_goes_last_and_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    wide, narrow = printed(57, monkeypatch), printed(45, monkeypatch, note="note")
    assert any("wins" in line for line in wide[:-1])
    assert "not shown" not in wide[-1]
    assert narrow[-2:] == ["note", "not shown, for want of room: wins"]
    assert not any("123" in line for line in narrow)


def test_columns_are_spared_before_a_text_loses_more_than_half_of_its_width() -> None:
    columns, rows = ("text", "n", "m"), [("word " * 8, "12345678", "12345678")]
    assert fit(columns, rows, 1, ("n", "m"), 40) == Widths((0, 1, 2), (20, 8, 8), 0)
    assert fit(columns, rows, 1, ("n", "m"), 39) == Widths((0, 2), (28, 8), 0)
    assert fit(columns, rows, 1, ("n", "m"), 16) == Widths((0,), (14,), 0)
    assert fit(columns, rows, 1, (), 39).columns == (0, 1, 2)


def test_what_stands_in_a_table_commands_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table("of \x1b[2Jwho", ("name", "n"), [("\x1b[31mred\x9b", 1)], note="\x07note")
    out = capsys.readouterr().out
    assert all(text in out for text in (r"of \x1b[2Jwho", r"\x1b[31mred\x9b", r"\x07note"))
    assert not set(out) & {"\x1b", "\x9b", "\x07"}


words = st.text("abc ", min_size=1, max_size=30)


@settings(deadline=None)
@given(st.lists(st.tuples(words, words, st.integers(0, 10**9).map(str)), max_size=4), st.integers(8, 120))
def test_columns_fit_and_are_no_wider_than_they_need(rows: list[tuple[str, ...]], room: int) -> None:
    columns = ("first", "second", "n")
    found = fit(columns, rows, 2, (), room)
    assert sum(found.widths) + 3 * (1 + 2 * found.padding) + 1 <= room
    for index, width in zip(found.columns, found.widths, strict=True):
        assert 1 <= width <= max(len(row[index]) for row in (columns, *rows))


EVIL = "\x1b]0;title\x07\x1b[31mred\x9b2J\u202eback"


def test_nothing_that_is_printed_commands_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    console = output.Console(force_terminal=True, color_system=None, width=200)
    for markup in (True, False):
        console.print(EVIL, markup=markup)
    found = Table(EVIL.replace("[", "("))
    found.add_row(EVIL.replace("[", "("))
    console.print(found)
    console.print("of a group", Text("plain"), EVIL, sep="\n", markup=False)
    output.say(EVIL)
    output.say(EVIL, err=True)
    printed = capsys.readouterr()
    assert printed.out.count("\\x1b") >= 8
    assert not any(sign in printed.out + printed.err for sign in "\x1b\x07\x9b\u202e")


def test_names_appear_as_they_are_whatever_brackets_and_colons_they_have(capsys: pytest.CaptureFixture[str]) -> None:
    name = "[old] a[/b]:dog:[red]"
    output.print_table(name, (name, "n"), [(name, 1)], note=name)
    console = output.Console(width=200)
    console.print(f"net: {name}", soft_wrap=True)
    titled = Table(name, title=name)
    titled.add_row(name)
    console.print(titled)
    assert capsys.readouterr().out.count(name) == 8


@pytest.mark.parametrize("module", sorted(Path(cli.__file__).parent.rglob("*.py")), ids=lambda path: path.stem)
def test_commands_print_by_what_keeps_the_terminal_safe(module: Path) -> None:
    if module.name != "output.py":
        assert not re.search(
            r"typer\.(echo|secho)|rich import print|rich\.console import .*Console", module.read_text()
        )


def test_a_tag_of_a_pgn_does_not_command_the_terminal(foible: Command, tmp_path: Path) -> None:
    pgn = tmp_path / "a\x1b[31m.pgn"
    pgn.write_text(f'[Event "{EVIL}"]\n[White "{EVIL}"]\n[ECO "{EVIL}"]\n[Result "1-0"]\n\n1. e4 1-0\n')
    ran = foible("games", pgn)
    assert ran.code == 0
    assert not any(sign in ran.out + ran.err for sign in "\x1b\x07\x9b\u202e")
