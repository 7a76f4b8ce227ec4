"""Positions as lines of JSON, FEN and EPD."""

import codecs
import json

import pytest

from foible._core import ChessPosition
from foible.errors import GameFileError
from foible.games.jsonl import read_positions


def test_a_line_is_a_position_and_what_names_it() -> None:
    lines = [codecs.BOM_UTF8 + b'{"fen": "startpos", "moves": ["e2e4"], "id": [1, "x"]}\n', b"\n", b'{"moves": []}\n']
    first, second = read_positions(lines, "here.jsonl")
    assert (first.number, first.position.fen, first.echo) == (1, ChessPosition(moves=["e2e4"]).fen, {"id": [1, "x"]})
    assert (second.number, second.position.fen, second.echo) == (3, ChessPosition().fen, {})


def test_lines_of_fen_and_of_epd_are_positions_too() -> None:
    mate = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -"
    found = list(read_positions([f'{mate} bm Rd8#; id "back rank";\n'.encode(), f"{mate} 3 40\n".encode()], "here.epd"))
    assert [line.position.fen for line in found] == [f"{mate} 0 1", f"{mate} 3 40"]
    assert [line.echo for line in found] == [{"id": "back rank"}, {}]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("8/8/8/8/8/8/8/8 w", "at least four fields"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "no pieces"),
        (json.dumps({"FEN": "x"}), 'expected fen or moves among its keys, found "FEN"'),
        (json.dumps({"f\nb": 1, "\x1b[2J": 2}), r'found "\u001b[2J", "f\nb"'),
        (json.dumps({"x" * 5000: 1}), "x…"),
        (json.dumps([1]), 'expected FEN, EPD or an object of JSON, {"fen": …, "moves": […]}, found "[1]"'),
        ("e4 \x1b[2J", r'found "e4 \u001b[2J"'),
        ('{"fen": "startpos",}', "JSON is malformed: trailing comma"),
        (json.dumps({"moves": "e2e4"}), "moves = "),
        (json.dumps({"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}), "no pieces"),
        ('[Event "x"]', "this is PGN"),
        ("[" * 100_000, "found "),
        ('{"id": ' + "[" * 100_000, "nested too deep"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_number(line: str, part: str) -> None:
    with pytest.raises(GameFileError) as caught:
        list(read_positions([b"{}\n", line.encode()], "here.jsonl"))
    assert str(caught.value).startswith("here.jsonl, line 2: ")
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("line", [b'{"id": "\xff"}', b"8/8/8/8/8/8/8/K1k5\xff w - -", b"\xff\xfe"])
def test_what_is_not_utf_8_is_said_to_be_so(line: bytes) -> None:
    with pytest.raises(GameFileError, match=r"^here\.jsonl, line 1: not UTF-8$"):
        list(read_positions([line], "here.jsonl"))
