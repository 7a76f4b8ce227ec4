from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.errors import ConfigError
from foible.interfaces.uci.opponent import NOBODY, Opponent, parse_opponent


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
