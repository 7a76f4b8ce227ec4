"""One answer to every command, whatever is sent."""

import io

import pytest
from hypothesis import given, strategies as st

from foible.interfaces.gtp.engine import COMMANDS
from foible.interfaces.gtp.protocol import (
    LONGEST_LINE,
    Answer,
    Call,
    Command,
    CommandError,
    integer,
    number,
    parse,
    read_lines,
    vertex,
)
from tests.interfaces.gtp.talk import Talk, answer_of

VERTICES = ["d4", "pass", "PASS", "resign", "z9", "i5", "a0", "C3,D4"]
NUMBERS = ["7", "-1", "9.5", "1e9", "nan"]
KEYS = [
    "b",
    "w",
    "black",
    "WHITE",
    "name",
    "value",
    "lambda",
    "visits",
    "interval",
    "minmoves",
    "allow",
    "avoid",
    "all",
]
WORDS = st.sampled_from([*COMMANDS, *VERTICES, *NUMBERS, *KEYS, "alive", "chinese"])
HARMLESS = WORDS.filter(lambda word: word not in ("printsgf", "loadsgf"))


@pytest.mark.parametrize(
    ("line", "command"),
    [
        (b"name", Command("", "name", ())),
        (b"12 play black D4\r\n", Command("12", "play", ("black", "D4"))),
        (b"  007\tplay\tB  pass # after\x00 all\n", Command("007", "play", ("B", "pass"))),
        (b"pl\x01ay\x7f b\x08 c3\x1b\n", Command("", "play", ("b", "c3"))),
        (b"5\n", Command("5", "", ())),
        (b"5#name", Command("5", "", ())),
        (b"-1 name", Command("", "-1", ("name",))),
        ("٣ name".encode(), Command("", "٣", ("name",))),
        (b"\xff\xfe x", Command("", "\ufffd\ufffd", ("x",))),
        (b"", None),
        (b" \t \r\n", None),
        (b"# name", None),
        (b"\x00\x01", None),
    ],
)
def test_lines_are_taken_apart(line: bytes, command: Command | None) -> None:
    assert parse(line) == command


@given(st.binary())
def test_any_bytes_are_a_command_or_none(line: bytes) -> None:
    command = parse(line)
    if command is not None:
        assert command.id == "" or command.id.isdecimal()
        assert all(" " not in word and word for word in command.arguments)


@given(st.one_of(st.binary(max_size=60), st.lists(HARMLESS, max_size=6).map(lambda words: " ".join(words).encode())))
def test_every_command_gets_one_answer_that_repeats_its_id(line: bytes) -> None:
    talk = Talk()
    command = parse(line)
    sent = talk.raw(line)
    if command is None:
        assert sent == ""
        return
    _, number, text = answer_of(sent)
    assert number == command.id
    assert len(text) < 10_000


@given(st.lists(st.lists(HARMLESS, min_size=1, max_size=5).map(" ".join), max_size=12))
def test_the_engine_lives_on_whatever_it_was_told(lines: list[str]) -> None:
    talk = Talk()
    for line in lines:
        answer_of(talk.raw(f"1 {line}".encode()))
    talk.all("boardsize 5", "clear_board", "play b C3")
    assert talk("genmove w") in {"pass", *talk("move_history").replace("white ", "").split("\n")}


def test_enormous_lines_are_cut_and_the_next_is_read() -> None:
    data = b"name\n" + b"x" * (2 * LONGEST_LINE + 5) + b"\nversion\r\n\xff\x00\nquit"
    lines = list(read_lines(io.BytesIO(data)))
    assert [len(line) for line in lines] == [5, LONGEST_LINE, 9, 3, 4]
    assert list(read_lines(io.BytesIO(b"y" * (LONGEST_LINE - 1) + b"\nz"))) == [b"y" * (LONGEST_LINE - 1) + b"\n", b"z"]


@given(st.text())
def test_no_text_can_be_taken_for_the_end_of_an_answer(text: str) -> None:
    sent: list[str] = []
    Answer("3", sent.append).end(text)
    Answer("4", sent.append).fail(text)
    assert all(one.endswith("\n\n") and one.count("\n\n") == 1 for one in sent)
    assert [one[:2] for one in sent] == ["=3", "?4"]


def test_an_answer_may_grow_line_by_line_and_still_ends_when_the_command_fails() -> None:
    sent: list[str] = []
    answer = Answer("7", sent.append)
    answer.line("")
    answer.line("info")
    answer.fail("memory")
    assert "".join(sent) == "=7\ninfo\n\n"


@pytest.mark.parametrize("word", ["I5", "A0", "A26", "AA1", "D", "4D", "", "D4x", "Ａ1", "D-1", "resign"])
def test_what_is_no_vertex_is_a_syntax_error(word: str) -> None:
    with pytest.raises(CommandError, match=r"^syntax error$"):
        vertex(word)


def test_vertices_colours_and_numbers_are_read_in_any_case() -> None:
    assert [vertex(word) for word in ("d4", "T19", "z25", "PaSs")] == ["D4", "T19", "Z25", "pass"]
    call = Call(("W", "bLaCk", "17", "-6.5"), print)
    assert (call.colour(), call.colour(), call.integer(), call.number()) == ("white", "black", 17, -6.5)
    assert not call.more


@pytest.mark.parametrize("word", ["-1", "1.0", "x", "", "2147483648", "9" * 5000, "²", "٣"])
def test_what_is_no_whole_number_is_a_syntax_error(word: str) -> None:
    with pytest.raises(CommandError):
        integer(word)


@pytest.mark.parametrize("word", ["nan", "inf", "-Infinity", "1,5", ""])
def test_what_is_no_finite_number_is_a_syntax_error(word: str) -> None:
    with pytest.raises(CommandError):
        number(word)


def test_missing_arguments_are_a_syntax_error() -> None:
    talk = Talk()
    for line in ("boardsize", "komi", "play", "play b", "genmove", "known_command", "time_left b 3", "loadsgf"):
        assert talk.fails(line) == "syntax error"
    for line in ("genmove green", "play b I1", "play red D4", "komi much", "boardsize seven", "final_status_list lost"):
        assert talk.fails(line) == "syntax error"


def test_commands_are_known_and_listed() -> None:
    talk = Talk()
    listed = talk("list_commands").split("\n")
    assert all(talk(f"known_command {name}") == "true" for name in listed)
    assert talk("known_command lz-analyse") == "false"
    assert talk.fails("lz-analyse") == "unknown command"
    required = "protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove"
    tournament = "fixed_handicap place_free_handicap set_free_handicap time_settings time_left final_score"
    regression = "loadsgf reg_genmove showboard undo final_status_list"
    assert {*required.split(), *tournament.split(), *regression.split()} <= set(listed)


def test_only_quit_is_the_end() -> None:
    talk = Talk()
    assert all(talk.engine.handle(line) for line in (b"name", b"", b"nonsense", b"5", b"known_command quit"))
    talk.sent.clear()
    assert not talk.engine.handle(b"99 quit")
    assert talk.sent == ["=99 \n\n"]
