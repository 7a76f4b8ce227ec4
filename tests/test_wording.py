"""How numbers are written for people."""

import re
from pathlib import Path

import pytest

from foible.wording import MARKS, counted, mark, percent, signed

WORDS = Path(__file__).parents[1] / "web" / "src" / "words.ts"


@pytest.mark.parametrize(
    ("share", "error", "digits", "text"),
    [
        (0.615, 0.049, 1, "61.5 ± 4.9 %"),
        (0.5, None, 1, "50.0 %"),
        (0.5, None, 0, "50 %"),
        (0.725, 0.0125, 2, "72.50 ± 1.25 %"),
        (None, None, 1, "–"),
    ],
)
def test_shares_are_shown_in_percent(share: float | None, error: float | None, digits: int, text: str) -> None:
    assert percent(share, error, digits) == text


def test_numbers_with_a_sign_have_none_before_a_zero() -> None:
    assert [signed(number) for number in (-0.04, 0.04, -3.26, 0.26)] == ["0.0", "0.0", "−3.3", "+0.3"]


def test_things_are_counted_with_their_plurals() -> None:
    assert [counted(1, unit) for unit in ("match", "ply", "loss")] == ["1 match", "1 ply", "1 loss"]
    found = [counted(2, unit) for unit in ("match", "ply", "loss", "day", "complete pair")]
    assert found == ["2 matches", "2 plies", "2 losses", "2 days", "2 complete pairs"]


def test_the_page_marks_moves_as_all_else_does() -> None:
    text = WORDS.read_text("utf-8")
    least = re.search(r"export const MISTAKE = ([\d.]+);", text)
    assert least is not None
    rule = re.findall(r'loss >= ([\w.]+) \? "([?!]+)"', text)
    assert [(float(least[1] if at == "MISTAKE" else at), sign) for at, sign in rule] == list(MARKS)
    assert [mark(at) for at, _ in MARKS] == [sign for _, sign in MARKS]
