import io
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from foible.errors import ConfigError
from foible.interfaces.uci.protocol import (
    LONGEST_LINE,
    NOBODY,
    Go,
    Opponent,
    parse_go,
    parse_opponent,
    parse_position,
    parse_setoption,
    read_lines,
    shown,
)


def test_go_reads_every_limit() -> None:
    text = "ponder wtime 1000 btime 2000 winc 10 binc 20 movestogo 7 nodes 50 depth 3 mate 2 movetime 90"
    assert parse_go([*text.split(), "searchmoves", "e2e4", "d2d4", "infinite"], white=True) == (
        Go(
            ponder=True,
            wtime=1000,
            btime=2000,
            winc=10,
            binc=20,
            movestogo=7,
            nodes=50,
            depth=3,
            mate=2,
            movetime=90,
            searchmoves=("e2e4", "d2d4"),
            infinite=True,
        ),
        [],
    )


@pytest.mark.parametrize(
    ("text", "go"),
    [
        ("infinite nodes", Go(infinite=True)),
        ("nodes many movetime 5", Go(movetime=5)),
        ("wtime 7 btime 3,5", Go(wtime=7)),
        ("quickly depth 4", Go(depth=4)),
        ("ponder nodes " + "9" * 5000, Go(ponder=True)),
    ],
)
def test_go_leaves_out_what_it_cannot_read_and_says_so(text: str, go: Go) -> None:
    found, complaints = parse_go(text.split(), white=True)
    assert found == go
    assert len(complaints) == 1
    assert len(complaints[0]) < 200


def test_limits_are_shown_as_a_gui_sends_them() -> None:
    text = "nodes 5 movetime 0 wtime 0 winc 3 infinite searchmoves e2e4 d2d4"
    assert str(parse_go(text.split(), white=True)[0]) == text


def test_a_number_may_have_a_fraction() -> None:
    assert parse_go(["movetime", "1e3", "wtime", "3.5"], white=True) == (Go(movetime=1000, wtime=3), [])


@pytest.mark.parametrize("text", ["movetime many", "foo bar", "winc 5 nodes"])
def test_where_no_limit_can_be_read_the_search_is_short(text: str) -> None:
    found, complaints = parse_go(text.split(), white=True)
    assert (found.movetime, found.infinite) == (1000, False)
    assert complaints[-1] == "go: no limit for this move; thinks for 1000 ms"
    assert parse_go([], white=True) == (Go(), []), "as other engines do, which think until they are stopped"


@pytest.mark.parametrize("text", ["wtime 1000", "movestogo 5", "winc 100 binc 100"])
def test_without_the_clock_of_the_side_to_move_the_search_is_short(text: str) -> None:
    found, complaints = parse_go(text.split(), white=False)
    assert (found.movetime, found.infinite) == (1000, False)
    assert complaints == ["go: no limit for this move; thinks for 1000 ms"]
    both, complaints = parse_go([*text.split(), "btime", "500"], white=False)
    assert (both.movetime, both.btime, complaints) == (None, 500, [])


def test_a_clock_below_zero_counts_as_zero() -> None:
    assert parse_go(["wtime", "-250", "nodes", "-3"], white=True)[0] == Go(wtime=0, nodes=1)


@given(st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1)))
def test_go_reads_anything(words: list[str]) -> None:
    parse_go(words, white=True)


def test_position_tells_fen_and_moves_apart() -> None:
    fen = "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1"
    assert parse_position(["startpos"]) == (None, [])
    assert parse_position(["startpos", "moves", "e2e4", "e7e5"]) == (None, ["e2e4", "e7e5"])
    assert parse_position(f"fen {fen} moves e1e2".split()) == (fen, ["e1e2"])


@pytest.mark.parametrize("text", ["", "somewhere", "startpos e2e4"])
def test_a_position_that_cannot_be_read_is_an_error(text: str) -> None:
    with pytest.raises(ConfigError, match="expected"):
        parse_position(text.split())


def test_option_names_and_values_may_hold_spaces() -> None:
    assert parse_setoption("name Clear Hash") == ("Clear Hash", "")
    assert parse_setoption("name Net value /nets/my  best net.pb.gz ") == ("Net", "/nets/my  best net.pb.gz")
    assert parse_setoption("name Net value") == ("Net", "")
    with pytest.raises(ConfigError):
        parse_setoption("Net value x")


def test_enormous_lines_are_left_out_and_the_next_is_read() -> None:
    said: list[str] = []
    data = b"uci\n" + b"x" * (2 * LONGEST_LINE + 5) + b"\nisready\r\n\xff\x00\ngo"
    assert list(read_lines(io.BytesIO(data), said.append)) == ["uci", "isready", "\ufffd\x00", "go"]
    assert len(said) == 1


def test_a_line_of_just_the_longest_length_is_read() -> None:
    said: list[str] = []
    data = b"y" * (LONGEST_LINE - 1) + b"\nuci\n"
    assert [len(line) for line in read_lines(io.BytesIO(data), said.append)] == [LONGEST_LINE - 1, 3]
    assert not said


@given(st.text())
def test_complaints_are_one_short_printable_line(text: str) -> None:
    assert shown(text).isascii()
    assert shown(text).isprintable()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GM 2800 human Gary Kasparov", Opponent(2800, True, "Gary Kasparov", "GM")),
        ("none none computer Shredder", Opponent(None, False, "Shredder")),
        ("none 1512 human", Opponent(1512, True)),
        (NOBODY, Opponent()),
        ("", Opponent()),
        ("none 0 human X", Opponent(None, True, "X")),
    ],
)
def test_what_uci_says_of_an_opponent_is_read(text: str, expected: Opponent) -> None:
    assert parse_opponent(text) == expected


@pytest.mark.parametrize(
    "text", ["Kasparov", "GM strong human X", "none 1500 alien X", "none -5 human X", "- ² human X"]
)
def test_what_is_not_of_the_form_is_an_error(text: str) -> None:
    with pytest.raises(ConfigError, match="UCI_Opponent"):
        parse_opponent(text)


@given(st.text(max_size=60) | st.from_regex(r"[a-z]{1,4} (none|[0-9]{1,5}) (human|computer) .*", fullmatch=True))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ConfigError):
        rating = parse_opponent(text).rating
        assert rating is None or 0 <= rating <= 9999
