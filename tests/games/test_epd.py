"""Lines of EPD and FEN."""

import pytest

from foible.errors import GameFileError
from foible.games.epd import EpdLine, read_epd_line

FIELDS = "8/8/8/8/8/8/8/K1k5 w - -"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (FIELDS, EpdLine(f"{FIELDS} 0 1")),
        (f"{FIELDS} 7 9", EpdLine(f"{FIELDS} 7 9")),
        (f"  {FIELDS} 7 9 ;\n", EpdLine(f"{FIELDS} 7 9")),
        (f"{FIELDS} bm Ka2; fmvn 9; hmvc 7;", EpdLine(f"{FIELDS} 7 9")),
        (f'{FIELDS} 7 9 id "a; b"; c0 "id x";', EpdLine(f"{FIELDS} 7 9", "a; b")),
        (f'{FIELDS} 0 1;id "x";', EpdLine(f"{FIELDS} 0 1", "x")),
        (f"{FIELDS} 0 1;x", EpdLine(f"{FIELDS} 0 1")),
        (f"{FIELDS} 0;1 x", EpdLine(f"{FIELDS} 0 1")),
        (f"{FIELDS} id plain;", EpdLine(f"{FIELDS} 0 1", "plain")),
        (f"{FIELDS} hmvc\t7; \t;fmvn\t9;", EpdLine(f"{FIELDS} 7 9")),
    ],
)
def test_counters_and_names_are_found_where_they_stand(line: str, expected: EpdLine) -> None:
    assert read_epd_line(line) == expected


def test_a_line_of_too_few_fields_is_refused() -> None:
    with pytest.raises(GameFileError, match=r"^an EPD line has at least four fields, this one has 3$"):
        read_epd_line("8/8/8/8/8/8/8/K1k5 w -")
