"""The loop between standard input and output, whatever comes in."""

import io
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from foible.interfaces.gtp.commands.about_engine import OPTIONS
from foible.interfaces.gtp.engine import COMMANDS, serve
from foible.interfaces.gtp.protocol import LONGEST_LINE
from foible.interfaces.gtp.session import ReportedClocks
from tests.interfaces.gtp.talk import QUICK

SECONDS = 0.01
"""For a move, whatever visits and time are drawn."""

COLOURS = st.sampled_from(["b", "w", "black", "WHITE"])
VERTICES = st.sampled_from(["d4", "C3", "A1", "pass", "PASS", "resign", "z9", "i5", "a0", "C3,D4"])
NUMBERS = st.sampled_from(["0", "1", "7", "19", "-1", "9.5", "0.5,0.3,0,0", "1e9", "1e999", "nan", "2147483648", "٣"])
KEYS = st.sampled_from(
    ["name", "value", "interval", "minmoves", "maxmoves", "allow", "avoid", "all", "alive", "chinese"]
)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n#/\\"), max_size=20)
"""Without the beginning of a comment, and no path out of the folder."""
WORDS = st.one_of(COLOURS, VERTICES, NUMBERS, KEYS, TEXT)


def line(*words: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*words).map(" ".join)


NAMES = st.sampled_from(sorted(COMMANDS.keys() - {"quit"}))
MEANT = st.one_of(
    line(st.just("boardsize"), st.sampled_from(["1", "2", "3", "7", "19"])),
    line(st.just("play"), COLOURS, VERTICES),
    line(st.sampled_from(["genmove", "lz-genmove_analyze", "kata-analyze", "lz-analyze", "all_legal"]), COLOURS),
    line(st.just("time_settings"), NUMBERS, NUMBERS, NUMBERS),
    line(st.just("foible-komi_range"), NUMBERS, NUMBERS),
    line(st.just("lz-setoption name"), st.sampled_from([one.name for one in OPTIONS]), st.just("value"), NUMBERS),
)
LONG = st.sampled_from([LONGEST_LINE - 3, LONGEST_LINE, 2 * LONGEST_LINE]).map("loadsgf é".ljust)
GARBAGE = st.binary(max_size=40).map(lambda data: data.translate(None, b"\n#"))
LINES = st.one_of(MEANT, line(NAMES, *[WORDS] * 3), NAMES, TEXT, LONG).map(str.encode) | GARBAGE
UNANSWERED = st.sampled_from([b"", b"\r\n", b"# name\n", b"\x00\t \n"])
"""Between two lines."""


def served(data: bytes, folder: Path) -> tuple[str, str]:
    """What an engine writes that is sent all this at once: answers and errors."""
    output, errors, think = io.BytesIO(), io.StringIO(), ReportedClocks.seconds_for

    def hurried(clock: ReportedClocks, *arguments: Any, **others: Any) -> float:
        return min(think(clock, *arguments, **others) or SECONDS, SECONDS)

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(ReportedClocks, "seconds_for", hurried)
        patch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        patch.setattr(sys, "stdout", SimpleNamespace(buffer=output))
        patch.setattr(sys, "stderr", errors)
        serve(QUICK)
    return output.getvalue().decode(), errors.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where records are written and read."""
    return tmp_path_factory.mktemp("records")


@settings(max_examples=25)
@given(st.lists(st.tuples(UNANSWERED, LINES, st.sampled_from([b"\n", b"\r\n"])), max_size=12))
def test_every_line_gets_its_answer_and_the_loop_goes_on(folder: Path, lines: list[tuple[bytes, bytes, bytes]]) -> None:
    data = b"".join(b"%b%d %b%b" % (before, i, text, end) for i, (before, text, end) in enumerate(lines))
    output, errors = served(data + b"98 name\n99 quit\n", folder)
    *answers, rest = output.split("\n\n")
    assert rest == ""
    assert answers[-2:] == ["=98 foible", "=99 "]
    assert len(answers) == len(lines) + 2
    for number, answer in enumerate(answers[:-2]):
        assert re.match(rf"[=?]{number}(?:[ \n]|$)", answer)
    assert "Traceback" not in errors
